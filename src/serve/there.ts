import { isImmutable } from "../core/pin.ts";
import type { Target } from "../core/target.ts";
import { isNumbered } from "./granted.ts";
import { thereKey } from "./keys.ts";
import { isRevisionFresh, isRevisionUsable, isTolerable } from "./revision-life.ts";
import type { Visit } from "./visit.ts";

/*
 * A full id says for ever what the bytes are, but not that they are still the project's: its name may be given to another one,
 * whose readers may not see them. So that a commit or blob is there is a fact like what a branch stands for, and believed as long.
 */

/** Whether it takes a fact to know that what a target names in full is there; a number always means the same project. */
export function isToBeThere(target: Target): boolean {
  return isImmutable(target) && !isNumbered(target);
}

/** What memory knows of it: `ageing` is to be asked for again behind the response. */
export function isThereHot(visit: Visit): "yes" | "ageing" | "unknown" {
  if (!isToBeThere(visit.target)) return "yes";
  const record = visit.isolate.ports.revisions.hot(thereKey(visit));
  if (record === undefined || !isRevisionUsable(visit, record)) return "unknown";
  return isRevisionFresh(visit, record) ? "yes" : "ageing";
}

/** Looks where other isolates of the colo may have left that it is there, not long ago. */
export async function findThere(visit: Visit): Promise<void> {
  const { revisions } = visit.isolate.ports;
  await revisions.findNear(thereKey(visit), (record) => isRevisionFresh(visit, record));
}

/** Whether what was known may stand in for an origin that does not answer. */
export function isThereTolerably(visit: Visit): boolean {
  if (!isToBeThere(visit.target)) return true;
  const record = visit.isolate.ports.revisions.hot(thereKey(visit));
  return record !== undefined && isTolerable(visit, record);
}

/** The origin has just said to this asker that it is there. */
export function noteThere(visit: Visit, at: number): void {
  const { target, isolate } = visit;
  if (target.lane !== "raw" || !isToBeThere(target)) return;
  const { name } = target;
  if (name.kind !== "commit" && name.kind !== "blob") return;
  const { REF_S, STALE_IF_ERROR_S } = isolate.ports.config.limits;
  const record = { at, kind: "commit", oid: name.oid, seen: visit.seen } as const;
  visit.defer(isolate.ports.revisions.put(thereKey(visit), record, { coloS: REF_S + STALE_IF_ERROR_S }));
}
