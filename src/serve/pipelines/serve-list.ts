import { STALE } from "../../core/cache-status.ts";
import { secondsLeft } from "../../core/freshness.ts";
import { Failure } from "../../core/problem.ts";
import type { Rendering } from "../../core/pipelines/rendering.ts";
import { admit, admitHot, isStillAdmitted } from "../admit.ts";
import type { Arrival } from "../arrival.ts";
import { ask } from "../ask.ts";
import { findChanges, isProjectUpToDate } from "../changes.ts";
import { counted } from "../counted.ts";
import { bodyKey, grantKey, renderingKey, standingKey } from "../keys.ts";
import { isPlain } from "../plain.ts";
import { refusalResponse } from "../refusal-response.ts";
import { replyFromBytes, replyWithoutBody, wantedOf } from "../reply.ts";
import { shareWork } from "../shared-work.ts";
import type { Learned } from "../visit.ts";
import { findByNumber, spellAsAsked } from "./by-number.ts";
import { isMadeHere, makeShared, makingKey } from "./database.ts";
import { MAY, POLL, POLL_IN_FULL, type ListVisit } from "./list-visit.ts";
import { rememberReadyList } from "./ready-list.ts";
import { listLifetime, shownHot, shownOfDatabase, type Shown } from "./shown.ts";
import { entryOf, lookAt } from "./told.ts";

/** How often an answer is looked for that others were asked for, before the asker's own question is put for this request alone. */
const SHARED_ATTEMPTS = 3;

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
  noteHit(visit, shown.rendering);
  if (shown.state === "ageing") renew(visit, shown.rendering);
  const response = send(visit, arrival, shown.rendering, bytes);
  if (shown.state === "fresh" && arrival.method === "GET" && isPlain(arrival.headers))
    rememberReadyList(visit, shown.rendering, { headers: response.headers, counted: counted(visit, 200) });
  return response;
}

/** Answers with whatever waiting it takes; `undefined` for what only the origin itself can answer. */
export async function serveListCold(asked: ListVisit, arrival: Arrival): Promise<Response | undefined> {
  await findChanges(asked);
  const visit = await findByNumber(asked);
  if (visit !== asked) await findChanges(visit);
  const hot = serveListHot(visit, arrival);
  if (hot !== undefined) return hot;
  const isMade = isMadeHere(visit);
  const admitted = await admit(visit, isMade ? MAY : POLL);
  if (admitted.kind === "unclear") return undefined;
  if (admitted.kind === "refused") return refusalResponse(visit, arrival, admitted.refusal);

  const made = isMade ? await makeShared(visit) : undefined;
  const found = made === undefined ? await findShown(visit) : { kind: "shown" as const, rendering: made };
  if (found.kind === "unclear") return undefined;
  if (found.kind === "refused") return refusalResponse(visit, arrival, found.refusal);
  const had = await readHeld(visit, found.rendering);
  if (had === undefined) return undefined;
  if (had.rendering.at >= visit.trace.startedAt) visit.trace.body = visit.trace.revision; // it came with the answer
  const response = send(visit, arrival, had.rendering, had.bytes);
  return isStillAdmitted(visit) ? response : await admitAgain(visit, arrival, response);
}

async function admitAgain(
  visit: ListVisit,
  arrival: Arrival,
  response: Response,
): Promise<Response | undefined> {
  const admitted = await admit(visit, isMadeHere(visit) ? MAY : POLL);
  if (admitted.kind === "refused") return refusalResponse(visit, arrival, admitted.refusal);
  return admitted.kind === "admitted" ? response : undefined;
}

type Found =
  | { readonly kind: "shown"; readonly rendering: Rendering }
  | Exclude<Learned, { kind: "admitted" }>;

/** What the asker may be shown: what is known to be so still, else what the origin says now. */
async function findShown(visit: ListVisit): Promise<Found> {
  const started = visit.isolate.ports.now();
  await findFar(visit);
  try {
    for (let attempt = 0; attempt < SHARED_ATTEMPTS; attempt++) {
      const shown = shownHot(visit);
      if (shown !== undefined && isServable(visit, shown)) {
        noteHit(visit, shown.rendering);
        if (shown.state === "ageing") renew(visit, shown.rendering);
        return { kind: "shown", rendering: shown.rendering };
      }
      const learned = await learn(visit, shown?.rendering);
      if (learned.kind !== "admitted") return tolerated(visit, learned) ?? learned;
    }
    const learned = await ask(visit, POLL);
    if (learned.kind !== "admitted") return learned;
    const shown = shownHot(visit);
    return shown === undefined ? { kind: "unclear" } : { kind: "shown", rendering: shown.rendering };
  } catch (error) {
    const stale = error instanceof Failure ? tolerated(visit, undefined) : undefined;
    if (stale === undefined) throw error;
    return stale;
  } finally {
    visit.trace.revisionMs = visit.isolate.ports.now() - started;
  }
}

