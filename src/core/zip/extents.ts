import { LOCAL_HEADER_BYTES } from "./local-header.ts";

/** What of an archive an entry takes at least: its local header, its name, its data. */
export type Extent = {
  readonly headerOffset: number;
  readonly nameLength: number;
  readonly compressedSize: number;
};

/**
 * Where each entry must have ended, by its place in the archive: where the next local header or the directory begins.
 *
 * Entries that share bytes are `archive_overlapping`, the bomb that unpacks one kernel many times; such that reach into the
 * directory or past it are `archive_broken`. The local extra field and the data descriptor may still be between an entry's
 * extent and its limit.
 */
export function extentLimits(
  extents: readonly Extent[],
  directoryOffset: number,
): Float64Array | "archive_broken" | "archive_overlapping" {
  const limits = new Float64Array(extents.length);
  const order = [...extents.keys()];
  order.sort((a, b) => extents[a]!.headerOffset - extents[b]!.headerOffset);
  for (const [place, index] of order.entries()) {
    const { headerOffset, nameLength, compressedSize } = extents[index]!;
    const next = order[place + 1];
    const limit = next === undefined ? directoryOffset : extents[next]!.headerOffset;
    const isTooLong = headerOffset + LOCAL_HEADER_BYTES + nameLength + compressedSize > limit;
    if (isTooLong) return next === undefined ? "archive_broken" : "archive_overlapping";
    limits[index] = limit;
  }
  return limits;
}
