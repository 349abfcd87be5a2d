import type { ReadHeader } from "../core/header-fields.ts";
import type { ByteRange } from "../core/range.ts";
import { wholeNumber } from "../core/whole-number.ts";

export type Extent = { readonly size: number; readonly part: ByteRange };

/**
 * Which part of how much a 206 brings: `bytes 0-9/100` (RFC 9110 §14.4); `undefined` for what makes no sense, leaves the size
 * open, or is not the length that is sent.
 */
export function partExtent(header: ReadHeader): Extent | undefined {
  const match = /^bytes (\d{1,15})-(\d{1,15})\/(\d{1,15})$/.exec(header("content-range") ?? "");
  if (match === null) return undefined;
  const [start, last, size] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const length = last + 1 - start;
  const sent = wholeNumber(header("content-length")) ?? length;
  return start <= last && last < size && sent === length
    ? { size, part: { start, end: last + 1 } }
    : undefined;
}
