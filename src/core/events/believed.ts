import type { Ref } from "../ref-path.ts";
import type { Revision } from "../revision.ts";
import type { Changes, Push } from "./changes.ts";

/**
 * A revision as it is after all that was told since it was learned: the very same, or with the refs that were pushed meanwhile;
 * `undefined` where what was told does not fit what was known, so that only the origin can say.
 *
 * Pushes are followed from commit to commit, whatever order they were told in: from where the ref was known to be, along the
 * push that begins there, and so on. Where two begin at one commit, where they lead round, or where none leads on from a
 * commit that is on no push's way, it is not known which came last.
 *
 * `name` is the ref that was asked for, where the revision is of one.
 */
export function believed(
  record: Revision,
  changes: Changes | undefined,
  name: string | undefined,
): Revision | undefined {
  if (changes === undefined || record.at > changes.at) return record;
  if (record.at <= changes.refsAt || record.at <= changes.accessAt) return undefined;
  const pushes = changes.pushes.filter((push) => record.at <= Math.max(push.at, push.againAt ?? 0));
  if (pushes.length === 0 || record.kind === "crowded") return record;
  if (record.kind === "refs") return withRefs(record, pushes, changes.defaultBranch);
  if (record.kind === "commit") return withCommit(record, pushes, { name, ...changes });
  return undefined;
}

type Refs = Extract<Revision, { kind: "refs" }>;
type Commit = Extract<Revision, { kind: "commit" }>;

function withRefs(
  record: Refs,
  pushes: readonly Push[],
  defaultBranch: string | undefined,
): Refs | undefined {
  const refs = new Map(record.refs.map(({ name, oid }) => [name, oid]));
  for (const name of new Set(pushes.map(({ ref }) => ref))) {
    const now = follow(refs.get(name), ofRef(pushes, name));
    if (now.kind === "unclear") return undefined;
    if (now.oid === undefined) refs.delete(name);
    else refs.set(name, now.oid);
  }
  const head = refs.get("HEAD");
  if (head !== undefined) {
    const now = followHead(head, pushes, defaultBranch);
    if (now.kind === "unclear" || now.oid === undefined) return undefined;
    refs.set("HEAD", now.oid);
  }
  return { ...record, refs: [...refs].map(([ref, oid]): Ref => ({ name: ref, oid })) };
}

function withCommit(
  record: Commit,
  pushes: readonly Push[],
  { name, defaultBranch }: { name: string | undefined; defaultBranch?: string },
): Commit | undefined {
  if (name === undefined) return undefined;
  if (name === "HEAD") return at(record, followHead(record.oid, pushes, defaultBranch));
  const full = name.startsWith("refs/") ? [name] : [`refs/heads/${name}`, `refs/tags/${name}`];
  const meant = full.filter((ref) => ofRef(pushes, ref).length > 0);
  const [ref, second] = meant;
  if (second !== undefined) return undefined; // which of the two the name stands for is the forge's rule
  return ref === undefined ? record : at(record, follow(record.oid, ofRef(pushes, ref)));
}

function at(record: Commit, now: Now): Commit | undefined {
  return now.kind === "unclear" || now.oid === undefined ? undefined : { ...record, oid: now.oid };
}

function followHead(oid: string, pushes: readonly Push[], defaultBranch: string | undefined): Now {
  if (defaultBranch !== undefined) return follow(oid, ofRef(pushes, `refs/heads/${defaultBranch}`));
  const isAffected = pushes.some(({ ref, before }) => ref.startsWith("refs/heads/") && before === oid);
  return isAffected ? UNCLEAR : { kind: "oid", oid };
}

function ofRef(pushes: readonly Push[], name: string): readonly Push[] {
  return pushes.filter(({ ref }) => ref === name);
}

type Now = { readonly kind: "oid"; readonly oid: string | undefined } | { readonly kind: "unclear" };

const UNCLEAR: Now = { kind: "unclear" };

/** All pushes must make one way without a fork, and the ref must be known to have been on it. */
function follow(from: string | undefined, pushes: readonly Push[]): Now {
  if (pushes.length === 0) return { kind: "oid", oid: from };
  if (pushes.some(({ isVague, againAt }) => isVague === true || (againAt ?? 0) > 0)) return UNCLEAR;
  const onward = walk(from, pushes, ({ before, after }) => ({ at: before, to: after }));
  const back = walk(from, pushes, ({ before, after }) => ({ at: after, to: before }));
  const isAll = onward !== undefined && back !== undefined && onward.steps + back.steps === pushes.length;
  return isAll ? { kind: "oid", oid: onward.end } : UNCLEAR;
}

/** How far the pushes lead from a commit; `undefined` where they fork or lead round. */
function walk(
  from: string | undefined,
  pushes: readonly Push[],
  read: (push: Push) => { readonly at: string | undefined; readonly to: string | undefined },
): { readonly end: string | undefined; readonly steps: number } | undefined {
  const ways = pushes.map(read);
  let end = from;
  for (let steps = 0; steps <= pushes.length; steps++) {
    const leading = ways.filter(({ at: begin }) => begin === end);
    const [way, second] = leading;
    if (second !== undefined) return undefined;
    if (way === undefined) return { end, steps };
    end = way.to;
  }
  return undefined;
}
