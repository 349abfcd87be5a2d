import type { Repository } from "../repositories.ts";
import { NO_OBJECT } from "./webhooks.ts";
import type { PushedRef } from "./webhooks.ts";

type Refs = ReadonlyMap<string, string>;

/** Makes changes to repositories and gives what became of their branches and tags; changes of one repository wait for each other. */
export function createPushWatch(): <T>(
  repository: Repository,
  change: () => Promise<T>,
) => Promise<{ readonly result: T; readonly pushed: readonly PushedRef[] }> {
  const last = new Map<Repository, Promise<unknown>>();
  return (repository, change) => {
    const mine = (last.get(repository) ?? Promise.resolve()).then(async () => {
      const before = await readRefs(repository);
      const result = await change();
      return { result, pushed: pushedRefs(before, await readRefs(repository)) };
    });
    // Whoever made a change hears of its failure; the next one does not wait for more than its end.
    last.set(
      repository,
      mine.catch(() => {}),
    );
    return mine;
  };
}

/** What differs, by the full names of refs. */
export function pushedRefs(before: Refs, after: Refs): PushedRef[] {
  const refs = [...new Set([...before.keys(), ...after.keys()])].toSorted();
  return refs
    .map((ref) => ({ ref, before: before.get(ref) ?? NO_OBJECT, after: after.get(ref) ?? NO_OBJECT }))
    .filter((moved) => moved.before !== moved.after);
}

async function readRefs({ git, directory }: Repository): Promise<Refs> {
  const output = await git.run([
    "-C",
    directory,
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    "refs/heads",
    "refs/tags",
  ]);
  const lines = output.split("\n").filter((line) => line !== "");
  return new Map(lines.map((line) => [line.slice(41), line.slice(0, 40)]));
}
