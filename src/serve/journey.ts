import { acceptsGzip } from "../core/accept-encoding.ts";
import { holdsCredential } from "../core/principal.ts";
import { route } from "../core/route.ts";
import { Failure } from "../core/problem.ts";
import type { MemoryStore } from "../core/store.ts";
import type { Site } from "../core/site.ts";
import type { Route, Target } from "../core/target.ts";
import { ownAcceptEncoding, type Arrival } from "./arrival.ts";
import { findAsker, type AskerParts } from "./asker.ts";
import { serveCold } from "./cold.ts";
import { counted, siteLane, uncached, type Answer } from "./counted.ts";
import { serveHot } from "./hot.ts";
import { isInside } from "./inside-target.ts";
import { asMeant, asNamed } from "./literal.ts";
import { newVisit } from "./new-visit.ts";
import { failureResponse } from "./problem-response.ts";
import { giveReady } from "./ready.ts";
import { byNumber } from "./pipelines/by-number.ts";
import { isListVisit } from "./pipelines/list-visit.ts";
import { isPlain } from "./plain.ts";
import { noteTrouble } from "./trouble.ts";
import type { Isolate, Visit } from "./visit.ts";
import { whoAsks } from "./who-asks.ts";

export type JourneyParts = {
  readonly isolate: Isolate;
  readonly askers: AskerParts;
  /** What URLs were found to ask for, whose query (if there is one) can hold no credential. */
  readonly targets: MemoryStore<KnownUrl>;
};

const LONGEST_KNOWN_URL = 1024;

/** A URL that was read before: most of a busy edge's are. */
type KnownUrl = { readonly site: Site; readonly target: Target };

/** Gives an answer that was made within this second again, without waiting for anything; most hits end here. */
export function serveReady(parts: JourneyParts, request: Request): Answer | undefined {
  if (request.method !== "GET") return undefined;
  const known = parts.targets.get(request.url);
  if (known === undefined) return undefined;
  const { headers } = request;
  const { site, target } = known;
  if (site.kind === "s3") return undefined; // who asks is verified each time
  const asker = findAsker(parts.askers, site, { headers, search: "" });
  if (asker === undefined || headers.get("cdn-loop") !== null || !isPlain(headers)) return undefined;
  return giveReady(
    parts.isolate,
    asker,
    forCodings(target, () => ownAcceptEncoding(request)),
  );
}

/** Serves what a dialect claims; `undefined` for all that is to be passed through. */
export async function serve(parts: JourneyParts, arrival: Arrival): Promise<Answer | undefined> {
  const { isolate } = parts;
  const { site, method, headers } = arrival;
  const answer = readRoute(parts, arrival);
  if (answer.kind === "pass") return undefined;
  const refused = (response: Response) => uncached(site, siteLane(site), response);
  if (answer.kind === "refused") return refused(failureResponse(arrival, { problem: answer.problem }));
  const asker = await whoAsks(parts, arrival);
  if (asker instanceof Response) return refused(asker);
  if (asker === undefined) {
    const told = isLiteral(answer.target) ? undefined : unreadable(answer.target, arrival);
    return told && refused(told);
  }
  const target = forCodings(asNamed(answer.target, asker), arrival.acceptEncoding);
  const isPlainRead = method === "GET" && isPlain(headers);
  const ready = site.kind === "s3" && isPlainRead ? giveReady(isolate, asker, target) : undefined;
  if (ready !== undefined) return ready;
  const begun = newVisit(isolate, arrival, { target, asker });
  const visit = isListVisit(begun) ? byNumber(begun) : begun;
  const response = serveHot(visit, arrival) ?? (await serveOrTell(visit, arrival));
  return response && { response, record: counted(visit, response.status) };
}

/** A failure is an answer too, and counted as one with all that was met on the way to it. */
async function serveOrTell(visit: Visit, arrival: Arrival): Promise<Response | undefined> {
  try {
    return await serveWaiting(visit, arrival);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    noteTrouble(visit, error);
    return failureResponse(arrival, error);
  }
}

async function serveWaiting(asked: Visit, arrival: Arrival): Promise<Response | undefined> {
  const visit = await asMeant(asked);
  return (await serveCold(visit, arrival)) ?? unreadable(visit.target, arrival);
}

/** Whether an origin reads the path as the key of an object, whatever else it may be. */
function isLiteral(target: Target): boolean {
  return target.lane === "object" && target.literal !== undefined;
}

/** What no origin of its kind would understand is not passed through to it: it would answer with something else. */
function unreadable(target: Target, arrival: Arrival): Response | undefined {
  if (!isInside(target)) return undefined;
  const isOurs = target.lane === "object" || target.inside.kind === "tar" || target.inside.kind === "zip";
  return isOurs ? failureResponse(arrival, { problem: "archive_unreadable" }) : undefined;
}

/** Targets for clients that take gzip, made once, as their keys are remembered with them. */
const gzipTargets = new WeakMap<Target, Target>();

/** What is asked for by a client that takes these codings. */
function forCodings(target: Target, acceptEncoding: Arrival["acceptEncoding"]): Target {
  if (!isInside(target) || target.inside.kind !== "entry" || !acceptsGzip(acceptEncoding())) return target;
  const known = gzipTargets.get(target) ?? { ...target, inside: { ...target.inside, gzip: true } };
  gzipTargets.set(target, known);
  return known;
}

function readRoute({ isolate, targets }: JourneyParts, arrival: Arrival): Route {
  const { method, url, site, path, search, headers, bucket } = arrival;
  const corsOrigin = site.kind === "s3" ? (headers.get("origin") ?? undefined) : undefined;
  const isRead = method === "GET" || method === "HEAD";
  const isOpen = search === "" || (site.kind !== "s3" && !holdsCredential(site.kind, search));
  const isKnowable = isRead && isOpen && url.length <= LONGEST_KNOWN_URL && corsOrigin === undefined;
  const known = isKnowable ? targets.get(url) : undefined;
  if (known !== undefined) return { kind: "target", target: known.target };
  const answer = route(
    site.kind,
    { method, path, search, bucket, corsOrigin, scheme: url.startsWith("https:") ? "https:" : "http:" },
    isolate.ports.config.limits.PATH_BYTES,
  );
  if (isKnowable && answer.kind === "target") targets.set(url, { site, target: answer.target });
  return answer;
}
