import { STALE } from "../../core/cache-status.ts";
import { secondsLeft } from "../../core/freshness.ts";
import { Failure } from "../../core/problem.ts";
import type { Rendering } from "../../core/pipelines/rendering.ts";
import type { Question } from "../../core/question.ts";
import { admit, admitHot, isStillAdmitted } from "../admit.ts";
import type { Arrival } from "../arrival.ts";
import { findChanges, isProjectUpToDate } from "../changes.ts";
import { counted } from "../counted.ts";
import { bodyKey, grantKey } from "../keys.ts";
import { isPlain } from "../plain.ts";
import { refusalResponse } from "../refusal-response.ts";
import { replyFromBytes, replyWithoutBody, wantedOf } from "../reply.ts";
import type { Learned } from "../visit.ts";
import { readStored } from "../stored-whole.ts";
import { byNumber, findByNumber } from "./by-number.ts";
import { isMadeHere, makeShared } from "./database.ts";
import { isBeingRenewed, learnAlone, learnInFull, learnShared, renew } from "./learn-list.ts";
import { listLifetime } from "./list-lifetime.ts";
import { MAY, POLL, type ListVisit } from "./list-visit.ts";
import { spellAsAsked } from "./numbered.ts";
import { rememberReadyList } from "./ready-list.ts";
import { isSuperseded, shownHot, shownOfDatabase, type Shown } from "./shown.ts";
import { entryOf, findToldElsewhere } from "./told.ts";

/** Answers from memory alone. */
export function serveListHot(visit: ListVisit, arrival: Arrival): Response | undefined {
  if (!isProjectUpToDate(visit)) return undefined;
  const isMade = isMadeHere(visit);
  if (admitHot(visit, grantKey(visit), isMade ? MAY : POLL)?.kind !== "admitted") return undefined;
  const shown = isMade ? shownOfDatabase(visit) : shownHot(visit);
  if (shown === undefined || !isServable(visit, shown)) return undefined;
  const bytes = visit.isolate.ports.hot.get(bodyKey(visit, entryOf(shown.rendering)));
  if (bytes === undefined) return undefined;
  visit.trace.body = { kind: "hit", tier: "memory", ttl: undefined };
  noteHit(visit, shown);
  const response = send(visit, arrival, shown.rendering, bytes);
  if (shown.state === "fresh" && arrival.method === "GET" && isPlain(arrival.headers))
    rememberReadyList(visit, shown.rendering, { headers: response.headers, counted: counted(visit, 200) });
  return response;
}

/** Answers with whatever waiting it takes; `undefined` for what only the origin itself can answer. */
export async function serveListCold(asked: ListVisit, arrival: Arrival): Promise<Response | undefined> {
  await findChanges(asked);
  const found = await findByNumber(asked);
  if (found !== asked) await findChanges(found);
  const hot = serveListHot(found, arrival);
  if (hot !== undefined) return hot;
  const question = isMadeHere(found) ? MAY : POLL;
  const admitted = await admit(found, question);
  if (admitted.kind === "unclear") return undefined;
  if (admitted.kind === "refused") return refusalResponse(found, arrival, admitted.refusal);
  return await serveAdmitted(byNumber(found), arrival, question); // the answer may have told the number
}

async function serveAdmitted(
  visit: ListVisit,
  arrival: Arrival,
  question: Question,
): Promise<Response | undefined> {
  const made = question === MAY ? (findMade(visit) ?? (await makeShared(visit))) : undefined;
  const found: Found = made === undefined ? await findShown(visit) : { kind: "shown", rendering: made };
  if (found.kind === "unclear") return undefined;
  if (found.kind === "refused") return refusalResponse(visit, arrival, found.refusal);
  return await serveFound(byNumber(visit), arrival, { question, rendering: found.rendering });
}

async function serveFound(
  visit: ListVisit,
  arrival: Arrival,
  found: { readonly question: Question; readonly rendering: Rendering },
): Promise<Response | undefined> {
  const held = await readHeld(visit, found.rendering);
  if (held === undefined) return undefined;
  if (held.rendering.at >= visit.trace.startedAt) visit.trace.body = visit.trace.revision; // it came with the answer
  const response = send(visit, arrival, held.rendering, held.bytes);
  if (isStillAdmitted(visit)) return response;
  const again = await admit(visit, found.question);
  if (again.kind === "refused") return refusalResponse(visit, arrival, again.refusal);
  return again.kind === "admitted" ? response : undefined;
}

/** What was made of the database, and still holds. */
function findMade(visit: ListVisit): Rendering | undefined {
  const shown = shownOfDatabase(visit);
  if (shown === undefined || !isServable(visit, shown)) return undefined;
  noteHit(visit, shown);
  return shown.rendering;
}

type Found =
  | { readonly kind: "shown"; readonly rendering: Rendering }
  | Exclude<Learned, { kind: "admitted" }>;

