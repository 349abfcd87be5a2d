import { pieces } from "../core/blocks.ts";
import type { Entry } from "../core/entry.ts";
import { letGo } from "../core/let-go.ts";
import type { MultipartPlan } from "../core/multipart.ts";
import { Failure } from "../core/problem.ts";
import { bodyReader, type BodyReader, type BodySource, type Chunk } from "./body-reader.ts";
import { holdPiece } from "./held-piece.ts";
import { bodyKey } from "./keys.ts";
import type { Visit } from "./visit.ts";
import { stallMsOf } from "./stall.ts";

/** Whether a body is so small that it is kept whole in memory. */
export function isSmall(visit: Visit, { size }: Entry): boolean {
  const { HOT_BODY_BYTES, BLOCK_BYTES } = visit.isolate.ports.config.limits;
  return size <= HOT_BODY_BYTES && size <= BLOCK_BYTES;
}

/** All bytes of a small body; what a fill lends of it is kept, so it is never given back. */
export async function readSmall(source: BodySource): Promise<Uint8Array> {
  const { visit, entry } = source;
  const { hot } = visit.isolate.ports;
  const reader = bodyReader(source);
  try {
    const [piece] = pieces({ start: 0, end: entry.size }, entry.size, entry.size);
    const stallMs = stallMsOf(visit.isolate.ports);
    const held = piece && (await holdPiece(reader, piece, { stallMs, room: undefined }));
    const bytes = held?.bytes ?? new Uint8Array(0);
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
          await following?.then(giveBack, () => undefined); // the first error is the one that counts
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

async function giveBack(chunk: Chunk): Promise<void> {
  if (chunk.kind === "stream") await letGo(chunk.stream);
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
