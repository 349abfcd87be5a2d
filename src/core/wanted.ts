import type { Wanted } from "./dialect.ts";

export type BlockSizes = { readonly blockBytes: number; readonly mostBlocks: number };

/**
 * Which bytes to ask for of an object that nothing is known of, by the `Range` of a GET: whole blocks, not too many at once.
 * `undefined` where that depends on the size, as for a suffix.
 */
export function wantedOf(range: string | null, { blockBytes, mostBlocks }: BlockSizes): Wanted | undefined {
  if (range === null) return { kind: "whole" };
  const [, first, last] = /^bytes=(\d{1,15})-(\d{0,15})$/i.exec(range.trim()) ?? [];
  if (first === undefined || last === undefined) return undefined;
  const start = Math.floor(Number(first) / blockBytes);
  const end = last === "" ? Infinity : Math.floor(Number(last) / blockBytes) + 1;
  if (end <= start) return undefined;
  return { kind: "range", start: start * blockBytes, end: Math.min(end, start + mostBlocks) * blockBytes };
}
