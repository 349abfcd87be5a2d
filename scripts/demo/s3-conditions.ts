import type { IncomingHttpHeaders } from "node:http";
import { S3Failure } from "./s3-failure.ts";

/** What conditions are tried against. */
export interface S3Validators {
  /** Quoted. */
  readonly etag: string;
  /** Milliseconds since 1970, full seconds. */
  readonly lastModified: number;
}

export type ConditionOutcome =
  | { readonly kind: "proceed" }
  | { readonly kind: "not-modified" }
  | { readonly kind: "failed"; readonly condition: string };

const PROCEED: ConditionOutcome = { kind: "proceed" };

/**
 * What the conditions of a GET or HEAD come to (RFC 9110 §13.2.2): an entity tag outweighs the date beside it. Tags are accepted
 * without their quotes, as S3 accepts them.
 */
export function tryReadConditions(headers: IncomingHttpHeaders, current: S3Validators): ConditionOutcome {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  const modifiedSince = dateOf(headers["if-modified-since"]);
  const unmodifiedSince = dateOf(headers["if-unmodified-since"]);
  if (match !== undefined && !namesTag(match, current.etag)) return failed("If-Match");
  if (match === undefined && unmodifiedSince !== undefined && current.lastModified > unmodifiedSince)
    return failed("If-Unmodified-Since");
  if (noneMatch !== undefined) return namesTag(noneMatch, current.etag) ? { kind: "not-modified" } : PROCEED;
  if (modifiedSince !== undefined && current.lastModified <= modifiedSince) return { kind: "not-modified" };
  return PROCEED;
}

/** Refuses a write whose `If-Match` or `If-None-Match: *` does not hold. */
export function insistOnWriteConditions(
  headers: IncomingHttpHeaders,
  current: S3Validators | undefined,
  key: string,
): void {
  const { "if-match": match, "if-none-match": noneMatch } = headers;
  if (noneMatch !== undefined && noneMatch !== "*")
    throw new S3Failure("NotImplemented", { elements: { Header: "If-None-Match" } });
  if (noneMatch !== undefined && current !== undefined) throw preconditionFailed("If-None-Match");
  if (match === undefined) return;
  if (current === undefined) throw new S3Failure("NoSuchKey", { elements: { Key: key } });
  if (!namesTag(match, current.etag)) throw preconditionFailed("If-Match");
}

export function preconditionFailed(condition: string): S3Failure {
  return new S3Failure("PreconditionFailed", { elements: { Condition: condition } });
}

/** Whether `If-Range`, a tag or a date, still names the current bytes, so that a part may be sent (RFC 9110 §13.1.5). */
export function rangeApplies(ifRange: string | undefined, current: S3Validators): boolean {
  if (ifRange === undefined) return true;
  const date = dateOf(ifRange);
  return date === undefined ? ifRange === current.etag : date === current.lastModified;
}

function failed(condition: string): ConditionOutcome {
  return { kind: "failed", condition };
}

function namesTag(list: string, etag: string): boolean {
  const tags = list.split(",").map((item) => bare(item.trim()));
  return tags.some((tag) => tag === "*" || tag === bare(etag));
}

function bare(tag: string): string {
  return tag.replace(/^"(.*)"$/, "$1");
}

/** Undefined for what is no HTTP date, which is as if it were not there. */
function dateOf(text: string | undefined): number | undefined {
  if (text === undefined || !/^[A-Za-z]{3,9},? /.test(text)) return undefined;
  const parsed = Date.parse(text);
  return Number.isNaN(parsed) ? undefined : parsed;
}
