import type { IncomingHttpHeaders } from "node:http";
import { matchesExactly, matchesWeakly } from "./entity-tags.ts";

/** What conditions are tried against. */
export interface ContentValidators {
  /** As it is sent, weak or strong. */
  readonly etag: string;
  /** Milliseconds since 1970, full seconds. */
  readonly lastModified: number;
}

export type ContentOutcome =
  /** `range` is the `Range` to honour, if any. */
  | { readonly kind: "proceed"; readonly range: string | undefined }
  | { readonly kind: "not-modified" }
  | { readonly kind: "failed" };

/** What the conditions of a GET or HEAD come to (RFC 9110 §13.2.2), in the way of `http.ServeContent` of Go. */
export function tryConditions(headers: IncomingHttpHeaders, current: ContentValidators): ContentOutcome {
  const { "if-match": match, "if-none-match": noneMatch, range } = headers;
  const unmodifiedSince = dateOf(headers["if-unmodified-since"]);
  const modifiedSince = dateOf(headers["if-modified-since"]);
  const matches =
    match === undefined
      ? unmodifiedSince === undefined || current.lastModified <= unmodifiedSince
      : match.trim() === "*" || matchesStrongly(match, current.etag);
  if (!matches) return { kind: "failed" };
  const isCurrent =
    noneMatch === undefined
      ? modifiedSince !== undefined && current.lastModified <= modifiedSince
      : matchesWeakly(noneMatch, current.etag);
  if (isCurrent) return { kind: "not-modified" };
  return { kind: "proceed", range: rangeApplies(headers["if-range"], current) ? range : undefined };
}

/** A weak tag never says that the bytes are the same, so that it gets the whole. */
function rangeApplies(ifRange: string | string[] | undefined, current: ContentValidators): boolean {
  if (typeof ifRange !== "string") return true;
  if (/^(W\/)?"/.test(ifRange)) return matchesStrongly(ifRange, current.etag);
  return dateOf(ifRange) === current.lastModified;
}

function matchesStrongly(list: string, etag: string): boolean {
  return !etag.startsWith("W/") && matchesExactly(list, etag);
}

/** Undefined for what is no HTTP date, which is as if it were not there. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? undefined : parsed;
}
