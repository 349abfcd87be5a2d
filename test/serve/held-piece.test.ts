import { expect, it } from "vitest";
import type { Piece } from "../../src/core/blocks.ts";
import type { BodyReader, Chunk } from "../../src/serve/body-reader.ts";
import { holdPiece } from "../../src/serve/held-piece.ts";
import { addReadAtLeast } from "./read-at-least.ts";

addReadAtLeast();

const BYTES = new Uint8Array([1, 2, 3, 4]);
const PIECE: Piece = { index: 3, start: 0, end: BYTES.length, length: BYTES.length, rangeEnd: BYTES.length };

function streamOf(pieces: readonly Uint8Array[], end: "well" | "broken" | "never"): Chunk {
  const stream = new ReadableStream<Uint8Array>({
    type: "bytes" as never, // as Node has it
    start(controller) {
      for (const piece of pieces) controller.enqueue(piece.slice());
      if (end === "well") controller.close();
      if (end === "broken") controller.error(new Error("The store broke off"));
    },
  });
  return { kind: "stream", stream };
}

/** A reader that gives one chunk after another, and what it was told to forget. */
function readerOf(chunks: readonly Chunk[]): { readonly reader: BodyReader; readonly forgotten: number[] } {
  const forgotten: number[] = [];
  const left = [...chunks];
  const reader: BodyReader = {
    async piece() {
      const chunk = left.shift();
      if (chunk === undefined) throw new Error("Asked too often");
      return chunk;
    },
    forget: async ({ index }) => void forgotten.push(index),
    close: () => undefined,
  };
  return { reader, forgotten };
}

const HOLDING = { stallMs: 50, room: undefined };

it.each([
  ["breaks off", streamOf([], "broken")],
  ["is short", streamOf([BYTES.subarray(1)], "well")],
  ["stands still", streamOf([BYTES.subarray(1)], "never")],
])("holdPiece() does forget a stored block that %s, and ask anew", async (_how, broken) => {
  const { reader, forgotten } = readerOf([broken, streamOf([BYTES], "well")]);
  const held = await holdPiece(reader, PIECE, HOLDING);
  expect([[...held.bytes], forgotten]).toEqual([[...BYTES], [PIECE.index]]);
});

it("holdPiece() does fail where the store breaks off again and again", async () => {
  const { reader, forgotten } = readerOf([streamOf([], "broken"), streamOf([], "broken")]);
  await expect(holdPiece(reader, PIECE, HOLDING)).rejects.toMatchObject({ problem: "origin_truncated" });
  expect(forgotten).toEqual([PIECE.index, PIECE.index]);
});

it("holdPiece() does leave the failures of the reader as they are", async () => {
  const { reader, forgotten } = readerOf([]);
  await expect(holdPiece(reader, PIECE, HOLDING)).rejects.toThrow("Asked too often");
  expect(forgotten).toEqual([]);
});

it("holdPiece() does give back to the room what it took from there", async () => {
  const given: number[] = [];
  const spare = {
    take: () => undefined,
    give: (buffer: ArrayBufferLike) => void given.push(buffer.byteLength),
  };
  const { reader } = readerOf([streamOf([BYTES], "well")]);
  const held = await holdPiece(reader, PIECE, { stallMs: 50, room: { spare, blockBytes: 16 } });
  expect([[...held.bytes], given]).toEqual([[...BYTES], []]);
  held.done();
  expect(given).toEqual([16]);
});
