import { pieces, type Piece } from "../core/blocks.ts";
import type { Entry } from "../core/entry.ts";
import { COLLAPSED, MISS, type CacheOutcome } from "../core/cache-status.ts";
import type { MultipartPlan } from "../core/multipart.ts";
import { Failure } from "../core/problem.ts";
import type { Pin } from "../core/pin.ts";
import type { Fill, FillReader } from "./fill.ts";
import { blockKey, bodyKey } from "./keys.ts";
import { reopen } from "./open.ts";
import type { Visit } from "./visit.ts";

/** Some bytes of a body: already in hand, or a stream that must be read or cancelled. */
export type Chunk =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly done: () => void }
  | { readonly kind: "stream"; readonly stream: ReadableStream<Uint8Array> };

/** Gives the bytes of one body, block by block, wherever they are. */
export type BodyReader = {
  piece(piece: Piece): Promise<Chunk>;
  /** Lets go of what it took part in. */
  close(): void;
};

/** How often a fill that broke down without a fault of the origin is begun anew. */
const MOST_RESTARTS = 2;

/** A reader over the store, the fills under way and, for what neither has, the origin. */
export function bodyReader(visit: Visit, pin: Pin, entry: Entry): BodyReader {
  const { ports, fills } = visit.isolate;
  const key = bodyKey(visit, entry);
  let joined: { readonly fill: Fill; readonly reader: FillReader } | undefined;

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
    const reader = join(fills.get(key));
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

  return {
    async piece(piece) {
      for (let restarts = 0; restarts <= MOST_RESTARTS; restarts++) {
        const filled = await fromFill(piece);
        if (filled !== undefined) return filled;
        const stored = await fromStore(piece);
        if (stored !== undefined) return stored;
        const again = await reopen(visit, pin, entry, piece.index * ports.config.limits.BLOCK_BYTES);
        if (again.kind !== "entry") throw new Failure("origin_changed");
        note(MISS);
      }
      throw new Failure("origin_truncated");
    },
    close() {
      joined?.reader.leave();
    },
  };
}

/** Whether a body is so small that it is kept whole in memory. */
export function isSmall(visit: Visit, { size }: Entry): boolean {
  const { HOT_BODY_BYTES, BLOCK_BYTES } = visit.isolate.ports.config.limits;
  return size <= HOT_BODY_BYTES && size <= BLOCK_BYTES;
}

/** All bytes of a small body; what a fill lends of it is kept, so it is never given back. */
export async function readSmall(visit: Visit, pin: Pin, entry: Entry): Promise<Uint8Array> {
  const { hot } = visit.isolate.ports;
  const reader = bodyReader(visit, pin, entry);
  try {
    const [piece] = pieces({ start: 0, end: entry.size }, entry.size, entry.size);
    const chunk: Chunk = piece === undefined ? ofOurs(new Uint8Array(0)) : await reader.piece(piece);
    const bytes =
      chunk.kind === "bytes" ? chunk.bytes : new Uint8Array(await new Response(chunk.stream).arrayBuffer());
    if (bytes.byteLength !== entry.size) throw new Failure("origin_changed");
    hot.set(bodyKey(visit, entry), bytes);
    return bytes;
  } finally {
    reader.close();
  }
}

/** What a response is made of: text of ours, or a range of the body. */
export type Segment = MultipartPlan["segments"][number];

/** Bytes on their way to a client: the first are at hand, so that a failure to get any can still be told. */
export type Sending = {
  /** All of it where it is one stream, to be sent just as the store gave it. */
  readonly single: ReadableStream<Uint8Array> | undefined;
  write(into: WritableStream<Uint8Array>): Promise<void>;
};

/** Begins to gather segments in order, each block looked up while the one before it is sent. */
export async function gather(
  reader: BodyReader,
  segments: readonly Segment[],
  { size, blockBytes }: { readonly size: number; readonly blockBytes: number },
): Promise<Sending> {
  const all = chunks(reader, segments, { size, blockBytes });
  const first = await next(all);
  let following = next(all);
  const single = following === undefined && first?.kind === "stream" ? first.stream : undefined;
  return {
    single,
    async write(into) {
      let current = first;
      while (current !== undefined) {
        try {
          await writeChunk(current, into);
        } catch (error) {
          await following?.then(letGo, () => undefined); // the first error is the one that counts
          throw error;
        }
        current = await following;
        following = next(all);
      }
    },
  };
}

function* chunks(
  reader: BodyReader,
  segments: readonly Segment[],
  { size, blockBytes }: { readonly size: number; readonly blockBytes: number },
): Generator<Promise<Chunk>> {
  for (const segment of segments) {
    if (segment.kind === "text") yield Promise.resolve(ofOurs(segment.bytes));
    else for (const piece of pieces(segment.range, size, blockBytes)) yield reader.piece(piece);
  }
}

function next(all: Generator<Promise<Chunk>>): Promise<Chunk> | undefined {
  const { value, done } = all.next();
  if (done === true) return undefined;
  value.catch(() => undefined); // it is awaited in its turn
  return value;
}

function ofOurs(bytes: Uint8Array): Chunk {
  return { kind: "bytes", bytes, done: () => undefined };
}

async function letGo(chunk: Chunk): Promise<void> {
  if (chunk.kind === "stream") await chunk.stream.cancel();
  else chunk.done();
}

async function writeChunk(chunk: Chunk, into: WritableStream<Uint8Array>): Promise<void> {
  if (chunk.kind === "stream") return await chunk.stream.pipeTo(into, { preventClose: true });
  const writer = into.getWriter();
  try {
    await writer.write(chunk.bytes);
    chunk.done();
  } finally {
    writer.releaseLock();
  }
}
