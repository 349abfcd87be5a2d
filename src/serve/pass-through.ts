import { PASSED_THROUGH } from "../core/cache-status.ts";
import { loopMark } from "../core/loop.ts";
import { Failure } from "../core/problem.ts";
import type { Site } from "../core/site.ts";
import { locationForSite } from "../core/site-url.ts";
import { splitUrl } from "./arrival.ts";

/** What a client may not tell the origin about where its request came from: only the edge knows. */
const FORGEABLE = [
  "forwarded",
  "x-forwarded-host",
  "x-forwarded-proto",
  "x-forwarded-port",
  "x-forwarded-for",
];

/**
 * Sends a request on as it is, and its answer back: any method, bodies streamed both ways, upgrades included.
 * `onAnswer` is told the status, or `undefined` where none came.
 */
export async function passThrough(
  site: Site,
  request: Request,
  onAnswer: (status: number | undefined) => void,
): Promise<Response> {
  const url = new URL(request.url);
  const headers = new Headers(request.headers);
  for (const name of FORGEABLE) headers.delete(name);
  headers.set("X-Forwarded-Host", site.host);
  headers.set("X-Forwarded-Proto", url.protocol.slice(0, -1));
  const client = headers.get("cf-connecting-ip");
  if (client !== null) headers.set("X-Forwarded-For", client);
  headers.append("CDN-Loop", loopMark(site));
  const { path, search } = splitUrl(request.url);
  try {
    const response = await fetch(new Request(site.origin + path + search, request), {
      headers,
      redirect: "manual",
    });
    onAnswer(response.status);
    return asSite(site, response);
  } catch (error) {
    onAnswer(undefined);
    throw new Failure("origin_unreachable", undefined, error);
  }
}

function asSite(site: Site, response: Response): Response {
  if (response.webSocket !== null) return response; // an upgrade is handed over as it is
  const answer = new Response(response.body, response);
  answer.headers.append("Cache-Status", PASSED_THROUGH);
  const location = response.headers.get("location");
  if (location !== null) answer.headers.set("Location", locationForSite(location, site));
  return answer;
}
