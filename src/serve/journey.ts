import { UNUSED } from "../core/cache-status.ts";
import { isImmutable } from "../core/pin.ts";
import { Failure } from "../core/problem.ts";
import { route } from "../core/route.ts";
import type { MemoryStore } from "../core/store.ts";
import type { Site } from "../core/site.ts";
import type { Route, Target } from "../core/target.ts";
import type { RequestRecord } from "../core/telemetry.ts";
import type { Wanted } from "../core/dialect.ts";
import { wantedBytes } from "../core/wanted.ts";
import { admit, admitHot, isStillAdmitted } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import { findAsker, identify, type AskerParts } from "./asker.ts";
import { BodyRefused } from "./body-reader.ts";
import { bodyKey, entryKey, grantKey } from "./keys.ts";
import { findMissing, isKnown, openFile } from "./open.ts";
import { failureResponse } from "./problem-response.ts";
import { questionNow } from "./questions.ts";
import { refusalResponse } from "./refusal-response.ts";
import { giveReady, rememberReady } from "./ready.ts";
import { isPlain, reply, replyFromBytes, replyWithoutBody, wantedOf, type Answerable } from "./reply.ts";
import { respond } from "./respond.ts";
import { headersFor } from "./response-headers.ts";
import { resolve, resolveHot } from "./resolve.ts";
import { isDecidedByOrigin, readStoreAsker, storeAsker } from "./store-asker.ts";
import { newTrace } from "./trace.ts";
import { endVisit, type Asker, type Isolate, type Visit } from "./visit.ts";
import { findWritten } from "./written.ts";

export type JourneyParts = {
  readonly isolate: Isolate;
  readonly askers: AskerParts;
  /** What URLs without a query were found to ask for. */
  readonly targets: MemoryStore<KnownUrl>;
};

const LONGEST_KNOWN_URL = 1024;

/** A URL that was read before: most of a busy edge's are. */
type KnownUrl = { readonly site: Site; readonly target: Target };

/** Gives an answer that was made within this second again, without waiting for anything; most hits end here. */
export function serveReady(parts: JourneyParts, request: Request): Response | undefined {
  if (request.method !== "GET") return undefined;
  const known = parts.targets.get(request.url);
  if (known === undefined) return undefined;
  const { headers } = request;
  const { site, target } = known;
  if (site.kind === "s3") return undefined; // who asks is verified each time
  const asker = findAsker(parts.askers, site, { headers, search: "" });
  if (asker === undefined || headers.get("cdn-loop") !== null || !isPlain(headers)) return undefined;
  return giveReady(parts.isolate, asker, target);
}

/** Serves what a dialect claims; `undefined` for all that is to be passed through. */
export async function serve(parts: JourneyParts, arrival: Arrival): Promise<Response | undefined> {
  const { isolate } = parts;
  const { site, method, headers } = arrival;
  const answer = readRoute(parts, arrival);
  if (answer.kind === "pass") return undefined;
  if (answer.kind === "refused") return failureResponse(arrival, { problem: answer.problem });
  const asker = await whoAsks(parts, arrival);
  if (asker === undefined) return undefined;
  if (asker instanceof Response) return countRefused(isolate, arrival, asker);
  const { target } = answer;
  const isPlainRead = method === "GET" && isPlain(headers);
  const ready = site.kind === "s3" && isPlainRead ? giveReady(isolate, asker, target) : undefined;
  if (ready !== undefined) return ready;
  const visit: Visit = {
    isolate,
    site,
    dialect: isolate.ports.dialect(site),
    target,
    wanted: target.lane === "object" ? wantedOfObject(isolate, arrival) : undefined,
    asker,
    trace: newTrace(isolate.ports.now()),
    defer: arrival.defer,
    admittedAt: 0,
    led: [],
    isSending: false,
  };
  const response = serveHot(visit, arrival) ?? (await serveCold(visit, arrival));
  const { telemetry, now } = isolate.ports;
  if (response !== undefined) telemetry.request(counted(visit, response.status), now());
  return response;
}

/** Who asks; a refusal where that is no one who may, and `undefined` where only the origin can tell. */
async function whoAsks(
  { isolate, askers }: JourneyParts,
  arrival: Arrival,
): Promise<Asker | Response | undefined> {
  const { site, headers } = arrival;
  if (site.kind !== "s3") return findAsker(askers, site, arrival) ?? (await identify(askers, site, arrival));
  if (isDecidedByOrigin(headers)) return undefined;
  const who = readStoreAsker(isolate.ports, site, arrival);
  if (who.kind === "refused") return failureResponse(arrival, { problem: who.problem });
  return await storeAsker(askers, who);
}

/** Bytes to ask for at once; none where the answer may well do without any. */
function wantedOfObject({ ports }: Isolate, { method, headers }: Arrival): Wanted | undefined {
  const { BLOCK_BYTES, READ_AHEAD_BLOCKS } = ports.config.limits;
  const range = headers.get("range");
  const isConditional = range === null && !isPlain(headers);
  if (method !== "GET" || isConditional) return undefined;
  return wantedBytes(range, { blockBytes: BLOCK_BYTES, mostBlocks: READ_AHEAD_BLOCKS });
}

