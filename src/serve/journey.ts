import { isImmutable } from "../core/pin.ts";
import { route } from "../core/route.ts";
import type { MemoryStore } from "../core/store.ts";
import type { Site } from "../core/site.ts";
import type { RawTarget, Route } from "../core/target.ts";
import type { RequestRecord } from "../core/telemetry.ts";
import { admit, admitHot, isStillAdmitted } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import { findAsker, identify, type AskerParts } from "./asker.ts";
import { BodyRefused } from "./body-reader.ts";
import { bodyKey, entryKey, grantKey } from "./keys.ts";
import { findMissing, isKnown, openFile } from "./open.ts";
import { problemResponse } from "./problem-response.ts";
import { questionNow } from "./questions.ts";
import { refusalResponse } from "./refusal-response.ts";
import { giveReady, rememberReady } from "./ready.ts";
import { isPlain, reply, replyFromBytes, replyWithoutBody, wantedOf, type Answerable } from "./reply.ts";
import { headersFor } from "./response-headers.ts";
import { resolve, resolveHot } from "./resolve.ts";
import { newTrace } from "./trace.ts";
import { endVisit, type Isolate, type Visit } from "./visit.ts";

export type JourneyParts = {
  readonly isolate: Isolate;
  readonly askers: AskerParts;
  /** What URLs without a query were found to ask for. */
  readonly targets: MemoryStore<KnownUrl>;
};

const LONGEST_KNOWN_URL = 1024;

/** A URL that was read before: most of a busy edge's are. */
type KnownUrl = { readonly site: Site; readonly target: RawTarget };

/** Gives an answer that was made within this second again, without waiting for anything; most hits end here. */
export function serveReady(parts: JourneyParts, request: Request): Response | undefined {
  if (request.method !== "GET") return undefined;
  const known = parts.targets.get(request.url);
  if (known === undefined) return undefined;
  const { headers } = request;
  const asker = findAsker(parts.askers, known.site, { headers, search: "" });
  if (asker === undefined || headers.get("cdn-loop") !== null || !isPlain(headers)) return undefined;
  return giveReady(parts.isolate, asker, known.target);
}

/** Serves what a dialect claims; `undefined` for all that is to be passed through. */
export async function serve(parts: JourneyParts, arrival: Arrival): Promise<Response | undefined> {
  const { isolate, askers } = parts;
  const { site } = arrival;
  const answer = readRoute(parts, arrival);
  if (answer.kind === "pass") return undefined;
  if (answer.kind === "refused") return problemResponse(answer.problem);
  const visit: Visit = {
    isolate,
    site,
    dialect: isolate.ports.dialect(site),
    target: answer.target,
    asker: findAsker(askers, site, arrival) ?? (await identify(askers, site, arrival)),
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

function readRoute({ isolate, targets }: JourneyParts, { method, url, site, path, search }: Arrival): Route {
  const isRead = method === "GET" || method === "HEAD";
  const isKnowable = isRead && search === "" && url.length <= LONGEST_KNOWN_URL; // a query may hold a credential
  const known = isKnowable ? targets.get(url) : undefined;
  if (known !== undefined) return { kind: "target", target: known.target };
  const answer = route(site.kind, method, path, search, isolate.ports.config.limits.PATH_BYTES);
  if (isKnowable && answer.kind === "target") targets.set(url, { site, target: answer.target });
  return answer;
}

/** Answers from memory alone: no I/O, no hashing, no waiting. */
function serveHot(visit: Visit, arrival: Arrival): Response | undefined {
  const { ports } = visit.isolate;
  if (admitHot(visit, grantKey(visit), questionNow(visit).question)?.kind !== "admitted") return undefined;
  const pin = resolveHot(visit);
  if (pin === undefined || pin.kind === "unknown") return undefined;
  const entry = ports.entries.hot(entryKey(visit, pin));
  const bytes = entry && ports.hot.get(bodyKey(visit, entry));
  if (entry === undefined || bytes === undefined || !isKnown(visit, entry)) return undefined;
  visit.trace.body = { kind: "hit", tier: "memory", ttl: undefined };
  if (isImmutable(visit.target.name)) visit.trace.validatedAt = entry.at;
  const answerable = { visit, arrival, pin, entry };
  if (arrival.method === "GET" && isPlain(arrival.headers)) {
    const headers = headersFor(visit, entry);
    visit.trace.hotBytes = bytes.byteLength;
    rememberReady(visit, entry, { headers, counted: counted(visit, 200) });
    return new Response(bytes, { headers });
  }
  return replyWithoutBody(answerable) ?? replyFromBytes(answerable, bytes, wantedOf(answerable));
}

/** Answers with whatever waiting it takes; `undefined` for what only the origin itself can answer. */
async function serveCold(visit: Visit, arrival: Arrival): Promise<Response | undefined> {
  const { ports } = visit.isolate;
  const { trace } = visit;
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

  const opening = ports.now();
  const file = await openFile(visit, resolved.pin, arrival.method === "HEAD" ? "HEAD" : "GET");
  trace.bodyMs = ports.now() - opening;
  if (file.kind === "unclear") return undefined;
  if (file.kind === "refused") return refusalResponse(visit, arrival, file.refusal);
  if (isImmutable(visit.target.name)) trace.validatedAt = file.entry.at;
  const response = await replyUnlessRefused({ visit, arrival, pin: resolved.pin, entry: file.entry });
  if (!visit.isSending) endVisit(visit);
  return isStillAdmitted(visit) ? response : await admitAgain(visit, arrival, response);
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

function counted({ site, target, trace }: Visit, status: number): RequestRecord {
  const { grant, revision, body, hotBytes } = trace;
  return { host: site.host, lane: target.lane, status, grant, revision, body, hotBytes };
}
