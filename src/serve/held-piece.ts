import type { Piece } from "../core/blocks.ts";
import { Failure } from "../core/problem.ts";
import type { BodyReader } from "./body-reader.ts";
import { readExactly } from "./exact-reader.ts";
import type { SpareBlocks } from "./spare-memory.ts";

/** Some bytes of a body in memory, to be given back with `done`. */
export type HeldPiece = { readonly bytes: Uint8Array; readonly done: () => void };

export type Holding = {
  readonly stallMs: number;
  /** Memory to read into again, of blocks of `blockBytes`; for a piece that is kept there is none. */
  readonly room: { readonly spare: SpareBlocks; readonly blockBytes: number } | undefined;
};

const ATTEMPTS = 2;

/** Takes a piece into memory. A stored block that breaks off, or stands still, is a miss like any other: it is forgotten and read anew. */
export async function holdPiece(
  reader: BodyReader,
  piece: Piece,
  { stallMs, room }: Holding,
): Promise<HeldPiece> {
  const length = piece.end - piece.start;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const chunk = await reader.piece(piece);
    if (chunk.kind === "bytes") return chunk;
    const buffer = room === undefined ? new ArrayBuffer(length) : roomFor(room);
    const bytes = await readExactly(chunk.stream, length, { stallMs, buffer }).catch(() => undefined);
    if (bytes !== undefined) return { bytes, done: () => room?.spare.give(bytes.buffer) };
    await reader.forget(piece);
  }
  throw new Failure("origin_truncated", "What was stored of it breaks off");
}

function roomFor({ spare, blockBytes }: NonNullable<Holding["room"]>): ArrayBufferLike {
  return spare.take() ?? new ArrayBuffer(blockBytes);
}
