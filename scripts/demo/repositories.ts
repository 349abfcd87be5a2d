import { appendFile, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { commitCommand, resetCommand, tagCommand } from "./fast-import.ts";
import type { FileChange } from "./fast-import.ts";
import type { Git } from "./git.ts";
import { createDescribeObject } from "./objects.ts";
import type { DescribeObject } from "./objects.ts";
import { FIRST_COMMIT_SECONDS, sampleContent } from "./sample-content.ts";
import type { SampleName } from "./sample-content.ts";

/** A file's new content; undefined deletes it. */
export type Files = Readonly<Record<string, string | Uint8Array | undefined>>;

/** A bare repository and the changes a test makes to it; changes run one after the other. */
export interface Repository {
  readonly git: Git;
  readonly directory: string;
  readonly defaultBranch: string;
  readonly describe: DescribeObject;
  /** A new commit on `branch`, which starts at the default branch where it is new; returns the commit's id. */
  commit(branch: string, files: Files): Promise<string>;
  /** A tag on the commit that `target` (a full ref or a commit id) names; replaces a tag of that name. */
  createTag(name: string, target: string, annotated?: boolean): Promise<void>;
  deleteRef(ref: string): Promise<void>;
  /** Branches `many/0000000`, ... in packed-refs, all at the default branch's commit. */
  addManyRefs(count: number): Promise<void>;
}

export interface RepositoryOptions {
  readonly git: Git;
  /** Where the repositories lie. */
  readonly root: string;
  readonly name: SampleName;
  readonly bigFileBytes: number;
}

// Random bytes do not shrink, and trying would cost the start two seconds. Large blobs are streamed, never held whole.
// A push must not start a garbage collection in the middle of a measurement.
const CONFIGURATION = `
[core]
\tcompression = 0
\tbigFileThreshold = 1m
[fastimport]
\tunpackLimit = 1
[http]
\treceivepack = true
[receive]
\tautogc = false
[gc]
\tauto = 0
[uploadpack]
\tallowAnySHA1InWant = true
`;

const DEFAULT_BRANCH = "main";

export async function createRepository(options: RepositoryOptions): Promise<Repository> {
  const { git, root, name, bigFileBytes } = options;
  const directory = join(root, `${name}.git`);
  await git.run([
    "init",
    "--quiet",
    "--bare",
    "--template=",
    `--initial-branch=${DEFAULT_BRANCH}`,
    directory,
  ]);
  await appendFile(join(directory, "config"), CONFIGURATION);
  // One pack for the samples; later changes are few and stay loose objects.
  await git.run(
    ["-C", directory, "-c", "fastimport.unpackLimit=1", "fast-import", "--quiet"],
    sampleContent(name, bigFileBytes),
  );
  const describe = createDescribeObject(git, directory);
  return {
    git,
    directory,
    defaultBranch: DEFAULT_BRANCH,
    describe,
    ...createChanges(git, directory, describe),
  };
}

type Changes = Pick<Repository, "commit" | "createTag" | "deleteRef" | "addManyRefs">;

function createChanges(git: Git, directory: string, describe: DescribeObject): Changes {
  const inTurn = createTurns();
  let changes = 0;
  // An hour after the samples, a minute apart: two changes never share a second.
  const nextSecond = () => FIRST_COMMIT_SECONDS + 3600 + 60 * ++changes;

  async function commit(branch: string, files: Files) {
    const ref = `refs/heads/${branch}`;
    const exists = (await describe(ref)) !== undefined;
    const from = `${exists ? ref : `refs/heads/${DEFAULT_BRANCH}`}^0`;
    const message = `Change ${branch}`;
    const command = commitCommand({
      ref,
      mark: 1,
      from,
      message,
      seconds: nextSecond(),
      changes: fileChanges(files),
    });
    const output = await fastImport(git, directory, concat(command, ["get-mark :1\n"]));
    return output.trim();
  }

  async function createTag(name: string, target: string, annotated = false) {
    const from = `${target}^0`;
    const command = annotated
      ? tagCommand(name, from, nextSecond())
      : resetCommand(`refs/tags/${name}`, from);
    await fastImport(git, directory, command);
  }

  async function deleteRef(ref: string) {
    await git.run(["-C", directory, "update-ref", "-d", ref]);
  }

  async function addManyRefs(count: number) {
    const tip = await describe(`refs/heads/${DEFAULT_BRANCH}`);
    if (tip === undefined) throw new Error(`Cannot add refs to ${directory}: it has no ${DEFAULT_BRANCH}`);
    await git.run(["-C", directory, "pack-refs", "--all"]);
    await addPackedRefs(join(directory, "packed-refs"), tip.oid, count);
  }

  return {
    commit: (branch, files) => inTurn(() => commit(branch, files)),
    createTag: (name, target, annotated) => inTurn(() => createTag(name, target, annotated)),
    deleteRef: (ref) => inTurn(() => deleteRef(ref)),
    addManyRefs: (count) => inTurn(() => addManyRefs(count)),
  };
}

function fileChanges(files: Files): FileChange[] {
  return Object.entries(files).map(([path, content]) =>
    content === undefined ? { path, mode: "deleted" } : { path, mode: "100644", content },
  );
}

async function fastImport(
  git: Git,
  directory: string,
  stream: Iterable<string | Uint8Array>,
): Promise<string> {
  // --force: a tag may move to where its old commit is not an ancestor.
  return git.run(["-C", directory, "fast-import", "--quiet", "--force"], stream);
}

function* concat<T>(...parts: readonly Iterable<T>[]): Generator<T, void> {
  for (const part of parts) yield* part;
}

function createTurns(): <T>(change: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (change) => {
    const mine = last.then(change);
    last = mine.catch(() => {});
    return mine;
  };
}

/** Git searches packed-refs by halves, so the new lines go where their names sort; a `^` line belongs to the ref above it. */
async function addPackedRefs(path: string, oid: string, count: number): Promise<void> {
  const text = await readFile(path, "latin1");
  const entries = new Map<string, string>();
  let header = "";
  let ref = "";
  for (const line of text.split("\n")) {
    if (line.startsWith("#")) header = `${line}\n`;
    else if (line.startsWith("^")) entries.set(ref, `${entries.get(ref)}${line}\n`);
    else if (line !== "") entries.set((ref = line.slice(41)), `${line}\n`);
  }
  for (let number = 0; number < count; number++) {
    const name = `refs/heads/many/${String(number).padStart(7, "0")}`;
    entries.set(name, `${oid} ${name}\n`);
  }
  const lines = [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, line]) => line);
  await writeFile(`${path}.new`, header + lines.join(""), "latin1");
  await rename(`${path}.new`, path);
}
