"""The AWS CLI, which finds names under localhost."""

import sys

import local_names
from awscli.clidriver import main

local_names.install()
sys.exit(main())
