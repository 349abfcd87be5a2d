import type { Piece } from "../core/blocks.ts";
import { COLLAPSED, MISS, type CacheOutcome } from "../core/cache-status.ts";
import type { Entry } from "../core/entry.ts";
import { Failure } from "../core/problem.ts";
import type { Refusal } from "../core/refusal.ts";
import type { Fill, FillReader } from "./fill.ts";
import { blockKey, bodyKey } from "./keys.ts";
import { openAlone, reopen, type BodyOrigin } from "./open.ts";
import { isReadToEnd, isStored, stretchFrom } from "./stretch.ts";
import type { OpenedFile, Visit } from "./visit.ts";

/** Some bytes of a body: in hand, to be given back with `done`, or a stream that must be read or cancelled. */
export type Chunk =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly done: () => void }
  | { readonly kind: "stream"; readonly stream: ReadableStream<Uint8Array> };

/** Gives the bytes of one body, block by block, wherever they are. */
export type BodyReader = {
  piece(piece: Piece): Promise<Chunk>;
  /** Takes the block of a piece out of the store: what was stored is not what it should be. */
  forget(piece: Piece): Promise<void>;
  /** Lets go of what it took part in. */
  close(): void;
};

/** The origin's "no" to reading bytes whose entry is known; thrown, as it can come in the midst of a body. */
export class BodyRefused extends Error {
  readonly refusal: Refusal;
  constructor(refusal: Refusal) {
    super("The origin refused to give a body");
    this.refusal = refusal;
  }
}

/** A body, and for whom it is read. */
export type BodySource = { readonly visit: Visit; readonly pin: BodyOrigin; readonly entry: Entry };

/**
 * A reader over the fill under way, the store and, for what neither has, the origin. What was evicted is read once for
 * everyone who misses it. One who fell behind a fill that could not be stored reads on alone, at a pace of their own.
 * `isReadOn` tells that the client reads on where it read before, so that more is asked for than it has asked for yet.
 */
export function bodyReader(
  { visit, pin, entry }: BodySource,
  { isReadOn }: { readonly isReadOn: boolean } = { isReadOn: false },
): BodyReader {
  const { ports, fills } = visit.isolate;
  const { BLOCK_BYTES, READ_AHEAD_BLOCKS } = ports.config.limits;
  const key = bodyKey(visit, entry);
  let joined: { readonly fill: Fill; readonly reader: FillReader } | undefined;
  let isAlone = false;
  /** The last block that was asked for ahead of the client. */
  let aheadOf = 0;

  const join = (fill: Fill | undefined): FillReader | undefined => {
    if (fill === undefined || joined?.fill === fill) return joined?.reader;
    joined?.reader.leave();
    joined = { fill, reader: fill.join() };
    return joined.reader;
  };

  const note = (outcome: CacheOutcome): void => {
    if (visit.trace.body.kind === "unused") visit.trace.body = outcome;
  };

  const fromFill = async ({ index, start, end, rangeEnd }: Piece): Promise<Chunk | undefined> => {
    isAlone &&= joined?.fill.covers(index) === true;
    const reader = isAlone ? joined?.reader : join(fills.find(key, index));
    const lease = reader === undefined ? undefined : await reader.block(index);
    if (lease === undefined) return undefined;
    note(COLLAPSED);
    if (!isAlone && joined !== undefined) readAhead(joined.fill.end, rangeEnd);
    return { kind: "bytes", bytes: lease.bytes.subarray(start, end), done: () => lease.done() };
  };

  const fromStore = async ({ index, start, end, length }: Piece): Promise<Chunk | undefined> => {
    const stream = await ports.blocks.read(blockKey(visit, entry, index), { start, end, length });
    if (stream === undefined) return undefined;
    ports.telemetry.bytes(visit.site.host, "cache", end - start);
    note({ kind: "hit", tier: "colo", ttl: undefined });
    return { kind: "stream", stream };
  };

  /** Asks for what comes after the fill that is being read, so that the client need not wait for it. */
  const readAhead = (index: number, rangeEnd: number): void => {
    if (isReadToEnd(visit, entry) || index <= aheadOf || index * BLOCK_BYTES >= rangeEnd) return;
    aheadOf = index;
    if (fills.find(key, index) !== undefined) return;
    const ask = async () => {
      if (await isStored(visit, entry, index)) return;
      await reopen(visit, pin, entry, await stretchFrom(visit, entry, { index, rangeEnd }));
    };
    visit.defer(ask().catch(() => undefined)); // the reader will see for itself
  };

  const fromOrigin = async ({ index, rangeEnd }: Piece): Promise<void> => {
    note(MISS);
    const readOn = isReadOn ? Math.min(entry.size, rangeEnd + READ_AHEAD_BLOCKS * BLOCK_BYTES) : rangeEnd;
    if (joined?.fill.hasPassed(index) !== true) {
      const stretch = await stretchFrom(visit, entry, { index, rangeEnd: readOn });
      return insist(await reopen(visit, pin, entry, stretch));
    }
    const until = Math.min(entry.size, Math.ceil(rangeEnd / BLOCK_BYTES) * BLOCK_BYTES);
    const own = await openAlone(visit, pin, entry, { from: index * BLOCK_BYTES, until });
    insist(own.file);
    join(own.fill);
    isAlone = true;
  };

  return {
    async piece(piece) {
      // In the worst case: evicted, then passed by the fill that brought it back, then read alone
      for (let attempt = 0; attempt < 3; attempt++) {
        const chunk = (await fromFill(piece)) ?? (await fromStore(piece));
        if (chunk !== undefined) return chunk;
        await fromOrigin(piece);
      }
      const chunk = await fromFill(piece);
      if (chunk === undefined) throw new Failure("origin_truncated");
      return chunk;
    },
    async forget({ index }) {
      await ports.blocks.delete(blockKey(visit, entry, index));
    },
    close() {
      joined?.reader.leave();
    },
  };
}

function insist(file: OpenedFile): void {
  if (file.kind === "refused") throw new BodyRefused(file.refusal);
  if (file.kind === "unclear") throw new Failure("origin_changed");
}
