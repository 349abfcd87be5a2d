import { COLLAPSED, MISS, STALE } from "../core/cache-status.ts";
import { judge, secondsLeft } from "../core/freshness.ts";
import { UNKNOWN, type Pin } from "../core/pin.ts";
import { Failure } from "../core/problem.ts";
import type { Question } from "../core/question.ts";
import type { Revision } from "../core/revision.ts";
import type { Tier } from "../core/store.ts";
import { ask } from "./ask.ts";
import { admitBy, isOfGranted } from "./granted.ts";
import { revisionKey } from "./keys.ts";
import { pinOfName, pinOfRecord } from "./known-pins.ts";
import { isNarrowable, questionAt, questionNow } from "./questions.ts";
import { renew } from "./renew.ts";
import { isRevisionUsable, isTolerable, revisionLifetime } from "./revision-life.ts";
import { revisionsOf } from "./revisions.ts";
import { shareWork } from "./shared-work.ts";
import type { Learned, Visit } from "./visit.ts";
import { writtenAt } from "./written.ts";

type No = Exclude<Learned, { readonly kind: "admitted" }>;

export type Resolved = { readonly kind: "pinned"; readonly pin: Pin } | No;

/** A revision and how it was come by. */
type Known = {
  readonly kind: "known";
  readonly record: Revision;
  readonly from: Tier | "asked" | "joined" | "stale";
};

/** What the target's name stands for right now; only ever called for an asker with a live grant. */
export async function resolve(visit: Visit): Promise<Resolved> {
  const hot = resolveHot(visit);
  if (hot !== undefined) return { kind: "pinned", pin: hot };
  for (let { depth } = questionNow(visit); ; depth++) {
    const question = questionAt(visit, depth);
    const known =
      (await findElsewhere(visit)) ?? (await find(visit, question)) ?? (await learn(visit, question));
    if (known === undefined) return { kind: "pinned", pin: UNKNOWN };
    if (known.kind !== "known") return known;
    if (known.record.kind === "crowded" && isNarrowable(visit, depth)) continue;
    note(visit, known, question);
    return { kind: "pinned", pin: pinOfRecord(visit, known.record) ?? UNKNOWN };
  }
}

/** The same from memory alone, without waiting; `undefined` where that does not suffice. */
export function resolveHot(visit: Visit): Pin | undefined {
  const pinned = pinOfName(visit.target);
  if (pinned !== undefined) return pinned;
  const { question } = questionNow(visit);
  const key = revisionKey(visit, question);
  const record = key === undefined ? undefined : revisionsOf(visit).hot(key);
  if (record === undefined || record.kind === "crowded" || !isRevisionUsable(visit, record)) return undefined;
  const pin = pinOfRecord(visit, record);
  if (pin !== undefined) note(visit, { kind: "known", record, from: "memory" }, question);
  return pin;
}

/** Refs that another asker's question brought serve those as well whose own question could not ask for refs. */
async function findElsewhere(visit: Visit): Promise<Known | undefined> {
  const { asker } = visit;
  const { principal } = asker;
  if (!("carriedByGit" in principal) || principal.carriedByGit) return undefined;
  const { question } = questionNow({
    ...visit,
    asker: { ...asker, principal: { ...principal, carriedByGit: true } },
  });
  const found = question.via === "git" ? await find(visit, question) : undefined;
  const isEnough =
    found !== undefined && found.record.kind === "refs" && pinOfRecord(visit, found.record) !== undefined;
  return isEnough ? found : undefined;
}

async function find(visit: Visit, question: Question): Promise<Known | undefined> {
  const { now, telemetry } = visit.isolate.ports;
  const key = revisionKey(visit, question);
  if (key === undefined) return undefined;
  const started = now();
  const found = await revisionsOf(visit).find(key, (record) => isRevisionUsable(visit, record));
  if (found?.tier !== "memory") telemetry.lookup("revision", now() - started);
  return found && { kind: "known", record: found.record, from: found.tier };
}

/** Asks the origin, or waits for whoever is asking; an unreachable one may be stood in for by what it last said. */
async function learn(visit: Visit, question: Question): Promise<Known | No | undefined> {
  const key = revisionKey(visit, question);
  if (key === undefined) return undefined;
  const revisions = revisionsOf(visit);
  const before = revisions.hot(key);
  const { joined, result } = shareWork(visit, visit.isolate.asked, key, () => ask(visit, question));
  try {
    const shared = await result;
    const learned = joined && !isForAll(visit, shared, key) ? await ask(visit, question) : shared;
    if (learned.kind !== "admitted") return learned;
    if (learned !== shared || !joined) admitBy(visit, learned);
  } catch (error) {
    if (!(error instanceof Failure) || before === undefined || !isTolerable(visit, before)) throw error;
    return { kind: "known", record: before, from: "stale" };
  }
  const record = revisions.hot(key);
  if (record === undefined || record.at === before?.at || record.at <= writtenAt(visit)) return undefined;
  if (!isOfGranted(visit, record)) return undefined; // another one was told something else since
  return { kind: "known", record, from: joined ? "joined" : "asked" };
}

/** Another asker's "no" is not this one's, nor what another was shown of an object that may have changed. */
function isForAll(visit: Visit, learned: Learned, key: string): boolean {
  const record = revisionsOf(visit).hot(key);
  return learned.kind === "admitted" && (record === undefined || isOfGranted(visit, record));
}

function note(visit: Visit, { record, from }: Known, question: Question): void {
  const { now } = visit.isolate.ports;
  const { trace } = visit;
  trace.validatedAt = record.at;
  if (from === "asked") trace.revision = MISS;
  else if (from === "joined") trace.revision = COLLAPSED;
  else if (from === "stale") trace.revision = STALE;
  else if (trace.grant.kind === "forwarded" && record.at >= trace.startedAt) trace.revision = trace.grant; // one probe for both
  else {
    const life = revisionLifetime(visit, record);
    trace.revision = { kind: "hit", tier: from, ttl: secondsLeft(record.at, now(), life.hard) };
    if (judge(record.at, now(), life) === "ageing") renew(visit, question);
  }
}
