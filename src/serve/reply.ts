import {
  evaluatePreconditions,
  isStrongDate,
  rangeApplies,
  withQuotes,
  type Validators,
} from "../core/conditional.ts";
import type { Entry } from "../core/entry.ts";
import { planMultipart } from "../core/multipart.ts";
import {
  contentRange,
  selectRanges,
  unsatisfiedContentRange,
  type ByteRange,
  type RangeAnswer,
} from "../core/range.ts";
import type { Arrival } from "./arrival.ts";
import { failureResponse } from "./problem-response.ts";
import { respond } from "./respond.ts";
import type { Content, Gathered } from "./content.ts";
import { headersFor, headersForPart, withoutContent } from "./response-headers.ts";
import { endVisit, type Visit } from "./visit.ts";

/** An admitted request, and what is known of that which answers it. */
export type Answerable = {
  readonly visit: Visit;
  readonly arrival: Arrival;
  readonly entry: Entry;
};

/** The same with the means to get at its bytes. */
export type Sendable = Answerable & { readonly content: Content };

/** Answers with all, parts or none of a body: preconditions first, then ranges (RFC 9110 §13.2.2, §14.2). */
export async function reply(sendable: Sendable): Promise<Response> {
  const { entry, content } = sendable;
  const early = replyWithoutBody(sendable);
  if (early !== undefined) return early;
  const wanted = wantedOf(sendable);
  if (wanted.kind === "unsatisfiable") return unsatisfied(sendable);
  if (content.all !== undefined) return replyFromBytes(sendable, await content.all(), wanted);
  const ranges = wanted.kind === "whole" ? [{ start: 0, end: entry.size }] : wanted.ranges;
  const [only, second] = ranges;
  if (only === undefined || second !== undefined) return await replyParts(sendable, ranges);
  return await replyRange(sendable, only, wanted.kind === "whole" ? 200 : 206);
}

/** Which bytes a request wants of a body (RFC 9110 §14.2, and §13.1.5 for whether Range counts). */
export function wantedOf({ visit, arrival, entry }: Answerable): RangeAnswer {
  const { RANGE_PARTS } = visit.isolate.ports.config.limits;
  return selectRanges(rangeHeader(arrival, entry), entry.size, RANGE_PARTS);
}

function unsatisfied({ arrival, entry: { size } }: Answerable): Response {
  const more = { RangeRequested: arrival.headers.get("range") ?? "", ActualObjectSize: String(size) };
  const headers = { "Content-Range": unsatisfiedContentRange(size) };
  return failureResponse(arrival, { problem: "range_not_satisfiable", headers, more });
}

/** The same where the whole body is in hand. */
export function replyFromBytes(answerable: Answerable, bytes: Uint8Array, wanted: RangeAnswer): Response {
  const { visit, entry } = answerable;
  if (wanted.kind === "unsatisfiable") return unsatisfied(answerable);
  if (isFromMemory(visit)) visit.trace.hotBytes = wantedBytes(wanted, entry);
  if (wanted.kind === "whole") return respond(bytes, { headers: headersFor(visit, entry) });
  const [only, second] = wanted.ranges;
  const headers = headersForPart(visit, entry);
  if (only !== undefined && second === undefined) {
    headers.set("Content-Range", contentRange(only, entry.size));
    return respond(bytes.subarray(only.start, only.end), { status: 206, headers });
  }
  const plan = planMultipart(
    wanted.ranges,
    entry.size,
    headers.get("content-type") ?? undefined,
    newBoundary(),
  );
  headers.set("Content-Type", plan.contentType);
  const parts = plan.segments.map((segment) =>
    segment.kind === "text" ? segment.bytes : bytes.subarray(segment.range.start, segment.range.end),
  );
  return respond(new Blob(parts), { status: 206, headers });
}

function isFromMemory({ trace: { body } }: Visit): boolean {
  return body.kind === "hit" && body.tier === "memory";
}

function wantedBytes(wanted: RangeAnswer, { size }: Entry): number {
  return wanted.kind === "parts" ? wanted.ranges.reduce((sum, { start, end }) => sum + end - start, 0) : size;
}

/** The answers that need no body: 304, 412, and HEAD. */
export function replyWithoutBody(answerable: Answerable): Response | undefined {
  const { visit, arrival, entry } = answerable;
  const header = (name: string) => arrival.headers.get(name);
  const tags = (name: string) => (visit.site.kind === "s3" ? withQuotes(header(name)) : header(name));
  const verdict = evaluatePreconditions(
    {
      ifMatch: tags("if-match"),
      ifNoneMatch: tags("if-none-match"),
      ifModifiedSince: header("if-modified-since"),
      ifUnmodifiedSince: header("if-unmodified-since"),
    },
    validators(entry),
  );
  if (verdict === "failed") return preconditionFailed(answerable);
  const headers = headersFor(visit, entry);
  if (verdict === "not-modified")
    return new Response(null, { status: 304, headers: withoutContent(headers) });
  if (arrival.method !== "HEAD") return undefined;
  return visit.site.kind === "s3" ? headOfStore(answerable) : head(headers, entry.size, 200);
}

