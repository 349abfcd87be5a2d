import { blockLength, type Piece } from "../core/blocks.ts";
import type { Entry } from "../core/entry.ts";
import { letGo } from "../core/let-go.ts";
import { blockKey } from "./keys.ts";
import type { Visit } from "./visit.ts";

/** Bytes of a body that the origin is asked for: from `from` up to, but not including, `until`. */
export type Stretch = { readonly from: number; readonly until: number };

/**
 * How much to ask the origin for where a block is missing. A file is read to its end, as forges have no ranges. Of an object
 * just the blocks that are wanted: up to the end of the range or the next block that is stored, and so many at a time.
 */
export async function stretchFrom(
  visit: Visit,
  entry: Entry,
  { index, rangeEnd }: Pick<Piece, "index" | "rangeEnd">,
): Promise<Stretch> {
  const { BLOCK_BYTES, READ_AHEAD_BLOCKS } = visit.isolate.ports.config.limits;
  const from = index * BLOCK_BYTES;
  if (isReadToEnd(visit, entry)) return { from, until: entry.size };
  const wantedEnd = Math.ceil(rangeEnd / BLOCK_BYTES);
  const end = Math.min(wantedEnd, index + READ_AHEAD_BLOCKS);
  const further = Array.from({ length: end - index - 1 }, (_, step) => index + 1 + step);
  const stored = await Promise.all(further.map((each) => isStored(visit, entry, each)));
  const firstStored = further[stored.indexOf(true)];
  return { from, until: Math.min((firstStored ?? end) * BLOCK_BYTES, entry.size) };
}

/** Whether an origin sends all of a body, from wherever it begins. */
export function isReadToEnd({ target }: Visit, { isRangeless = false }: Entry): boolean {
  return target.lane === "raw" || isRangeless;
}

/** Whether a block is in the store now; one that breaks off is not. */
export async function isStored(visit: Visit, entry: Entry, index: number): Promise<boolean> {
  const { blocks, config } = visit.isolate.ports;
  const length = blockLength(index, entry.size, config.limits.BLOCK_BYTES);
  const byte = await blocks.read(blockKey(visit, entry, index), { start: 0, end: 1, length });
  const isWhole = await letGo(byte);
  return byte !== undefined && isWhole;
}
