import { believed } from "../core/events/believed.ts";
import type { Changes } from "../core/events/changes.ts";
import { COLLAPSED, MISS, STALE } from "../core/cache-status.ts";
import { judge, secondsLeft, type Lifetime } from "../core/freshness.ts";
import { pinBy, pinOf, UNKNOWN, type Pin } from "../core/pin.ts";
import { Failure } from "../core/problem.ts";
import type { Question } from "../core/question.ts";
import type { Revision } from "../core/revision.ts";
import type { Tier } from "../core/store.ts";
import type { ArtifactTarget, RawTarget, Target } from "../core/target.ts";
import { refresh } from "./admit.ts";
import { ask } from "./ask.ts";
import { changesOf } from "./changes.ts";
import { revisionKey } from "./keys.ts";
import { isNarrowable, questionAt, questionNow } from "./questions.ts";
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

/** How long a beginning of refs is believed to be too crowded: it says only how to ask, never what a name stands for. */
const CROWDED_MS = 3_600_000;
/** Of a revision's life, the part after which a hit renews it behind the response. */
const REFRESH_SHARE = 2 / 3;

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
  if (record === undefined || record.kind === "crowded" || !isUsable(visit, record)) return undefined;
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
  const found = await revisionsOf(visit).find(key, (record) => isUsable(visit, record));
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
    const learned = joined && shared.kind !== "admitted" ? await ask(visit, question) : shared; // not another asker's "no"
    if (learned.kind !== "admitted") return learned;
  } catch (error) {
    if (!(error instanceof Failure) || before === undefined || !isTolerable(visit, before)) throw error;
    return { kind: "known", record: before, from: "stale" };
  }
  const record = revisions.hot(key);
  if (record === undefined || record.at === before?.at || record.at <= writtenAt(visit)) return undefined;
  return { kind: "known", record, from: joined ? "joined" : "asked" };
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
    if (judge(record.at, now(), life) === "ageing") refresh(visit, question);
  }
}

/** That a name is missing is believed for a shorter time than what it stands for. */
export function revisionLifetime(visit: Visit, record: Revision): Lifetime {
  const { REF_S, MISSING_S, OBJECT_FRESH_S } = visit.isolate.ports.config.limits;
  if (record.kind === "crowded") return { soft: CROWDED_MS, hard: CROWDED_MS };
  if (record.kind === "object" && visit.target.lane === "artifact")
    return ofLength(artifactSeconds(visit, visit.target));
  if (record.kind === "object") return ofLength(Math.min(OBJECT_FRESH_S, record.freshS ?? Infinity));
  if (record.kind === "uncacheable") return ofLength(Math.max(OBJECT_FRESH_S, MISSING_S));
  return ofLength(pinOfRecord(visit, record) === undefined ? MISSING_S : REF_S);
}

/** A job's archive is made once; that it is still there is asked with each grant. */
function artifactSeconds({ isolate }: Visit, { job }: ArtifactTarget): number {
  const { ENTRY_S, REF_S } = isolate.ports.config.limits;
  return job.kind === "id" ? ENTRY_S : REF_S;
}

/** The life of a revision of so many seconds. */
export function ofLength(seconds: number): Lifetime {
  const hard = seconds * 1000;
  return { soft: hard * REFRESH_SHARE, hard };
}

function isUsable(visit: Visit, record: Revision): boolean {
  if (isOver(visit, record)) return false;
  if (visit.target.lane !== "raw" && record.at >= visit.trace.startedAt) return true; // asked for this very request
  return judge(record.at, visit.isolate.ports.now(), revisionLifetime(visit, record)) !== "expired";
}

/** Whether it was told since that a name may stand for something else, and not what for. */
function isOver(visit: Visit, record: Revision): boolean {
  if (record.at <= writtenAt(visit)) return true;
  const { target } = visit;
  const changes = changesOf(visit);
  if (changes === undefined || target.lane === "object") return false;
  if (target.lane === "raw") return believed(record, changes, refOf(target)) === undefined;
  const isMoving = target.lane === "artifact" && target.job.kind === "latest";
  return record.at <= (isMoving ? Math.max(changes.accessAt, changes.listsAt) : changes.accessAt);
}

function isTolerable(visit: Visit, record: Revision): boolean {
  const { now, config } = visit.isolate.ports;
  if (isOver(visit, record)) return false;
  const hard = revisionLifetime(visit, record).hard + config.limits.STALE_IF_ERROR_S * 1000;
  return judge(record.at, now(), { soft: hard, hard }) !== "expired";
}

/** Pins are remembered with what they were read from, as their keys are remembered with them. */
const namePins = new WeakMap<Target, { readonly pin: Pin | undefined }>();
const recordPins = new WeakMap<Target, RecordPin>();

type RecordPin = {
  readonly record: Revision;
  readonly changes: Changes | undefined;
  readonly pin: Pin | undefined;
};

function pinOfName(target: Target): Pin | undefined {
  if (target.lane !== "raw") return undefined;
  const known = namePins.get(target) ?? { pin: pinOf(target.name) };
  namePins.set(target, known);
  return known.pin;
}

/** The ref that a name says apart from its path, or what any ref begins like that it may say. */
function refOf({ name }: RawTarget): string | undefined {
  if (name.kind === "joined") return name.text.split("/", 1)[0];
  return name.kind === "ref" ? name.ref : undefined;
}

function pinOfRecord(visit: Visit, record: Revision): Pin | undefined {
  const { site, target } = visit;
  const last = recordPins.get(target);
  const changes = changesOf(visit);
  if (last?.record === record && last.changes === changes) return last.pin;
  const now = target.lane === "raw" ? believed(record, changes, refOf(target)) : record;
  const pin = now && (target.lane === "raw" ? pinBy(site.kind, target.name, now) : pinOfObject(now));
  recordPins.set(target, { record, changes, pin });
  return pin;
}

/** An object is known in full by its revision; what may not be cached is the origin's to serve. */
function pinOfObject(record: Revision): Pin | undefined {
  return record.kind === "object" ? { kind: "object", entry: record.entry } : UNKNOWN;
}
