import type { Defer } from "../core/defer.ts";
import type { Site } from "../core/site.ts";

/** A request taken apart once: every look at a property of a `Request` goes through the platform. */
export type Arrival = {
  readonly site: Site;
  /** As it was sent, and what of it stands before the site's own. */
  readonly host: string;
  readonly bucket: string | undefined;
  readonly url: string;
  readonly method: string;
  /** Path and query exactly as they were sent: `URL` would resolve dot segments first. */
  readonly path: string;
  readonly search: string;
  readonly headers: Headers;
  /** The codings that the client takes, as it said itself; looked up only where it matters. */
  readonly acceptEncoding: () => string | null;
  /** Keeps work going behind the response. */
  readonly defer: Defer;
};

export type UrlParts = { readonly host: string; readonly path: string; readonly search: string };

/** The host, path and query of an absolute URL, as they stand. */
export function splitUrl(url: string): UrlParts {
  const hostStart = url.indexOf("//") + 2;
  const pathStart = url.indexOf("/", hostStart);
  if (pathStart === -1) return { host: url.slice(hostStart), path: "/", search: "" };
  const query = url.indexOf("?", pathStart);
  const host = url.slice(hostStart, pathStart);
  if (query === -1) return { host, path: url.slice(pathStart), search: "" };
  return { host, path: url.slice(pathStart, query), search: url.slice(query) };
}

/** Cloudflare puts its own word in the place of the client's. */
export function ownAcceptEncoding({ cf, headers }: Request): string | null {
  const own = cf?.["clientAcceptEncoding"];
  return typeof own === "string" ? own : headers.get("accept-encoding");
}
