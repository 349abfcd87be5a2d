import { merged, NO_CHANGES, withPush, type Changes } from "./changes.ts";

/**
 * What is known of a ref is asked for again: of that of a full name, or of the branch and the tag of a short one. Told as pushes
 * that do not say what they moved, which nothing known can be followed along. Where the ref may be the one that HEAD is, all
 * refs are: what is known of HEAD may be known by any name.
 */
export function withRefAskedAgain(changes: Changes, ref: string, at: number): Changes {
  if (mayBeHead(changes, ref)) return merged(changes, { ...NO_CHANGES, at, refsAt: at });
  const names = ref.startsWith("refs/") ? [ref] : [`refs/heads/${ref}`, `refs/tags/${ref}`, `refs/${ref}`];
  return names.reduce((told, name) => withPush(told, vaguePush(name), at), changes);
}

/** One pipeline and its jobs are asked for again, and no list. */
export function withPipelineAskedAgain(changes: Changes, id: string, at: number): Changes {
  return merged(changes, { ...NO_CHANGES, at, pipelines: [{ id, at }] });
}

function mayBeHead({ defaultBranch }: Changes, ref: string): boolean {
  if (ref === "HEAD") return true;
  if (ref.startsWith("refs/") && !ref.startsWith("refs/heads/")) return false;
  return defaultBranch === undefined || [defaultBranch, `heads/${defaultBranch}`].includes(shortOf(ref));
}

function shortOf(ref: string): string {
  return ref.replace(/^refs\/heads\//, "");
}

function vaguePush(ref: string): Parameters<typeof withPush>[1] {
  return {
    kind: "push",
    project: [],
    ref,
    before: undefined,
    after: undefined,
    isOfCommits: false,
    defaultBranch: undefined,
  };
}
