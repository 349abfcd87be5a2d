import { canNarrow, questionFor, type Question } from "../core/question.ts";
import type { Target } from "../core/target.ts";
import { revisionKey } from "./keys.ts";
import { revisionsOf } from "./revisions.ts";
import type { Visit } from "./visit.ts";

/** Questions are remembered with their targets, as their keys are remembered with them. */
const remembered = {
  carried: new WeakMap<Target, Question[]>(),
  replayed: new WeakMap<Target, Question[]>(),
};

/** The question for a target's name, `depth` segments into a joined one. */
export function questionAt({ site, target, asker }: Visit, depth: number): Question {
  const { principal } = asker;
  const isForge = target.lane === "raw" && "carriedByGit" in principal;
  const byTarget = isForge && !principal.carriedByGit ? remembered.replayed : remembered.carried;
  const known = byTarget.get(target) ?? [];
  const question =
    known[depth] ?? (isForge ? questionFor(site.kind, principal, target, depth) : { via: "object" });
  known[depth] = question;
  byTarget.set(target, known);
  return question;
}

/** The question to ask now: as deep into a joined name as shorter beginnings are known to be too crowded. */
export function questionNow(visit: Visit): { readonly question: Question; readonly depth: number } {
  for (let depth = 1; ; depth++) {
    const question = questionAt(visit, depth);
    const key = revisionKey(visit, question);
    const record = key === undefined ? undefined : revisionsOf(visit).hot(key);
    if (record?.kind !== "crowded" || !isNarrowable(visit, depth)) return { question, depth };
  }
}

/** Whether a crowded name can be asked for with one more segment. */
export function isNarrowable({ target }: Visit, depth: number): boolean {
  return target.lane === "raw" && canNarrow(target, depth);
}
