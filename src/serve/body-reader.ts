import type { Piece } from "../core/blocks.ts";
import { COLLAPSED, MISS, type CacheOutcome } from "../core/cache-status.ts";
import type { Entry } from "../core/entry.ts";
import type { Pin } from "../core/pin.ts";
import { Failure } from "../core/problem.ts";
import type { Refusal } from "../core/refusal.ts";
import type { Fill, FillReader } from "./fill.ts";
import { blockKey, bodyKey } from "./keys.ts";
import { openAlone, reopen } from "./open.ts";
import type { OpenedFile, Visit } from "./visit.ts";

/** Some bytes of a body: in hand, to be given back with `done`, or a stream that must be read or cancelled. */
export type Chunk =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly done: () => void }
  | { readonly kind: "stream"; readonly stream: ReadableStream<Uint8Array> };

/** Gives the bytes of one body, block by block, wherever they are. */
export type BodyReader = {
  piece(piece: Piece): Promise<Chunk>;
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

/**
 * A reader over the fill under way, the store and, for what neither has, the origin. What was evicted is read once for
 * everyone who misses it. One who fell behind a fill that could not be stored reads on alone, at a pace of their own.
 */
export function bodyReader(visit: Visit, pin: Pin, entry: Entry): BodyReader {
  const { ports, fills } = visit.isolate;
  const key = bodyKey(visit, entry);
  let joined: { readonly fill: Fill; readonly reader: FillReader } | undefined;
  let isAlone = false;

  const join = (fill: Fill | undefined): FillReader | undefined => {
    if (fill === undefined || joined?.fill === fill) return joined?.reader;
    joined?.reader.leave();
    joined = { fill, reader: fill.join() };
    return joined.reader;
  };

  const note = (outcome: CacheOutcome): void => {
    if (visit.trace.body.kind === "unused") visit.trace.body = outcome;
  };

  const fromFill = async ({ index, start, end }: Piece): Promise<Chunk | undefined> => {
    const reader = isAlone ? joined?.reader : join(fills.get(key));
    const lease = reader === undefined ? undefined : await reader.block(index);
    if (lease === undefined) return undefined;
    note(COLLAPSED);
    return { kind: "bytes", bytes: lease.bytes.subarray(start, end), done: () => lease.done() };
  };

  const fromStore = async ({ index, start, end, length }: Piece): Promise<Chunk | undefined> => {
    const stream = await ports.blocks.read(blockKey(visit, entry, index), { start, end, length });
    if (stream === undefined) return undefined;
    ports.telemetry.bytes("cache", end - start);
    note({ kind: "hit", tier: "colo", ttl: undefined });
    return { kind: "stream", stream };
  };

  const fromOrigin = async ({ index }: Piece): Promise<void> => {
    const from = index * ports.config.limits.BLOCK_BYTES;
    note(MISS);
    if (joined === undefined) return insist(await reopen(visit, pin, entry, from));
    const own = await openAlone(visit, pin, entry, from);
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
    close() {
      joined?.reader.leave();
    },
  };
}

function insist(file: OpenedFile): void {
  if (file.kind === "refused") throw new BodyRefused(file.refusal);
  if (file.kind === "unclear") throw new Failure("origin_changed");
}