/** What the asker may be shown: what is known to be so still, else what the origin says now. */
async function findShown(visit: ListVisit): Promise<Found> {
  const started = visit.isolate.ports.now();
  if (shownHot(visit)?.state !== "fresh") await findToldElsewhere(visit);
  try {
    return findServable(visit) ?? (await learnShown(visit));
  } catch (error) {
    const stale = error instanceof Failure ? findTolerable(visit) : undefined;
    if (stale === undefined) throw error;
    return stale;
  } finally {
    visit.trace.revisionMs = visit.isolate.ports.now() - started;
  }
}

/**
 * Asks. Where a list has only grown old it is likely to be what it was, and one asks for all who were told it; where it is
 * another one, or that is known already, each asks alone.
 */
async function learnShown(visit: ListVisit): Promise<Found> {
  const shown = shownHot(visit);
  if (shown !== undefined && shown.state !== "over") {
    const learned = await learnShared(visit, shown.rendering);
    const found = learned.kind === "admitted" ? findServable(visit) : toleratedFor(visit, learned);
    if (found !== undefined) return found;
  }
  const { joined, learned } = await learnAlone(visit);
  if (learned.kind !== "admitted") return toleratedFor(visit, learned) ?? learned;
  if (joined && findServable(visit) === undefined) return await learnAnew(visit); // it was asked before something was told
  return findTold(visit);
}

async function learnAnew(visit: ListVisit): Promise<Found> {
  const learned = await learnInFull(visit);
  if (learned.kind !== "admitted") return toleratedFor(visit, learned) ?? learned;
  return findTold(visit);
}

/** What the asker was told for this very request; the answer may have told the project's number. */
function findTold(visit: ListVisit): Found {
  const told = shownHot(byNumber(visit));
  if (told === undefined) return { kind: "unclear" };
  noteHit(visit, told);
  return { kind: "shown", rendering: told.rendering };
}

function findServable(asked: ListVisit): Found | undefined {
  const visit = byNumber(asked);
  const shown = shownHot(visit);
  if (shown === undefined || !isServable(visit, shown)) return undefined;
  noteHit(visit, shown);
  return { kind: "shown", rendering: shown.rendering };
}

function isServable(visit: ListVisit, { state, rendering }: Shown): boolean {
  if (state === "stale") return isBeingRenewed(visit, rendering) && !isSuperseded(visit, rendering);
  return state === "fresh" || state === "ageing" || state === "doubtful";
}

/** An origin that asks to be left alone is stood in for by what it last said. */
function toleratedFor(visit: ListVisit, learned: Exclude<Learned, { kind: "admitted" }>): Found | undefined {
  return learned.kind === "refused" && learned.refusal.status === 429 ? findTolerable(visit) : undefined;
}

function findTolerable(visit: ListVisit): Found | undefined {
  const shown = shownHot(visit);
  if (shown === undefined || shown.state === "over") return undefined;
  visit.trace.revision = STALE;
  visit.trace.validatedAt = shown.rendering.at;
  return { kind: "shown", rendering: shown.rendering };
}

/** What is known will be shown; it is renewed behind the response where it is time to. */
function noteHit(visit: ListVisit, shown: Shown): void {
  const { trace, isolate } = visit;
  const { rendering } = shown;
  trace.validatedAt = rendering.at;
  if (rendering.at >= trace.startedAt) {
    if (trace.revision.kind !== "forwarded") trace.revision = trace.grant; // it came with the grant
    return;
  }
  const ttl = secondsLeft(rendering.at, isolate.ports.now(), listLifetime(visit, rendering).hard);
  trace.revision = { kind: "hit", tier: "memory", ttl };
  renew(visit, shown);
}

type Held = { readonly rendering: Rendering; readonly bytes: Uint8Array };

/** A rendering with its bytes; where the stores have lost them, the asker's own is asked for in full. */
async function readHeld(visit: ListVisit, rendering: Rendering): Promise<Held | undefined> {
  const bytes = await readBytes(visit, rendering);
  if (bytes !== undefined) return { rendering, bytes };
  const learned = await learnInFull(visit);
  const shown = learned.kind === "admitted" ? shownHot(byNumber(visit)) : undefined;
  const told = shown && (await readBytes(visit, shown.rendering));
  return shown && told && { rendering: shown.rendering, bytes: told };
}

async function readBytes(visit: ListVisit, rendering: Rendering): Promise<Uint8Array | undefined> {
  const { ports } = visit.isolate;
  const { hot } = ports;
  const entry = entryOf(rendering);
  const key = bodyKey(visit, entry);
  const held = hot.get(key);
  if (held !== undefined) {
    visit.trace.body = { kind: "hit", tier: "memory", ttl: undefined };
    return held;
  }
  const bytes = await readStored(ports, key, entry.size);
  if (bytes === undefined) return undefined;
  hot.set(key, bytes);
  visit.trace.body = { kind: "hit", tier: "colo", ttl: undefined };
  return bytes;
}

function send(visit: ListVisit, arrival: Arrival, rendering: Rendering, bytes: Uint8Array): Response {
  const answerable = { visit, arrival, entry: entryOf(rendering) };
  const response = replyWithoutBody(answerable) ?? replyFromBytes(answerable, bytes, wantedOf(answerable));
  spellAsAsked(visit, response.headers);
  return response;
}
