import { contentRange } from "./range.ts";
import type { ByteRange } from "./range.ts";

/** The body of a multipart 206: framing to send as it is, and ranges to fill with their bytes. */
export type MultipartPlan = {
  readonly contentType: string;
  readonly length: number;
  readonly segments: readonly (
    | { readonly kind: "text"; readonly bytes: Uint8Array }
    | { readonly kind: "range"; readonly range: ByteRange }
  )[];
};

/** The boundary characters of RFC 2046 §5.1.1 that need no quotes in `Content-Type`. */
const BOUNDARY = /^[0-9A-Za-z'+_.-]{1,70}$/;

const encoder = new TextEncoder();

/**
 * The framing of several ranges as `multipart/byteranges` (RFC 9110 §14.6, RFC 2046 §5.1.1), with
 * the exact `length` in bytes that `Content-Length` takes before any byte is read.
 *
 * The CRLF before a boundary belongs to the boundary, so there is none before the first. Parts stand
 * in the order of `ranges` and carry `partType` as their `Content-Type`, none when it is undefined.
 * The caller has two ranges or more (§15.3.7.2 forbids multipart for the request of one), and a
 * `boundary` too random to occur in the bytes, which are not looked at.
 *
 * Throws a TypeError when `boundary` is not 1 to 70 letters, digits or `'+_.-`; the rest of RFC 2046
 * would need quotes, and clients are known to fail on quoted boundaries.
 */
export function planMultipart(
  ranges: readonly ByteRange[],
  size: number,
  partType: string | undefined,
  boundary: string,
): MultipartPlan {
  if (!BOUNDARY.test(boundary)) {
    throw new TypeError(`Cannot frame byte ranges with the boundary ${JSON.stringify(boundary)}`);
  }
  const typeLine = partType === undefined ? "" : `Content-Type: ${partType}\r\n`;
  const segments: MultipartPlan["segments"][number][] = [];
  let length = 0;
  const addText = (text: string): void => {
    const bytes = encoder.encode(text);
    segments.push({ kind: "text", bytes });
    length += bytes.byteLength;
  };
  let delimiter = `--${boundary}`;
  for (const range of ranges) {
    addText(`${delimiter}\r\n${typeLine}Content-Range: ${contentRange(range, size)}\r\n\r\n`);
    segments.push({ kind: "range", range });
    length += range.end - range.start;
    delimiter = `\r\n--${boundary}`;
  }
  addText(`${delimiter}--\r\n`);
  return { contentType: `multipart/byteranges; boundary=${boundary}`, length, segments };
}
