"""Opens an archive behind a URL with zipfile, by ranges (remotezip) or at once, and says what it reads and what that took."""

import hashlib
import io
import json
import sys
import zipfile

import remotezip
import requests


def main(url, name):
    """Reads one entry by ranges, then all entries by ranges, then all of the archive at once."""
    told = {
        "one": read(url, open_ranges, [name]),
        "ranges": read(url, open_ranges, None),
        "whole": read(url, open_whole, None),
    }
    json.dump(told, sys.stdout)


def read(url, opener, names):
    statuses, sizes = [], []

    def note(response, *_args, **_kwargs):
        statuses.append(response.status_code)
        sizes.append(int(response.headers["content-length"]))

    with requests.Session() as session:
        session.trust_env = False
        session.hooks["response"].append(note)
        with opener(url, session) as opened:
            listed = opened.namelist()
            hashes = {name: hashlib.sha256(opened.read(name)).hexdigest() for name in names or listed}
    return {"listed": listed, "read": hashes, "statuses": statuses, "bytes": sum(sizes)}


def open_ranges(url, session):
    return remotezip.RemoteZip(url, session=session)


def open_whole(url, session):
    answer = session.get(url)
    answer.raise_for_status()
    return zipfile.ZipFile(io.BytesIO(answer.content))


main(*sys.argv[1:])