function preconditionFailed({ visit, arrival, entry: { etag } }: Answerable): Response {
  const isTag = arrival.headers.get("if-match") !== null;
  const more = { Condition: isTag ? "If-Match" : "If-Unmodified-Since" };
  const headers: Record<string, string> =
    etag === undefined || visit.site.kind === "s3" ? {} : { ETag: etag };
  return failureResponse(arrival, { problem: "precondition_failed", headers, more });
}

/** A store answers HEAD as it would GET, ranges included (S3: HeadObject); a forge knows ranges for GET alone (RFC 9110 §14.2). */
function headOfStore(answerable: Answerable): Response {
  const { visit, entry } = answerable;
  const wanted = wantedOf(answerable);
  if (wanted.kind === "unsatisfiable") return unsatisfied(answerable);
  const [only, second] = wanted.kind === "parts" ? wanted.ranges : [];
  if (only === undefined || second !== undefined) return head(headersFor(visit, entry), entry.size, 200);
  const headers = headersForPart(visit, entry);
  headers.set("Content-Range", contentRange(only, entry.size));
  return head(headers, only.end - only.start, 206);
}

function head(headers: Headers, length: number, status: 200 | 206): Response {
  const whole = new Headers(headers);
  whole.set("Content-Length", String(length));
  return respond(null, { status, headers: whole });
}

/** The Range header, where a precondition of its own (If-Range) lets it count (RFC 9110 §13.1.5). */
function rangeHeader(arrival: Arrival, entry: Entry): string | null {
  const range = arrival.headers.get("range");
  if (range === null) return null;
  const ifRange = arrival.headers.get("if-range");
  return ifRange === null || rangeApplies(ifRange, strongValidators(entry)) ? range : null;
}

/** Without a date that may be another version's too: when an entry was learned is told by our clock, the date by the origin's. */
function strongValidators({ at, etag, lastModified }: Entry): Validators {
  return { etag, lastModified: isStrongDate(lastModified, at) ? lastModified : undefined };
}

function validators({ etag, lastModified }: Entry): Validators {
  return { etag, lastModified };
}

/** Sends one range, or all. What lies in one stored block is sent as the store gave it; more is joined natively. */
async function replyRange(sendable: Sendable, range: ByteRange, status: 200 | 206): Promise<Response> {
  const { visit, entry, content } = sendable;
  const { sending, close } = await content.gather([{ kind: "range", range }]);
  const headers = status === 206 ? headersForPart(visit, entry) : headersFor(visit, entry);
  const length = range.end - range.start;
  headers.set("Content-Length", String(length));
  if (status === 206) headers.set("Content-Range", contentRange(range, entry.size));
  if (sending.single !== undefined) {
    close();
    return respond(sending.single, { status, headers });
  }
  return pump({ visit, sending, close }, { status, headers, length });
}

async function replyParts(sendable: Sendable, ranges: readonly ByteRange[]): Promise<Response> {
  const { visit, entry, content } = sendable;
  const type = entry.headers.find(([name]) => name === "content-type")?.[1];
  const plan = planMultipart(ranges, entry.size, type, newBoundary());
  const { sending, close } = await content.gather(plan.segments);
  const headers = headersForPart(visit, entry);
  headers.set("Content-Type", plan.contentType);
  headers.set("Content-Length", String(plan.length));
  return pump({ visit, sending, close }, { status: 206, headers, length: plan.length });
}

type Begun = Gathered & { readonly visit: Visit };

type Head = { readonly status: number; readonly headers: Headers; readonly length: number };

/** A response of exactly `length` bytes: where they cannot all be had it is visibly broken off. */
function pump({ visit, sending, close }: Begun, { status, headers, length }: Head): Response {
  const { readable, writable } = new FixedLengthStream(length);
  visit.isSending = true;
  const sent = sending
    .write(writable)
    .then(() => writable.close())
    .catch((error: unknown) => writable.abort(error))
    .catch(() => undefined) // the client went away: there is nobody to tell
    .finally(() => {
      close();
      endVisit(visit);
    });
  visit.defer(sent);
  return respond(readable, { status, headers });
}

function newBoundary(): string {
  return crypto.randomUUID();
}
