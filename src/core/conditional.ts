import { parseHttpDate } from "./http-date.ts";

/** What identifies the current representation, as its headers say it; an `etag` keeps `W/` and quotes. */
export type Validators = { readonly etag?: string | undefined; readonly lastModified?: string | undefined };

/** The values of the conditional request headers; null for each header that is absent. */
export type Preconditions = {
  readonly ifMatch: string | null;
  readonly ifNoneMatch: string | null;
  readonly ifModifiedSince: string | null;
  readonly ifUnmodifiedSince: string | null;
};

/** Go on to the range and the body, answer 304, or answer 412. */
export type PreconditionAnswer = "proceed" | "not-modified" | "failed";

type Comparison = "strong" | "weak";

/**
 * How to answer a GET or HEAD for a representation that exists, in the order of RFC 9110 §13.2.2.
 *
 * A date is ignored when the entity-tag header of its pair is present, even an empty one; when it is
 * not an HTTP-date; and when there is no valid `Last-Modified` to compare it with (§13.1.3, §13.1.4).
 *
 * A list of entity tags is read up to its first malformed member: what stands before may match, that
 * member and all behind it never do, as nobody can tell which quotes still pair. A malformed `etag`
 * of ours matches only `*`. Tags with spaces in the quotes, as RFC 2616 had them, are accepted.
 */
export function evaluatePreconditions(preconditions: Preconditions, current: Validators): PreconditionAnswer {
  if (hasFailed(preconditions, current)) return "failed";
  return isNotModified(preconditions, current) ? "not-modified" : "proceed";
}

/**
 * Whether `If-Range` still names the current bytes, so that a part may be sent (RFC 9110 §13.1.5).
 *
 * An entity tag compares strongly, so a weak one never applies. A date applies only if it is an
 * HTTP-date and the very text of `Last-Modified`; a caller leaves `lastModified` out where that date is
 * no strong validator (`isStrongDate`).
 */
export function rangeApplies(ifRange: string | null, current: Validators): boolean {
  if (ifRange === null) return true;
  if (endOfEntityTag(ifRange, 0) === ifRange.length) {
    return ifRange === current.etag && !isWeak(ifRange);
  }
  return ifRange === current.lastModified && parseHttpDate(ifRange) !== undefined;
}

/** How far the clocks of an origin and of the edge are trusted to be apart at most, in milliseconds. */
const CLOCKS_APART_MS = 60_000;

/**
 * Whether a date of modification is that of no version after the one seen at `seenAt`: the second it names was over by then
 * (RFC 9110 §8.8.2.2). `marginMs` allows for the two having been told by different clocks.
 */
export function isStrongDate(
  lastModified: string | undefined,
  seenAt: number,
  marginMs = CLOCKS_APART_MS,
): boolean {
  const modified = lastModified === undefined ? undefined : parseHttpDate(lastModified);
  return modified !== undefined && seenAt - modified >= marginMs;
}

/** A list of entity tags in which quotes were left out, as many S3 clients do, with them. */
export function withQuotes(list: string | null): string | null {
  if (list === null || list.includes('"') || list.trim() === "*") return list;
  return list
    .split(",")
    .map((tag) => `"${tag.trim()}"`)
    .join(", ");
}

function hasFailed({ ifMatch, ifUnmodifiedSince }: Preconditions, current: Validators): boolean {
  if (ifMatch !== null) return !matchesAny(ifMatch, current.etag, "strong");
  return wasModifiedSince(ifUnmodifiedSince, current.lastModified) === true;
}

function isNotModified({ ifNoneMatch, ifModifiedSince }: Preconditions, current: Validators): boolean {
  if (ifNoneMatch !== null) return matchesAny(ifNoneMatch, current.etag, "weak");
  return wasModifiedSince(ifModifiedSince, current.lastModified) === false;
}

/** Undefined when either date is absent or not an HTTP-date, which decides nothing. */
function wasModifiedSince(since: string | null, lastModified: string | undefined): boolean | undefined {
  if (since === null || lastModified === undefined) return undefined;
  const limit = parseHttpDate(since);
  const modified = parseHttpDate(lastModified);
  if (limit === undefined || modified === undefined) return undefined;
  return modified > limit;
}

function matchesAny(list: string, etag: string | undefined, comparison: Comparison): boolean {
  if (list === "*") return true;
  if (etag === undefined || endOfEntityTag(etag, 0) !== etag.length) return false;
  if (comparison === "strong" && isWeak(etag)) return false;
  const opaque = isWeak(etag) ? etag.slice(2) : etag;
  let at = skipSeparators(list, 0);
  while (at < list.length) {
    const end = endOfEntityTag(list, at);
    if (end === undefined || !endsMember(list, end)) return false;
    const weak = list[at] === "W";
    const start = weak ? at + 2 : at;
    const comparable = !(weak && comparison === "strong");
    if (comparable && end - start === opaque.length && list.startsWith(opaque, start)) return true;
    at = skipSeparators(list, end);
  }
  return false;
}

function isWeak(etag: string): boolean {
  return etag.startsWith("W/");
}

/** Where the entity tag at `at` ends (RFC 9110 §8.8.3); undefined when there is none. */
function endOfEntityTag(text: string, at: number): number | undefined {
  const quote = text.startsWith("W/", at) ? at + 2 : at;
  if (text[quote] !== '"') return undefined;
  for (let index = quote + 1; index < text.length; index += 1) {
    if (text[index] === '"') return index + 1;
    if (!isTagCharacter(text.charCodeAt(index))) return undefined;
  }
  return undefined;
}

function isTagCharacter(code: number): boolean {
  return code >= 0x20 && code !== 0x7f;
}

/** Whether a member is over at `at`: only optional whitespace before a comma or the end. */
function endsMember(list: string, at: number): boolean {
  const next = skipWhitespace(list, at);
  return next === list.length || list[next] === ",";
}

/** Past commas and whitespace, and so past the empty members that RFC 9110 §5.6.1.2 has us ignore. */
function skipSeparators(list: string, at: number): number {
  let next = skipWhitespace(list, at);
  while (list[next] === ",") next = skipWhitespace(list, next + 1);
  return next;
}

function skipWhitespace(text: string, at: number): number {
  let next = at;
  while (text[next] === " " || text[next] === "\t") next += 1;
  return next;
}
