import { COLLAPSED, MISS } from "../core/cache-status.ts";
import { LIMITS } from "../core/config.ts";
import { isAlive, judge, secondsLeft } from "../core/freshness.ts";
import type { Grant } from "../core/grant.ts";
import type { Question } from "../core/question.ts";
import type { Tier } from "../core/store.ts";
import { ask } from "./ask.ts";
import { grantLifetime, isGrantUsable } from "./grant-life.ts";
import { admitBy } from "./granted.ts";
import { grantKey, nameGrantKey } from "./keys.ts";
import { renew } from "./renew.ts";
import { shareWork } from "./shared-work.ts";
import type { Learned, Visit } from "./visit.ts";
import { writtenAt } from "./written.ts";

/**
 * Whether the asker may read here: from memory, the colo or KV while a grant is young enough, else from the origin.
 * It fails closed: without a live "yes" and without an answer there is no admission.
 */
export async function admit(visit: Visit, question: Question): Promise<Learned> {
  const { ports, asked } = visit.isolate;
  const key = grantKey(visit);
  const hot = admitHot(visit, key, question);
  if (hot !== undefined) return hot;

  const started = ports.now();
  const isGood = (grant: Grant) => isGrantUsable(visit, grant);
  const denied = isOfName(question) ? await ports.denials.find(nameGrantKey(visit), isGood) : undefined;
  const isInKv = visit.target.lane !== "object";
  const found =
    denied ?? (await (isInKv ? ports.grants.find(key, isGood) : ports.grants.findNear(key, isGood)));
  ports.telemetry.lookup("grant", ports.now() - started);
  if (found !== undefined) return conclude(visit, { ...found, question });

  const work = () => ask(visit, question);
  const always = ports.config.limits.GRANT_S === 0;
  const { joined, result } = always ? { joined: false, result: work() } : shareWork(visit, asked, key, work);
  const shared = await result;
  const learned = joined ? await ownShare(visit, question, shared) : shared;
  visit.trace.grant = joined ? COLLAPSED : MISS;
  visit.trace.grantMs = ports.now() - started;
  if (!joined) ports.telemetry.computed("grant", visit.trace.grantMs);
  if (learned.kind === "admitted") admitBy(visit, learned);
  return learned;
}

/** What an answer that was waited for means to one who did not ask for it. */
async function ownShare(visit: Visit, question: Question, shared: Learned): Promise<Learned> {
  if (shared.kind === "refused" && shared.at <= writtenAt(visit)) return await ask(visit, question); // written since
  return isForAll(shared) ? shared : await admitByName(visit, question);
}

/** Whether an answer holds for everyone who waited for it: not one that may be about the leader's own name. */
function isForAll(learned: Learned): boolean {
  return learned.kind === "admitted" || (learned.kind === "refused" && learned.about === "scope");
}

async function admitByName(visit: Visit, question: Question): Promise<Learned> {
  const { ports, asked } = visit.isolate;
  const denied = ports.denials.hot(nameGrantKey(visit));
  if (denied !== undefined && isGrantUsable(visit, denied))
    return conclude(visit, { record: denied, tier: "memory", question });
  return await shareWork(visit, asked, nameGrantKey(visit), () => ask(visit, question)).result;
}

/** Whether the grant that let a request in is still alive; the origin may have been waited for since. */
export function isStillAdmitted({ isolate, admittedAt }: Visit): boolean {
  const { config, now } = isolate.ports;
  const hard = (config.limits.GRANT_S || LIMITS.GRANT_S.max) * 1000; // at 0 the answer to this very request counts for it
  return isAlive(admittedAt, now(), hard);
}

/** The same from memory alone, without waiting. A "no" about this one name comes before a "yes" to the scope. */
export function admitHot(visit: Visit, key: string, question: Question): Learned | undefined {
  const { grants, denials } = visit.isolate.ports;
  const denied = isOfName(question) ? denials.hot(nameGrantKey(visit)) : undefined;
  for (const record of [denied, grants.hot(key)]) {
    if (record !== undefined && isGrantUsable(visit, record))
      return conclude(visit, { record, tier: "memory", question });
  }
  return undefined;
}

type Verdict = { readonly record: Grant; readonly tier: Tier; readonly question: Question };

function conclude(visit: Visit, { record, tier, question }: Verdict): Learned {
  const now = visit.isolate.ports.now();
  const life = grantLifetime(visit, record);
  visit.trace.grant = { kind: "hit", tier, ttl: secondsLeft(record.at, now, life.hard) };
  if (record.kind !== "yes")
    return { kind: "refused", at: record.at, refusal: record.refusal, about: "name" };
  if (judge(record.at, now, life) === "ageing") renew(visit, question);
  admitBy(visit, record);
  return { kind: "admitted", at: record.at, seen: record.seen };
}

/** Whether a "no" to a question may be about its one name only. */
function isOfName({ via }: Question): boolean {
  return via === "replay" || via === "poll";
}