function readRoute({ isolate, targets }: JourneyParts, arrival: Arrival): Route {
  const { method, url, site, path, search, headers, bucket } = arrival;
  const corsOrigin = site.kind === "s3" ? (headers.get("origin") ?? undefined) : undefined;
  const isRead = method === "GET" || method === "HEAD";
  const isKnowable = isRead && search === "" && url.length <= LONGEST_KNOWN_URL && corsOrigin === undefined; // a query may hold a credential
  const known = isKnowable ? targets.get(url) : undefined;
  if (known !== undefined) return { kind: "target", target: known.target };
  const answer = route(
    site.kind,
    { method, path, search, bucket, corsOrigin },
    isolate.ports.config.limits.PATH_BYTES,
  );
  if (isKnowable && answer.kind === "target") targets.set(url, { site, target: answer.target });
  return answer;
}

/** Answers from memory alone: no I/O, no hashing, no waiting. */
function serveHot(visit: Visit, arrival: Arrival): Response | undefined {
  const { ports } = visit.isolate;
  if (admitHot(visit, grantKey(visit), questionNow(visit).question)?.kind !== "admitted") return undefined;
  const pin = resolveHot(visit);
  if (pin === undefined || pin.kind === "unknown") return undefined;
  const entry = pin.kind === "object" ? pin.entry : ports.entries.hot(entryKey(visit, pin));
  const bytes = entry && ports.hot.get(bodyKey(visit, entry));
  if (entry === undefined || bytes === undefined) return undefined;
  if (pin.kind !== "object" && !isKnown(visit, entry)) return undefined;
  visit.trace.body = { kind: "hit", tier: "memory", ttl: undefined };
  if (isImmutable(visit.target)) visit.trace.validatedAt = entry.at;
  const answerable = { visit, arrival, pin, entry };
  if (arrival.method === "GET" && isPlain(arrival.headers)) {
    const headers = headersFor(visit, entry);
    visit.trace.hotBytes = bytes.byteLength;
    rememberReady(visit, entry, { headers, counted: counted(visit, 200) });
    return respond(bytes, { headers });
  }
  return replyWithoutBody(answerable) ?? replyFromBytes(answerable, bytes, wantedOf(answerable));
}

/** Answers with whatever waiting it takes; `undefined` for what only the origin itself can answer. */
async function serveCold(visit: Visit, arrival: Arrival): Promise<Response | undefined> {
  try {
    return await serveOnce(visit, arrival);
  } catch (error) {
    const isOver =
      error instanceof Failure && error.problem === "origin_changed" && visit.target.lane === "object";
    if (!isOver) throw error;
    return await serveOnce(visit, arrival); // nothing was sent yet, and what was known is forgotten
  }
}

async function serveOnce(visit: Visit, arrival: Arrival): Promise<Response | undefined> {
  const { ports } = visit.isolate;
  const { trace } = visit;
  if (!isKnownHere(visit)) await findWritten(visit);
  const admitted = await admit(visit, questionNow(visit).question);
  if (admitted.kind === "unclear") return undefined;
  if (admitted.kind === "refused") return refusalResponse(visit, arrival, admitted.refusal);

  const missing = findMissing(visit);
  if (missing !== undefined) return refusalResponse(visit, arrival, missing);

  const resolving = ports.now();
  const resolved = await resolve(visit);
  trace.revisionMs = ports.now() - resolving;
  if (resolved.kind === "unclear") return undefined;
  if (resolved.kind === "refused") return refusalResponse(visit, arrival, resolved.refusal);
  if (resolved.pin.kind === "unknown" && visit.target.lane === "object") return undefined;

  const opening = ports.now();
  const file = await openFile(visit, resolved.pin, arrival.method === "HEAD" ? "HEAD" : "GET");
  trace.bodyMs = ports.now() - opening;
  if (file.kind === "unclear") return undefined;
  if (file.kind === "refused") return refusalResponse(visit, arrival, file.refusal);
  if (isImmutable(visit.target)) trace.validatedAt = file.entry.at;
  const response = await replyUnlessRefused({ visit, arrival, pin: resolved.pin, entry: file.entry });
  if (!visit.isSending) endVisit(visit);
  return isStillAdmitted(visit) ? response : await admitAgain(visit, arrival, response);
}

/** Whether memory alone tells who may read and what there is. */
function isKnownHere(visit: Visit): boolean {
  return (
    admitHot(visit, grantKey(visit), questionNow(visit).question) !== undefined &&
    resolveHot(visit) !== undefined
  );
}

async function replyUnlessRefused(answerable: Answerable): Promise<Response> {
  try {
    return await reply(answerable);
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error;
    return refusalResponse(answerable.visit, answerable.arrival, error.refusal);
  }
}

/** A response was made ready under a grant that has ended meanwhile: it is sent only under a new one. */
async function admitAgain(visit: Visit, arrival: Arrival, response: Response): Promise<Response | undefined> {
  let isAdmitted = false;
  try {
    const admitted = await admit(visit, questionNow(visit).question);
    isAdmitted = admitted.kind === "admitted";
    if (admitted.kind === "refused") return refusalResponse(visit, arrival, admitted.refusal);
    return isAdmitted ? response : undefined;
  } finally {
    if (!isAdmitted) await response.body?.cancel();
  }
}

/** A request that was refused before anything was looked for. */
function countRefused({ ports }: Isolate, { site }: Arrival, response: Response): Response {
  const lane = site.kind === "s3" ? "object" : "raw";
  const unused = { grant: UNUSED, revision: UNUSED, body: UNUSED, hotBytes: 0 };
  ports.telemetry.request({ host: site.host, lane, status: response.status, ...unused }, ports.now());
  return response;
}

function counted({ site, target, trace }: Visit, status: number): RequestRecord {
  const { grant, revision, body, hotBytes } = trace;
  return { host: site.host, lane: target.lane, status, grant, revision, body, hotBytes };
}
