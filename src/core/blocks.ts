import type { ByteRange } from "./range.ts";

/** The piece of one block that a range needs; `start` and `end` count from the block's own first byte. */
export type Piece = {
  readonly index: number;
  readonly start: number;
  readonly end: number;
  readonly length: number;
  /** Where the range ends that it is a piece of, in the body. */
  readonly rangeEnd: number;
};

/** How many blocks `size` bytes make up, the last as long as it happens to be; no bytes at all are one empty block. */
export function blockCount(size: number, blockBytes: number): number {
  return Math.max(1, Math.ceil(size / blockBytes));
}

/** How many bytes block `index` has: all the same but for the last. */
export function blockLength(index: number, size: number, blockBytes: number): number {
  return Math.min(blockBytes, size - index * blockBytes);
}

/** The pieces that make up a range, in order. */
export function* pieces(range: ByteRange, size: number, blockBytes: number): Generator<Piece> {
  for (let position = range.start; position < range.end;) {
    const index = Math.floor(position / blockBytes);
    const base = index * blockBytes;
    const end = Math.min(range.end - base, blockBytes);
    yield {
      index,
      start: position - base,
      end,
      length: blockLength(index, size, blockBytes),
      rangeEnd: range.end,
    };
    position = base + end;
  }
}
