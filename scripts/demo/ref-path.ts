import { isFullCommitId, refExists } from "./revisions.ts";
import type { RefNamespace } from "./revisions.ts";
import type { Repository } from "./repositories.ts";

/** A ref and a path, taken apart where a URL has them in one string. */
export interface RefPath {
  readonly ref: string;
  readonly path: string;
}

/** Every way to cut a string into a ref and a path, shortest ref first. */
export function refPathCuts(refAndPath: string): RefPath[] {
  const segments = refAndPath.split("/");
  return segments.slice(1).map((_, index) => ({
    ref: segments.slice(0, index + 1).join("/"),
    path: segments.slice(index + 1).join("/"),
  }));
}

/** GitLab's rule: a full commit id, else the longest ref, else the first segment. */
export async function splitLongestRef(
  repository: Repository,
  refAndPath: string,
): Promise<RefPath | undefined> {
  const cuts = refPathCuts(refAndPath);
  const [first] = cuts;
  if (first === undefined || isFullCommitId(first.ref)) return first;
  const known = await cutsWithRef(repository, cuts, ["refs/heads/", "refs/tags/"]);
  return known.at(-1) ?? first;
}

/** Gitea's rule: the first cut, from the left, whose ref exists. */
export async function splitFirstRef(
  repository: Repository,
  refAndPath: string,
  namespace: RefNamespace,
): Promise<RefPath | undefined> {
  const known = await cutsWithRef(repository, refPathCuts(refAndPath), [namespace]);
  return known[0];
}

async function cutsWithRef(
  repository: Repository,
  cuts: readonly RefPath[],
  namespaces: readonly RefNamespace[],
) {
  const exists = await Promise.all(cuts.map((cut) => refExists(repository, cut.ref, namespaces)));
  return cuts.filter((_, index) => exists[index]);
}
