import type { Rendering } from "../../core/pipelines/rendering.ts";
import { ask } from "../ask.ts";
import { grantKey, renderingKey, standingKey } from "../keys.ts";
import { shareWork } from "../shared-work.ts";
import type { Learned } from "../visit.ts";
import { isMadeHere, makeShared, makingKey } from "./database.ts";
import { POLL, POLL_IN_FULL, type ListVisit } from "./list-visit.ts";
import type { Shown } from "./shown.ts";

/** One who was told a rendering asks for all who were; what another asker was refused is not this one's answer. */
export async function learnShared(visit: ListVisit, rendering: Rendering): Promise<Learned> {
  const { joined, result } = shareWork(visit, visit.isolate.asked, renewalKey(visit, rendering), () =>
    ask(visit, POLL),
  );
  const learned = await result;
  visit.trace.revision = { kind: "forwarded", reason: "miss", collapsed: joined };
  return joined && learned.kind !== "admitted" ? { kind: "admitted", at: visit.admittedAt } : learned;
}

/** Asks as this asker; requests of one asker share a question, unless each is to be asked for. */
export async function learnAlone(visit: ListVisit): Promise<{ joined: boolean; learned: Learned }> {
  const { asked, ports } = visit.isolate;
  const work = () => ask(visit, POLL);
  const isAlways = ports.config.limits.GRANT_S === 0;
  const { joined, result } = isAlways
    ? { joined: false, result: work() }
    : shareWork(visit, asked, standingKey(visit, visit.target), work);
  const learned = await result;
  visit.trace.revision = { kind: "forwarded", reason: "miss", collapsed: joined };
  return { joined, learned };
}

/** Asks for all of it, whatever is known. */
export async function learnInFull(visit: ListVisit): Promise<Learned> {
  return await ask(visit, POLL_IN_FULL);
}

/** Asks again behind the response, where it is time to. */
export function renew(visit: ListVisit, { state, rendering }: Shown): void {
  const { asked } = visit.isolate;
  if (state === "ageing" && isMadeHere(visit)) visit.defer(makeShared(visit));
  else if (state === "ageing") shareWork(visit, asked, renewalKey(visit, rendering), () => ask(visit, POLL));
  else if (state === "doubtful" && !asked.isUnderWay(grantKey(visit)))
    shareWork(visit, asked, standingKey(visit, visit.target), () => ask(visit, POLL));
}

/** Whether somebody is asking already whether a rendering still is what it was. */
export function isBeingRenewed(visit: ListVisit, rendering: Rendering): boolean {
  return visit.isolate.asked.isUnderWay(isMadeHere(visit) ? makingKey(visit) : renewalKey(visit, rendering));
}

function renewalKey(visit: ListVisit, { tag }: Rendering): string {
  return `renew ${renderingKey(visit, visit.target, tag)}`;
}
