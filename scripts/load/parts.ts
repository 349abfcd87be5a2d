import { contentOf, type MarkedContent } from "./content.ts";

/** Half-open. */
export type Part = { readonly start: number; readonly end: number };

/** One answer of 206, as far as it says which bytes it has. */
export type PartialAnswer = {
  readonly contentType: string;
  readonly contentRange: string | undefined;
  readonly body: string;
};

/** A `Range` header field for the parts. */
export function rangeHeader(parts: readonly Part[]): string {
  return `bytes=${parts.map(({ start, end }) => `${start}-${end - 1}`).join(",")}`;
}

/**
 * Whether a 206 is of this content, holds what was asked for, and nothing but its bytes where it says they are
 * (RFC 9110 §15.3.7); several parts may come merged.
 */
export function isPartOf(answer: PartialAnswer, content: MarkedContent, wanted: readonly Part[]): boolean {
  const parts = readParts(answer);
  if (parts === undefined || (wanted.length === 1 && parts.length !== 1)) return false;
  const areRight = parts.every(
    ({ start, end, total, body }) =>
      total === content.bytes &&
      end <= total &&
      body.length === end - start &&
      body === contentOf(content, start, end),
  );
  const [only] = wanted.length === 1 ? wanted : [];
  if (only !== undefined && (parts[0]?.start !== only.start || parts[0].end !== only.end)) return false;
  return (
    areRight && wanted.every((part) => parts.some(({ start, end }) => start <= part.start && part.end <= end))
  );
}

type ReadPart = Part & { readonly total: number; readonly body: string };

/** The parts of a 206, or `undefined` where it cannot be read. */
export function readParts({ contentType, contentRange, body }: PartialAnswer): ReadPart[] | undefined {
  const boundary = /^multipart\/byteranges;\s*boundary="?([^";]+)"?$/i.exec(contentType)?.[1];
  if (boundary === undefined) return all([readPart(contentRange, body)]);
  const pieces = `\r\n${body}`.split(`\r\n--${boundary}`);
  if (pieces.length < 3 || !/^--\s*$/.test(pieces.at(-1) ?? "")) return undefined;
  return all(pieces.slice(1, -1).map(readPiece));
}

function readPiece(piece: string): ReadPart | undefined {
  const cut = piece.indexOf("\r\n\r\n");
  if (cut < 0) return undefined;
  return readPart(/^content-range:\s*(.*)$/im.exec(piece.slice(0, cut))?.[1]?.trim(), piece.slice(cut + 4));
}

function readPart(contentRange: string | undefined, body: string): ReadPart | undefined {
  const [, start, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(contentRange ?? "") ?? [];
  if (start === undefined) return undefined;
  return { start: Number(start), end: Number(last) + 1, total: Number(total), body };
}

function all<Value>(values: readonly (Value | undefined)[]): Value[] | undefined {
  const there = values.filter((value) => value !== undefined);
  return there.length === values.length ? there : undefined;
}
