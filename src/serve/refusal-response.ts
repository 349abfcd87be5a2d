import type { Refusal } from "../core/refusal.ts";
import { signInPath } from "../core/sign-in.ts";
import { locationForSite } from "../core/site-url.ts";
import type { Arrival } from "./arrival.ts";
import { headersOfNoContent } from "./response-headers.ts";
import type { Visit } from "./visit.ts";

/**
 * The origin's own "no" to this asker. One thing is said in another way: smart HTTP challenges for Basic where the
 * web page would have sent a person to sign in, so a browser without credentials is sent there.
 */
export function refusalResponse(visit: Visit, arrival: Arrival, refusal: Refusal): Response {
  const { site } = visit;
  const headers = headersOfNoContent(visit);
  if (wantsSignIn(visit, arrival, refusal)) {
    headers.set("Location", signInPath(site.kind));
    return new Response(null, { status: 302, headers });
  }
  for (const [name, value] of refusal.headers) {
    headers.set(name, name === "location" ? locationForSite(value, site) : value);
  }
  return new Response(arrival.method === "HEAD" ? null : refusal.body, { status: refusal.status, headers });
}

function wantsSignIn({ site, target, asker }: Visit, arrival: Arrival, { status }: Refusal): boolean {
  return (
    status === 401 &&
    site.kind === "gitlab" &&
    target.lane === "raw" &&
    target.channel === "web" &&
    asker.principal.kind === "anonymous" &&
    (arrival.headers.get("accept") ?? "").includes("text/html")
  );
}
