import { randomBytes } from "node:crypto";
import type { OutgoingHttpHeaders } from "node:http";
import { pipeline } from "node:stream/promises";
import type { ArtifactBytes } from "./artifact-bytes.ts";
import type { ByteRange } from "./blob-response.ts";
import { tryConditions } from "./content-conditions.ts";
import { contentRanges } from "./content-ranges.ts";
import type { Exchange } from "./exchange.ts";

const BOUNDARY_BYTES = 30;
/** What is said of the content, and not of the answer that it could not be sent (Go 1.23 and later). */
const CONTENT_HEADERS = ["Cache-Control", "ETag", "Last-Modified"];

/**
 * Answers as `http.ServeContent` of Go does, which is how GitLab Workhorse sends a file from disk: validators, If-Range, and one
 * range or several, with what is peculiar to it. A range that it cannot read is refused, not ignored, and ranges that add up to
 * more than the content are ignored.
 */
export async function serveContent(
  exchange: Exchange,
  bytes: ArtifactBytes,
  given: OutgoingHttpHeaders & { readonly "Content-Type": string; readonly ETag: string },
): Promise<void> {
  const { request } = exchange;
  const { size, lastModified } = bytes;
  const headers = { ...given, "Last-Modified": new Date(lastModified).toUTCString() };
  const outcome = tryConditions(request.headers, { etag: given.ETag, lastModified });
  if (outcome.kind === "failed") return sendEmpty(exchange, 412, headers);
  if (outcome.kind === "not-modified")
    return sendEmpty(exchange, 304, without(headers, ["Content-Type", "Last-Modified"]));
  const asked = contentRanges(outcome.range, size);
  if (asked.kind === "refused") return refuseRange(exchange, headers, asked);
  const plan = planOf(asked.ranges, size, headers["Content-Type"]);
  exchange.head(plan.status, {
    ...headers,
    ...plan.headers,
    "Accept-Ranges": "bytes",
    "Content-Length": plan.length,
  });
  await sendParts(exchange, bytes, plan.parts);
}

/** Text as it is, and parts of the content. */
type Part = string | ByteRange;

interface Plan {
  readonly status: 200 | 206;
  readonly headers: OutgoingHttpHeaders;
  readonly length: number;
  readonly parts: readonly Part[];
}

function planOf(ranges: readonly ByteRange[], size: number, contentType: string): Plan {
  const [first] = ranges;
  if (first === undefined)
    return { status: 200, headers: {}, length: size, parts: [{ start: 0, end: size }] };
  if (ranges.length === 1) {
    const headers = { "Content-Range": contentRange(first, size) };
    return { status: 206, headers, length: first.end - first.start, parts: [first] };
  }
  const boundary = randomBytes(BOUNDARY_BYTES).toString("hex");
  const parts = ranges.flatMap((range, index): Part[] => [
    `${index === 0 ? "" : "\r\n"}--${boundary}\r\nContent-Range: ${contentRange(range, size)}\r\nContent-Type: ${contentType}\r\n\r\n`,
    range,
  ]);
  parts.push(`\r\n--${boundary}--\r\n`);
  const length = parts.reduce((sum, part) => sum + lengthOf(part), 0);
  return {
    status: 206,
    headers: { "Content-Type": `multipart/byteranges; boundary=${boundary}` },
    length,
    parts,
  };
}

function contentRange({ start, end }: ByteRange, size: number): string {
  return `bytes ${start}-${end - 1}/${size}`;
}

function lengthOf(part: Part): number {
  return typeof part === "string" ? Buffer.byteLength(part) : part.end - part.start;
}

/** Streams parts of an artifact, unless the request is a HEAD, and counts their bytes; one that ends early breaks the connection. */
export async function sendParts(
  { request, response, counter }: Exchange,
  bytes: ArtifactBytes,
  parts: readonly Part[],
): Promise<void> {
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  await pipeline(async function* () {
    for (const part of parts) {
      if (typeof part === "string") {
        yield Buffer.from(part);
        continue;
      }
      let missing = part.end - part.start;
      for await (const chunk of bytes.read(part)) {
        missing -= chunk.length;
        counter.add("artifactBytes", chunk.length);
        yield chunk;
      }
      if (missing !== 0) throw new Error(`Cannot send an artifact: ${missing} bytes are missing`);
    }
  }, response);
}

function refuseRange(
  exchange: Exchange,
  headers: OutgoingHttpHeaders,
  refusal: { readonly message: string; readonly contentRange: string | undefined },
): void {
  const body = `${refusal.message}\n`;
  exchange.head(416, {
    ...without(headers, CONTENT_HEADERS),
    ...(refusal.contentRange === undefined ? {} : { "Content-Range": refusal.contentRange }),
    "Content-Type": "text/plain; charset=utf-8",
    "X-Content-Type-Options": "nosniff",
    "Content-Length": body.length,
  });
  exchange.response.end(exchange.request.method === "HEAD" ? undefined : body);
}

function sendEmpty(exchange: Exchange, status: number, headers: OutgoingHttpHeaders): void {
  exchange.head(status, status === 304 ? headers : { ...headers, "Content-Length": 0 });
  exchange.response.end();
}

function without(headers: OutgoingHttpHeaders, names: readonly string[]): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
