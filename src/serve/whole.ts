import { blockCount } from "../core/blocks.ts";
import type { Entry } from "../core/entry.ts";
import type { ByteRange } from "../core/range.ts";
import { blockKey, wholeKey } from "./keys.ts";
import type { Visit } from "./visit.ts";

/*
 * Joining blocks costs the platform about as much as sending them. What is read whole again and again is therefore
 * stored in one piece as well, from its own blocks, and then sent just as the store gives it: all of it or any range.
 */

/** What is known of the one piece of a body. */
export type WholeState = "there" | "absent" | "being joined";

/** A range that lies in several blocks, from the one piece of the body; `undefined` where there is none. */
export async function readWhole(
  visit: Visit,
  entry: Entry,
  range: ByteRange,
): Promise<ReadableStream<Uint8Array> | undefined> {
  const { ports, wholes } = visit.isolate;
  if (!canBeJoined(visit, entry) || !isAcrossBlocks(visit, range)) return undefined;
  const key = wholeKey(visit, entry);
  const known = wholes.get(key);
  if (known === "absent" || known === "being joined") return undefined;
  const stream = await ports.blocks.read(key, { ...range, length: entry.size });
  wholes.set(key, stream === undefined ? "absent" : "there");
  if (stream !== undefined) ports.telemetry.bytes("cache", range.end - range.start);
  return stream;
}

/** Joins the blocks of a body that was just read whole from the store, once. */
export async function keepWhole(visit: Visit, entry: Entry): Promise<void> {
  const { ports, wholes } = visit.isolate;
  if (!canBeJoined(visit, entry)) return;
  const key = wholeKey(visit, entry);
  if (wholes.get(key) !== "absent") return;
  wholes.set(key, "being joined");
  const count = blockCount(entry.size, ports.config.limits.BLOCK_BYTES);
  const blocks = Array.from({ length: count }, (_, index) => blockKey(visit, entry, index));
  const isJoined = await ports.blocks.join(key, entry.size, blocks);
  wholes.set(key, isJoined ? "there" : "absent");
}

function canBeJoined(visit: Visit, { size }: Entry): boolean {
  const { BLOCK_BYTES, WHOLE_BYTES } = visit.isolate.ports.config.limits;
  return size > BLOCK_BYTES && size <= WHOLE_BYTES;
}

function isAcrossBlocks(visit: Visit, { start, end }: ByteRange): boolean {
  const { BLOCK_BYTES } = visit.isolate.ports.config.limits;
  return Math.floor(start / BLOCK_BYTES) !== Math.floor((end - 1) / BLOCK_BYTES);
}
