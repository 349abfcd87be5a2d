import type { GitObject } from "./objects.ts";
import type { Repository } from "./repositories.ts";

export type RefNamespace = "refs/heads/" | "refs/tags/";

const FULL_COMMIT_ID = /^[0-9a-f]{40}$/;
const SHORT_COMMIT_ID = /^[0-9a-f]{4,40}$/;
// What git-check-ref-format(1) refuses, and with it every revision expression (`main~1`, `HEAD^`, `@{1}`).
const NOT_A_REF = /[\0- \x7f~^:?*[\\]|\.\.|@\{|\/\/|^[-/.]|\/\.|\/$|\.lock(\/|$)|\.$|^@$/;

export function isFullCommitId(name: string): boolean {
  return FULL_COMMIT_ID.test(name);
}

/** Whether a branch or a tag has this name. */
export async function refExists(
  repository: Repository,
  name: string,
  namespaces: readonly RefNamespace[],
): Promise<boolean> {
  if (name === "" || NOT_A_REF.test(name)) return false;
  const found = await Promise.all(namespaces.map((namespace) => repository.describe(namespace + name)));
  return found.some((ref) => ref !== undefined);
}

/** The commit that a full ref (`refs/heads/main`) or a commit id stands for. */
export async function commitOf(repository: Repository, name: string): Promise<string | undefined> {
  if (NOT_A_REF.test(name)) return undefined;
  return (await repository.describe(`${name}^{commit}`))?.oid;
}

/**
 * The commit a name stands for: a full commit id before any ref, `HEAD`, a full ref, a ref of the first namespace that has it,
 * and at last a short commit id.
 */
export async function resolveRevision(
  repository: Repository,
  name: string,
  namespaces: readonly RefNamespace[],
): Promise<string | undefined> {
  if (isFullCommitId(name) || name === "HEAD" || name.startsWith("refs/")) return commitOf(repository, name);
  for (const namespace of namespaces) {
    const commit = await commitOf(repository, namespace + name);
    if (commit !== undefined) return commit;
  }
  return SHORT_COMMIT_ID.test(name) ? commitOf(repository, name) : undefined;
}

/** The file at a path of a commit; directories, submodules and what is not there are undefined. */
export async function blobAt(
  repository: Repository,
  commit: string,
  path: string,
): Promise<GitObject | undefined> {
  if (path === "" || path.startsWith("/") || path.endsWith("/")) return undefined;
  const object = await repository.describe(`${commit}:${path}`);
  return object?.type === "blob" ? object : undefined;
}

export interface LastChange {
  readonly commit: string;
  readonly seconds: number;
}

/** The commit that last touched a path, and when, in seconds since 1970. */
export async function lastChange(repository: Repository, commit: string, path: string): Promise<LastChange> {
  const output = await repository.git.run([
    "-C",
    repository.directory,
    "--literal-pathspecs",
    "log",
    "-1",
    "--format=%H %ct",
    commit,
    "--",
    path,
  ]);
  const [id = commit, seconds = "0"] = output.trim().split(" ");
  return { commit: id, seconds: Number(seconds) };
}

/** Whether git stores the file as executable. */
export async function isExecutable(repository: Repository, commit: string, path: string): Promise<boolean> {
  const output = await repository.git.run(["-C", repository.directory, "ls-tree", "-z", commit, "--", path]);
  return output.startsWith("100755");
}
