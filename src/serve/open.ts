import { COLLAPSED, MISS, STALE } from "../core/cache-status.ts";
import type { Opened } from "../core/dialect.ts";
import type { Entry } from "../core/entry.ts";
import { isAlive } from "../core/freshness.ts";
import { letGo } from "../core/let-go.ts";
import { Failure } from "../core/problem.ts";
import { UNKNOWN, type Pin } from "../core/pin.ts";
import type { Refusal } from "../core/refusal.ts";
import { changesOf, mayBeThereAt } from "./changes.ts";
import { beginFill, beginOwnFill, type Source } from "./begin-fill.ts";
import type { Fill } from "./fill.ts";
import { bodyKey, entryKey, latestKey, missingKey, revisionKey, type KnownPin } from "./keys.ts";
import { findHold, hold } from "./holds.ts";
import { questionNow } from "./questions.ts";
import { refuse } from "./remember.ts";
import { revisionsOf } from "./revisions.ts";
import { shareWork } from "./shared-work.ts";
import type { Stretch } from "./stretch.ts";
import { findThere, isThereHot, isThereTolerably, noteThere } from "./there.ts";
import type { OpenedFile, Visit } from "./visit.ts";

/** What is known of a pinned file: from memory, the colo, or the origin, whose body then begins to fill the store. */
export async function openFile(visit: Visit, pin: Pin, method: "GET" | "HEAD"): Promise<OpenedFile> {
  if (pin.kind === "object") return { kind: "entry", entry: pin.entry };
  if (pin.kind === "unknown") return await openUnknown(visit, method);
  const { ports } = visit.isolate;
  const started = ports.now();
  const found = await ports.entries.find(entryKey(visit, pin), (entry) => isKnown(visit, entry));
  if (found?.tier !== "memory") ports.telemetry.lookup("body", ports.now() - started);
  if (found === undefined) {
    const { isMine, file } = await openNew(visit, pin, method);
    if (isMine) visit.trace.body = MISS;
    return file;
  }
  if (isThereHot(visit) === "unknown") await findThere(visit);
  const there = isThereHot(visit);
  if (there === "ageing") renewThere(visit, pin);
  if (there === "unknown") {
    const file = await askThere(visit, pin);
    if (file !== undefined) return file;
  }
  visit.trace.entryTier = found.tier;
  return { kind: "entry", entry: found.record };
}

type New = { readonly isMine: boolean; readonly file: OpenedFile };

async function openNew(visit: Visit, pin: KnownPin, method: "GET" | "HEAD"): Promise<New> {
  const { opened } = visit.isolate;
  const key = `${method} ${entryKey(visit, pin)}`;
  const work = () => fetchEntry(visit, pin, method);
  const { joined, result } = shareWork(visit, opened, key, work);
  const file = await result;
  const isMine = !joined;
  if (isMine || (file.kind === "entry" && isThereHot(visit) !== "unknown")) return { isMine, file };
  const missing = findMissing(visit);
  if (missing !== undefined) return { isMine, file: { kind: "refused", refusal: missing } };
  const own = shareWork(visit, opened, `${key} for ${visit.asker.id}`, work); // another asker's "no" is not ours, nor what was there before
  return { isMine, file: await own.result };
}

/** Asks whether what a target names in full is still there; `undefined` where the origin cannot say, and it may be believed to be. */
async function askThere(visit: Visit, pin: KnownPin): Promise<OpenedFile | undefined> {
  try {
    const { isMine, file } = await openNew(visit, pin, "GET"); // on condition, so that no bytes are sent that are known
    visit.trace.revision = isMine ? MISS : COLLAPSED;
    return file;
  } catch (error) {
    if (!(error instanceof Failure) || !isThereTolerably(visit)) throw error;
    visit.trace.revision = STALE;
    return undefined;
  }
}

/** Asks behind the response whether what a target names in full is still there, unless another isolate of the colo has just done so. */
export function renewThere(visit: Visit, pin: Pin): void {
  if (pin.kind !== "commit" && pin.kind !== "blob") return;
  shareWork(visit, visit.isolate.opened, `there ${entryKey(visit, pin)}`, async () => {
    await findThere(visit);
    if (isThereHot(visit) === "yes") return { kind: "unclear" };
    return await fetchEntry(visit, pin, "GET");
  });
}

