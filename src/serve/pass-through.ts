import { PASSED_THROUGH } from "../core/cache-status.ts";
import { letGo } from "../core/let-go.ts";
import { loopMark } from "../core/loop.ts";
import type { Outgoing } from "../core/outgoing.ts";
import { Failure } from "../core/problem.ts";
import type { Site } from "../core/site.ts";
import { locationForSite } from "../core/site-url.ts";
import { ownAcceptEncoding } from "./arrival.ts";

/** What a client may not tell the origin about where its request came from, and for whom: an origin believes its proxy. */
const FORGEABLE =
  /^(?:x-forwarded(?:-.*)?|forwarded|x-real-ip|(?:.*-)?client-ip|x-original-.*|x-rewrite-url|x-webauth-.*)$/;

/** Many an origin reads `X_Real_IP` as `X-Real-IP` (RFC 3875 §4.1.18). */
function isForgeable(name: string): boolean {
  return FORGEABLE.test(name.replaceAll("_", "-"));
}

/**
 * What Cloudflare's own cache would answer the next asker with, unless it is told not to. It is told of nothing else, as it says so in
 * `Cache-Control`, which an upload leaves with the object.
 */
const READS = new Set(["GET", "HEAD"]);

export type PassingParts = {
  readonly site: Site;
  readonly request: Request;
  /** Where the request goes, and with which header fields, given those it came with. */
  readonly address: (headers: Headers) => Outgoing;
  /** Told the status, or `undefined` where none came. */
  readonly onAnswer: (status: number | undefined) => void;
};

/** Sends a request on, and its answer back: any method, bodies streamed both ways, upgrades included, codings left alone. */
export async function passThrough({ site, request, address, onAnswer }: PassingParts): Promise<Response> {
  const { protocol, host } = new URL(request.url);
  const given = new Headers(request.headers);
  for (const name of request.headers.keys()) if (isForgeable(name)) given.delete(name);
  given.delete("expect"); // the edge has answered it: the origin's 100 would come for nobody
  const codings = ownAcceptEncoding(request);
  if (site.kind === "s3" && codings !== null) given.set("Accept-Encoding", codings); // it may be signed
  given.set("X-Forwarded-Host", host);
  given.set("X-Forwarded-Proto", protocol.slice(0, -1));
  const client = given.get("cf-connecting-ip");
  if (client !== null) given.set("X-Forwarded-For", client);
  given.append("CDN-Loop", loopMark(site));
  const { url, headers, body, sent } = address(given);
  const fault = sent?.then(
    () => undefined,
    (error: unknown) => error,
  );
  const asIs = { headers, redirect: "manual", encodeResponseBody: "manual" } as const;
  const init: RequestInit = READS.has(request.method) ? { ...asIs, cache: "no-store" } : asIs;
  const outgoing =
    body === undefined ? new Request(url, request) : new Request(url, { method: request.method, body });
  try {
    const response = await fetch(outgoing, init);
    onAnswer(response.status);
    return asSite(site, response);
  } catch (error) {
    onAnswer(undefined);
    await letGo(body); // it is being read, and so ends with the request
    const ofBody = await fault;
    throw ofBody instanceof Failure ? ofBody : new Failure("origin_unreachable", undefined, error);
  }
}

function asSite(site: Site, response: Response): Response {
  if (response.webSocket !== null) return response; // an upgrade is handed over as it is
  const { status, statusText, headers } = response;
  const answer = new Response(response.body, { status, statusText, headers, encodeBody: "manual" });
  answer.headers.append("Cache-Status", PASSED_THROUGH);
  const location = response.headers.get("location");
  if (location !== null) answer.headers.set("Location", locationForSite(location, site));
  return answer;
}
