import { formatCacheStatus } from "../core/cache-status.ts";
import { clientCacheControl, LIST_CACHE_CONTROL } from "../core/client-caching.ts";
import type { Entry } from "../core/entry.ts";
import { ageInSeconds } from "../core/freshness.ts";
import { isOfTheWhole } from "../core/object-headers.ts";
import { isImmutable } from "../core/pin.ts";
import { credentialHeaders } from "../core/principal.ts";
import { sharingHeaders } from "../core/zip/entry-headers.ts";
import { isReadableByAnyone } from "./granted.ts";
import { isInside } from "./inside-target.ts";
import { formatServerTiming } from "./trace.ts";
import type { Visit } from "./visit.ts";

/** Header fields of a 200; to be copied before they are changed where they are to be given again. */
export function headersFor(visit: Visit, entry: Entry): Headers {
  const { trace, target, site, isolate } = visit;
  const { body, entryTier } = trace;
  if (body.kind === "unused" && entryTier !== undefined)
    trace.body = { kind: "hit", tier: entryTier, ttl: undefined };
  const headers = new Headers(entry.headers.map(([name, value]): [string, string] => [name, value]));
  if (target.lane === "raw" && target.name.kind === "ref" && headers.has("x-gitlab-ref"))
    headers.set("X-Gitlab-Ref", target.name.ref);
  if (entry.etag !== undefined) headers.set("ETag", entry.etag);
  if (entry.lastModified !== undefined) headers.set("Last-Modified", entry.lastModified);
  headers.set("Accept-Ranges", "bytes");
  headers.set("Age", String(ageInSeconds(trace.validatedAt, isolate.ports.now())));
  if (target.lane === "pipelines") headers.set("Cache-Control", LIST_CACHE_CONTROL);
  else if (site.kind !== "s3") {
    headers.set("Cache-Control", clientCacheControl(isReadableByAnyone(visit), isImmutable(target)));
  }
  if (isInside(target))
    for (const [name, value] of sharingHeaders(isReadableByAnyone(visit))) headers.set(name, value);
  const vary = varyOf(visit);
  if (vary.length > 0) headers.set("Vary", vary.join(", "));
  headers.set("Cache-Status", formatCacheStatus(trace.grant, trace.revision, trace.body));
  headers.set("Server-Timing", formatServerTiming(trace));
  return headers;
}

/** By what of a request an answer may be another one (RFC 9110 §12.5.5). */
function varyOf({ site, target }: Visit): readonly string[] {
  const askers = site.kind === "s3" ? [] : credentialHeaders(site.kind);
  const isCodable = isInside(target) && target.inside.kind === "entry";
  return isCodable ? ["accept-encoding", ...askers] : askers;
}

/** Header fields of an answer that is no content, but a "no" or the way to another place: never stored by anyone. */
export function headersOfNoContent({ site, trace }: Visit): Headers {
  const headers = new Headers({ "Cache-Control": "no-store" });
  if (site.kind !== "s3") headers.set("Vary", credentialHeaders(site.kind).join(", "));
  headers.set("Cache-Status", formatCacheStatus(trace.grant, trace.revision, trace.body));
  headers.set("Server-Timing", formatServerTiming(trace));
  return headers;
}

/** Header fields of a 206. */
export function headersForPart(visit: Visit, entry: Entry): Headers {
  const headers = headersFor(visit, entry);
  for (const [name] of entry.headers) if (isOfTheWhole(name)) headers.delete(name);
  return headers;
}

/** What a 304 repeats of a 200, and nothing about a content it does not have (RFC 9110 §15.4.5). */
export function withoutContent(headers: Headers): Headers {
  const kept = new Headers();
  for (const name of [
    "ETag",
    "Age",
    "Cache-Control",
    "Vary",
    "Cache-Status",
    "Server-Timing",
    "Last-Modified",
    "Expires",
    "x-amz-version-id",
  ]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
}
