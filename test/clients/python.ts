import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { homedir } from "node:os";
import { join } from "node:path";
import { isExecutable, programsLack } from "../../scripts/servers/programs.ts";

const REQUIREMENTS = join(import.meta.dirname, "requirements.txt");
/** What is installed without what it depends on: ClickHouse in a module, which needs none of the data libraries it names. */
const ALONE = join(import.meta.dirname, "requirements-alone.txt");

/** What Python programs run with: they find the pinned packages, and nobody's settings. */
export async function pythonEnvironment(): Promise<NodeJS.ProcessEnv> {
  return {
    ...process.env,
    PYTHONPATH: await packageDirectory(),
    PYTHONDONTWRITEBYTECODE: "1",
    AWS_CONFIG_FILE: "/dev/null",
    AWS_SHARED_CREDENTIALS_FILE: "/dev/null",
    AWS_EC2_METADATA_DISABLED: "true",
  };
}

/** A sentence that says how to install what Python's clients need; `undefined` where it is there. */
export async function pythonLacks(): Promise<string | undefined> {
  const directory = await packageDirectory();
  if (await isExecutable(join(directory, "boto3"))) return await programsLack(["python3"]);
  const install = `python3 -m pip install --target ${directory}`;
  return `Not installed: boto3, awscli, remotezip and chdb-core (${install} -r ${REQUIREMENTS}; ${install} --no-deps -r ${ALONE})`;
}

/** Outside of the repository, one for each state of the pinned versions. */
async function packageDirectory(): Promise<string> {
  const pinned = createHash("sha256");
  for (const file of [ALONE, REQUIREMENTS]) pinned.update(await readFile(file));
  const caches = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  return join(caches, `forgefront-python-${pinned.digest("hex").slice(0, 8)}`);
}