/** Whether what is known of a file need not be asked again: a project may be moved, and its name given to another. */
export function isKnown(visit: Visit, { at }: Entry): boolean {
  const { isolate } = visit;
  const changes = changesOf(visit);
  if (changes !== undefined && at <= Math.max(changes.filesAt, changes.accessAt)) return false;
  return isAlive(at, isolate.ports.now(), isolate.ports.config.limits.ENTRY_S * 1000);
}

/**
 * A name that no revision is known of (a short commit id, say): the origin is asked for it as it stands each time.
 * Its bytes are kept by their identity, its absence for a while, the name not at all.
 */
async function openUnknown(visit: Visit, method: "GET" | "HEAD"): Promise<OpenedFile> {
  const answer = await askOpen(visit, UNKNOWN, { ...FROM_THE_START, method });
  if (answer.kind !== "entry") return conclude(visit, answer);
  if (answer.body !== undefined) {
    visit.defer(
      beginFill(visit, answer.entry, { body: answer.body, offset: answer.offset, until: answer.entry.size }),
    );
  }
  visit.trace.body = MISS;
  visit.trace.validatedAt = answer.entry.at;
  return { kind: "entry", entry: answer.entry };
}

/** What this asker was told not long ago: that there is nothing of this name. */
export function findMissing(visit: Visit): Refusal | undefined {
  const { missing, now, config } = visit.isolate.ports;
  const known = missing.get(missingKey(visit));
  if (known !== undefined && known.at <= mayBeThereAt(changesOf(visit), visit.target)) return undefined;
  if (known === undefined || !isAlive(known.at, now(), config.limits.MISSING_S * 1000)) return undefined;
  return known.refusal;
}

async function fetchEntry(visit: Visit, pin: KnownPin, method: "GET" | "HEAD"): Promise<OpenedFile> {
  const { entries } = visit.isolate.ports;
  const latest = pin.kind === "commit" ? latestKey(visit, pin.path) : undefined;
  const before = latest === undefined ? undefined : await entries.find(latest, () => true);
  const known = entries.hot(entryKey(visit, pin)) ?? before?.record;
  const at = visit.isolate.ports.now();
  const answer = await askOpen(visit, pin, { ...FROM_THE_START, method, known });
  if (answer.kind !== "entry") return conclude(visit, answer);
  noteThere(visit, at);
  const { entry, body, offset } = answer;
  const filled =
    body === undefined ? undefined : beginFill(visit, entry, { body, offset, until: entry.size });
  const key = entryKey(visit, pin);
  entries.hold(key, entry);
  visit.defer(keep(visit, entry, { keys: latest === undefined ? [key] : [key, latest], filled }));
  return { kind: "entry", entry };
}

type Keeping = { readonly keys: readonly string[]; readonly filled: Promise<boolean> | undefined };

/** Keeps what is known of a file once its body has proved sound: what a broken answer said of itself is not believed. */
async function keep(visit: Visit, entry: Entry, { keys, filled }: Keeping): Promise<void> {
  const { entries, config } = visit.isolate.ports;
  const coloS = 2 * config.limits.ENTRY_S; // past its life it still serves as the condition of a question
  const isSound = (await filled) ?? true;
  await Promise.all(keys.map((key) => (isSound ? entries.put(key, entry, { coloS }) : entries.drop(key))));
}

/** Where a body is read from that is not stored: its origin, by a pin, or something that makes it anew from the start. */
export type BodyOrigin = Pin | { readonly kind: "made"; readonly make: () => Promise<Source> };

/** Reads a body again, from a block on, for an entry that is known: it must be the very same bytes. */
export async function reopen(
  visit: Visit,
  pin: BodyOrigin,
  entry: Entry,
  stretch: Stretch,
): Promise<OpenedFile> {
  const work = () => openAgain(visit, pin, entry, stretch);
  const where = pin.kind === "object" && entry.isRangeless !== true ? `${stretch.from} ` : ""; // a file is read to its end, an object only so far
  const key = `again ${where}${bodyKey(visit, entry)}`;
  const { joined, result } = shareWork(visit, visit.isolate.opened, key, work);
  const file = await result;
  return joined && file.kind !== "entry" ? await openAgain(visit, pin, entry, stretch) : file;
}

