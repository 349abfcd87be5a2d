import type { Ref } from "../ref-path.ts";
import type { Revision } from "../revision.ts";
import { toldAt, type Changes, type Push } from "./changes.ts";

/**
 * A revision as it is after all that was told since it was learned: the very same, or with the refs that were pushed meanwhile;
 * `undefined` where what was told does not fit what was known, so that only the origin can say.
 *
 * Pushes are followed from commit to commit, whatever order they were told in: from where the ref was known to be, along the
 * push that begins there, and so on. Where two begin at one commit, where they lead round, or where none leads on from a
 * commit that is on no push's way, it is not known which came last. What was told before the revision was learned leads
 * nowhere, but shows where a push that comes late may be from.
 *
 * `name` is the ref that was asked for, where the revision is of one; of refs, what those begin like that were asked for.
 */
export function believed(
  record: Revision,
  changes: Changes | undefined,
  name: string | undefined,
): Revision | undefined {
  if (changes === undefined || record.at > changes.at) return record;
  if (record.at <= changes.refsAt || record.at <= changes.accessAt) return undefined;
  const isNews = changes.pushes.some((push) => record.at <= toldAt(push));
  if (!isNews || record.kind === "crowded") return record;
  if (record.kind === "refs") return withRefs(record, changes, name);
  if (record.kind === "commit") return withCommit(record, changes, name);
  return undefined;
}

type Refs = Extract<Revision, { kind: "refs" }>;
type Commit = Extract<Revision, { kind: "commit" }>;

function withRefs(record: Refs, changes: Changes, name: string | undefined): Refs | undefined {
  const known = new Map(record.refs.map((ref) => [ref.name, ref.oid]));
  const refs = new Map(known);
  for (const ref of new Set(changes.pushes.map((push) => push.ref))) {
    if (!beginsLike(ref, name)) continue;
    const now = follow(known.get(ref), told(changes, ref, record.at));
    if (now.kind === "unclear") return undefined;
    set(refs, ref, now.oid);
  }
  const head = followHead(known.get("HEAD"), changes, record.at, known);
  if (head.kind === "unclear") return undefined;
  set(refs, "HEAD", head.oid);
  return { ...record, refs: [...refs].map(([ref, oid]): Ref => ({ name: ref, oid })) };
}

function set(refs: Map<string, string>, name: string, oid: string | undefined): void {
  if (oid === undefined) refs.delete(name);
  else refs.set(name, oid);
}

/** Whether a ref is one of those that were asked for: others are not listed, whether they exist or not. */
function beginsLike(ref: string, name: string | undefined): boolean {
  if (name === undefined) return true;
  if (name.startsWith("refs/")) return ref.startsWith(name);
  return ref.startsWith(`refs/heads/${name}`) || ref.startsWith(`refs/tags/${name}`);
}

/** What no name of a ref has in it (git-check-ref-format(1)), and gitrevisions(7) may follow from any ref. */
const EXPRESSION = /[~^:?*[\\\s]|\.\.|@\{|^@$/;

function withCommit(record: Commit, changes: Changes, name: string | undefined): Commit | undefined {
  if (name === undefined || EXPRESSION.test(name)) return undefined;
  if (name === "HEAD") return at(record, followHead(record.oid, changes, record.at));
  const full = name.startsWith("refs/")
    ? [name]
    : [`refs/${name}`, `refs/heads/${name}`, `refs/tags/${name}`];
  const all = full.map((ref) => told(changes, ref, record.at));
  const [ref, second] = all.filter(({ since }) => since.length > 0);
  if (second !== undefined) return undefined; // which of the two the name stands for is the forge's rule
  return ref === undefined ? record : at(record, follow(record.oid, ref));
}

function at(record: Commit, now: Now): Commit | undefined {
  return now.kind === "unclear" || now.oid === undefined ? undefined : { ...record, oid: now.oid };
}

/** HEAD is the default branch: as far as that is told, and what was listed beside it does not say otherwise. */
function followHead(
  oid: string | undefined,
  changes: Changes,
  since: number,
  listed?: ReadonlyMap<string, string>,
): Now {
  const { defaultBranch, pushes } = changes;
  const ref = `refs/heads/${defaultBranch}`;
  const beside = listed?.get(ref) ?? oid;
  if (defaultBranch !== undefined && beside === oid) return follow(oid, told(changes, ref, since));
  const isAffected = pushes.some(
    (push) =>
      push.ref.startsWith("refs/heads/") &&
      (push.isVague === true || push.before === oid) &&
      since <= toldAt(push),
  );
  return isAffected ? UNCLEAR : { kind: "oid", oid };
}

/** What was told of a ref, after a moment and before. */
type Told = { readonly since: readonly Push[]; readonly earlier: readonly Push[] };

function told({ pushes }: Changes, ref: string, moment: number): Told {
  const all = pushes.filter((push) => push.ref === ref);
  return {
    since: all.filter((push) => moment <= toldAt(push)),
    earlier: all.filter((push) => push.at < moment),
  };
}

type Now = { readonly kind: "oid"; readonly oid: string | undefined } | { readonly kind: "unclear" };

const UNCLEAR: Now = { kind: "unclear" };

/** All pushes must be on one way without a fork, before or after where the ref is known to have been. */
function follow(from: string | undefined, { since, earlier }: Told): Now {
  if (since.length === 0) return { kind: "oid", oid: from };
  if (since.some((push) => push.isVague === true)) return UNCLEAR;
  const onward = walk(from, since, ({ before, after }) => ({ at: before, to: after }));
  if (onward === undefined) return UNCLEAR;
  const commits = [from, ...onward.map(({ after }) => after)];
  if (earlier.some(({ before }) => commits.includes(before))) return UNCLEAR; // it was there before, and may be from then
  const late = since.filter((push) => !onward.includes(push));
  const back =
    late.length === 0
      ? []
      : walk(from, [...new Set([...late, ...earlier])], ({ before, after }) => ({ at: after, to: before }));
  const isAll = back !== undefined && late.every((push) => back.includes(push));
  return isAll ? { kind: "oid", oid: commits.at(-1) } : UNCLEAR;
}

/** The pushes that lead on from a commit, one after the other; `undefined` where they fork or lead round. */
function walk(
  from: string | undefined,
  pushes: readonly Push[],
  read: (push: Push) => { readonly at: string | undefined; readonly to: string | undefined },
): readonly Push[] | undefined {
  const way: Push[] = [];
  for (let end = from; way.length <= pushes.length;) {
    const [next, second] = pushes.filter((push) => read(push).at === end);
    if (second !== undefined) return undefined;
    if (next === undefined) return way;
    way.push(next);
    end = read(next).to;
  }
  return undefined;
}