/** An origin that fails, or asks to be left alone, is stood in for by what it last said. */
function tolerated(visit: ListVisit, learned: Learned | undefined): Found | undefined {
  if (learned !== undefined && (learned.kind !== "refused" || learned.refusal.status !== 429))
    return undefined;
  const shown = shownHot(visit);
  if (shown === undefined || shown.state === "over") return undefined;
  visit.trace.revision = STALE;
  visit.trace.validatedAt = shown.rendering.at;
  return { kind: "shown", rendering: shown.rendering };
}

/** Asks as this asker; where others stand at the same rendering, one of them asks for all. */
async function learn(visit: ListVisit, at: Rendering | undefined): Promise<Learned> {
  const { asked, ports } = visit.isolate;
  if (ports.config.limits.GRANT_S === 0) return await ask(visit, POLL);
  const key = at === undefined ? standingKey(visit, visit.target) : renewalKey(visit, at);
  const { joined, result } = shareWork(visit, asked, key, () => ask(visit, POLL));
  const learned = await result;
  visit.trace.revision = { kind: "forwarded", reason: "miss", collapsed: joined };
  // What another asker was refused is not this one's answer: it is asked again
  return joined && learned.kind !== "admitted" ? { kind: "admitted", at: visit.admittedAt } : learned;
}

function renewalKey(visit: ListVisit, { tag }: Rendering): string {
  return `renew ${renderingKey(visit, visit.target, tag)}`;
}

function renew(visit: ListVisit, rendering: Rendering): void {
  if (isMadeHere(visit)) visit.defer(makeShared(visit));
  else shareWork(visit, visit.isolate.asked, renewalKey(visit, rendering), () => ask(visit, POLL));
}

function isServable(visit: ListVisit, { state, rendering }: Shown): boolean {
  if (state === "fresh" || state === "ageing") return true;
  const key = isMadeHere(visit) ? makingKey(visit) : renewalKey(visit, rendering);
  return state === "stale" && visit.isolate.asked.isUnderWay(key);
}

/** Brings in what other isolates of the colo know of this asker and list. */
async function findFar(visit: ListVisit): Promise<void> {
  const { standings } = visit.isolate.ports;
  if (shownHot(visit)?.state === "fresh") return;
  const standing = await standings.find(standingKey(visit, visit.target), () => true);
  let tag = standing?.record.tag;
  for (let step = 0; step < SHARED_ATTEMPTS && tag !== undefined; step++) {
    await lookAt(visit, tag);
    const next = visit.isolate.ports.renderings.hot(renderingKey(visit, visit.target, tag))?.next;
    tag = next?.isConfirmed === true ? next.tag : undefined;
  }
}

function noteHit(visit: ListVisit, rendering: Rendering): void {
  const { trace, isolate } = visit;
  const isAsked = rendering.at >= trace.startedAt;
  trace.validatedAt = rendering.at;
  if (isAsked && trace.revision.kind !== "forwarded") trace.revision = trace.grant;
  if (isAsked) return;
  const ttl = secondsLeft(rendering.at, isolate.ports.now(), listLifetime(visit, rendering).hard);
  trace.revision = { kind: "hit", tier: "memory", ttl };
}

type Held = { readonly rendering: Rendering; readonly bytes: Uint8Array };

/** A rendering with its bytes; where the stores have lost them, the asker's own is asked for in full. */
async function readHeld(visit: ListVisit, rendering: Rendering): Promise<Held | undefined> {
  const bytes = await readBytes(visit, rendering);
  if (bytes !== undefined) return { rendering, bytes };
  const learned = await ask(visit, POLL_IN_FULL);
  const shown = learned.kind === "admitted" ? shownHot(visit) : undefined;
  const told = shown && (await readBytes(visit, shown.rendering));
  return shown && told && { rendering: shown.rendering, bytes: told };
}

async function readBytes(visit: ListVisit, rendering: Rendering): Promise<Uint8Array | undefined> {
  const { hot, blocks } = visit.isolate.ports;
  const entry = entryOf(rendering);
  const key = bodyKey(visit, entry);
  const held = hot.get(key);
  if (held !== undefined) {
    visit.trace.body = { kind: "hit", tier: "memory", ttl: undefined };
    return held;
  }
  const { size } = entry;
  const stored = await blocks.read(key, { start: 0, end: size, length: size });
  if (stored === undefined) return undefined;
  const bytes = new Uint8Array(await new Response(stored).arrayBuffer());
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
