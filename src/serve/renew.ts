import { judge } from "../core/freshness.ts";
import type { Question } from "../core/question.ts";
import { ask } from "./ask.ts";
import { grantLifetime, isGrantUsable } from "./grant-life.ts";
import { grantKey, revisionKey } from "./keys.ts";
import { isRevisionFresh } from "./revision-life.ts";
import { revisionsOf } from "./revisions.ts";
import { shareWork } from "./shared-work.ts";
import type { Learned, Visit } from "./visit.ts";

/**
 * Renews a grant, and with it the revision, behind the response; a failure leaves them to their end. What another isolate
 * of the colo has learned since is taken from there, so that a colo asks once and not each of its isolates.
 */
export function renew(visit: Visit, question: Question): void {
  shareWork(
    visit,
    visit.isolate.asked,
    grantKey(visit),
    async () => (await renewedNearby(visit, question)) ?? (await ask(visit, question)),
  );
}

/** The grant, if both it and the revision are fresh here or in the colo. */
async function renewedNearby(visit: Visit, question: Question): Promise<Learned | undefined> {
  const { grants, now } = visit.isolate.ports;
  const grant = await grants.findNear(
    grantKey(visit),
    (record) =>
      record.kind === "yes" &&
      isGrantUsable(visit, record) &&
      judge(record.at, now(), grantLifetime(visit, record)) === "fresh",
  );
  if (grant?.record.kind !== "yes") return undefined;
  const { at, seen } = grant.record;
  if (!(await isRevisionRenewed(visit, question, at))) return undefined;
  return { kind: "admitted", at, seen };
}

/** Whether the revision is fresh too, with what was learned of it along with the grant. */
async function isRevisionRenewed(visit: Visit, question: Question, grantAt: number): Promise<boolean> {
  const key = revisionKey(visit, question);
  if (key === undefined) return true;
  const revisions = revisionsOf(visit);
  await revisions.findNear(key, ({ at }) => at >= grantAt);
  const record = revisions.hot(key);
  return record !== undefined && isRevisionFresh(visit, record);
}
