import type { RawTarget } from "../core/target.ts";
import type { MemoryStore } from "../core/store.ts";

/** How often each file of a project was asked for, in this stretch of time and the one before. */
type Stretch = { readonly since: number; readonly counts: Map<RawTarget, number> };
export type AskedFiles = { now: Stretch; before: Stretch };

/** How long a stretch is. */
const STRETCH_MS = 300_000;
/** How many files of a project are counted at once. */
const MOST_FILES = 200;

/** Counts a file of a project (by its key) that was answered from memory; answers that are given again within their second count as one. */
export function noteAsked(asked: MemoryStore<AskedFiles>, key: string, target: RawTarget, now: number): void {
  if (target.name.kind !== "joined" && target.name.kind !== "ref") return;
  const files = filesOf(asked, key, now);
  const { counts } = files.now;
  const count = counts.get(target);
  if (count !== undefined || counts.size < MOST_FILES) counts.set(target, (count ?? 0) + 1);
}

/** The files of a branch that were asked for most in the last minutes, the most wanted first. */
export function mostAsked(
  asked: MemoryStore<AskedFiles>,
  key: string,
  { branch, isDefault, now }: { readonly branch: string; readonly isDefault: boolean; readonly now: number },
): readonly RawTarget[] {
  const { now: current, before } = filesOf(asked, key, now);
  const counts = new Map(before.counts);
  for (const [target, count] of current.counts) counts.set(target, (counts.get(target) ?? 0) + count);
  return [...counts]
    .filter(([target]) => isOfBranch(target, branch, isDefault))
    .toSorted(([, one], [, other]) => other - one)
    .map(([target]) => target);
}

function filesOf(asked: MemoryStore<AskedFiles>, key: string, now: number): AskedFiles {
  const known = asked.get(key) ?? { now: emptyAt(now), before: emptyAt(now) };
  const age = now - known.now.since;
  if (age >= STRETCH_MS) {
    known.before = age >= 2 * STRETCH_MS ? emptyAt(now) : known.now;
    known.now = emptyAt(now);
  }
  asked.set(key, known);
  return known;
}

function emptyAt(since: number): Stretch {
  return { since, counts: new Map() };
}

function isOfBranch({ name }: RawTarget, branch: string, isDefault: boolean): boolean {
  if (name.kind === "joined") return name.text.startsWith(`${branch}/`);
  return name.kind === "ref" && (name.ref === branch || (isDefault && name.ref === "HEAD"));
}
