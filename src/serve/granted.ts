import { isAlive } from "../core/freshness.ts";
import { isProjectNumber } from "../core/project-number.ts";
import { seenIn, type Revision } from "../core/revision.ts";
import type { Target } from "../core/target.ts";
import { NOBODY } from "./asker.ts";
import { grantKey } from "./keys.ts";
import type { Learned, Visit } from "./visit.ts";

type Admitted = Extract<Learned, { readonly kind: "admitted" }>;

/** Lets a request in by a verdict. */
export function admitBy(visit: Visit, { at, seen }: Omit<Admitted, "kind">): void {
  visit.admittedAt = at;
  visit.seen = seen;
}

/**
 * Whether a revision is of the very project, object or archive that the asker was let into. A name may be given to another one, which
 * no later answer says: then one who may read the new one is not shown the old one, nor one who could read the old object the new.
 * All of a project's code is read by the same people, so what was learned of it after its grant is of it too, as far as a grant
 * is believed at all; and a number is never given to another project.
 */
export function isOfGranted({ target, admittedAt, seen }: Visit, revision: Revision): boolean {
  if (revision.kind === "crowded" || revision.kind === "uncacheable") return true; // nothing is shown by them
  if (seen !== undefined && seenIn(revision) === seen) return true;
  return target.lane === "raw" && (isNumbered(target) || revision.at >= admittedAt);
}

/** Whether a target names its project by a number. */
export function isNumbered(target: Target): boolean {
  return target.lane === "raw" && target.channel === "api" && isProjectNumber(target.project);
}

/** Whether nobody in particular may read this too, as far as is known without asking. */
export function isReadableByAnyone(visit: Visit): boolean {
  if (visit.asker === NOBODY) return true;
  const { grants, now, config } = visit.isolate.ports;
  const grant = grants.hot(grantKey(visit, NOBODY));
  if (grant?.kind !== "yes" || !isAlive(grant.at, now(), config.limits.GRANT_S * 1000)) return false;
  if (grant.seen === visit.seen) return true;
  const isUnseen = grant.seen === undefined || visit.seen === undefined;
  return visit.target.lane === "raw" && isUnseen; // else the name may stand for something else by now
}