async function openAgain(visit: Visit, pin: BodyOrigin, entry: Entry, stretch: Stretch): Promise<OpenedFile> {
  const source = await openSame(visit, pin, entry, stretch);
  if (source.kind === "source") visit.defer(beginFill(visit, entry, source));
  return source.kind === "source" ? { kind: "entry", entry } : source;
}

/** Reads a body from a block on for one reader alone, at that reader's pace. */
export async function openAlone(
  visit: Visit,
  pin: BodyOrigin,
  entry: Entry,
  stretch: Stretch,
): Promise<{ readonly file: OpenedFile; readonly fill: Fill | undefined }> {
  const source = await openSame(visit, pin, entry, stretch);
  if (source.kind !== "source") return { file: source, fill: undefined };
  return { file: { kind: "entry", entry }, fill: beginOwnFill(visit, entry, source) };
}

type SameSource = (Source & { readonly kind: "source" }) | Exclude<OpenedFile, { kind: "entry" }>;

async function openSame(visit: Visit, pin: BodyOrigin, entry: Entry, stretch: Stretch): Promise<SameSource> {
  if (pin.kind === "made") return { kind: "source", ...(await pin.make()) };
  const answer = await askOpen(visit, pin, { method: "GET", known: undefined, ...stretch }).catch(
    async (error: unknown) => {
      if (error instanceof Failure && error.problem === "origin_changed") await forget(visit, pin);
      throw error;
    },
  );
  if (answer.kind !== "entry") return conclude(visit, answer);
  const { body, offset, until = entry.size } = answer;
  const isSame = answer.entry.identity === entry.identity && answer.entry.size === entry.size;
  if (isSame && body !== undefined && offset <= stretch.from) return { kind: "source", body, offset, until };
  await letGo(body);
  await forget(visit, pin);
  throw new Failure("origin_changed");
}

/** What was known is not so any more: it is asked for anew. */
async function forget(visit: Visit, pin: BodyOrigin): Promise<void> {
  const { entries } = visit.isolate.ports;
  if (pin.kind === "made") return;
  if (pin.kind === "object") {
    const key = revisionKey(visit, questionNow(visit).question);
    if (key !== undefined) await revisionsOf(visit).drop(key);
  } else if (pin.kind !== "unknown") await entries.drop(entryKey(visit, pin));
}

type Ask = Stretch & { readonly method: "GET" | "HEAD"; readonly known: Entry | undefined };

/** All of a file, however long it is. */
const FROM_THE_START = { known: undefined, from: 0, until: Infinity } as const;

async function askOpen(visit: Visit, pin: Pin, { method, known, from, until }: Ask): Promise<Opened | Held> {
  const { dialect, target, asker, trace, isolate } = visit;
  const held = await findHold(visit);
  if (held !== undefined) return { kind: "held", refusal: held };
  const started = isolate.ports.now();
  const answer = await dialect.open({ target, pin, principal: asker.principal, method, known, from, until });
  const ms = isolate.ports.now() - started;
  isolate.ports.telemetry.computed("body", ms);
  trace.originMs = (trace.originMs ?? 0) + ms;
  return answer;
}

/** The origin asked to be left alone: it was not asked. */
type Held = { readonly kind: "held"; readonly refusal: Refusal };

/** An origin that will not give the bytes has the last word: the grant ends with it. */
function conclude(
  visit: Visit,
  answer: Exclude<Opened, { kind: "entry" }> | Held,
): Exclude<OpenedFile, { kind: "entry" }> {
  const { missing, now } = visit.isolate.ports;
  if (answer.kind === "unclear") return { kind: "unclear" };
  if (answer.kind === "missing") missing.set(missingKey(visit), { at: now(), refusal: answer.refusal });
  else if (answer.kind === "busy") hold(visit, answer.refusal, answer.seconds);
  else if (answer.kind === "refused")
    refuse(visit, { at: now(), kind: "no", refusal: answer.refusal }, "scope");
  return { kind: "refused", refusal: answer.refusal };
}
