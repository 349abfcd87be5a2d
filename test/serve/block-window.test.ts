import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pieces } from "../../src/core/blocks.ts";
import type { ByteRange } from "../../src/core/range.ts";
import { blockWindow } from "../../src/serve/block-window.ts";
import type { BodyReader, Chunk } from "../../src/serve/body-reader.ts";
import { gather } from "../../src/serve/read.ts";
import type { SpareBlocks } from "../../src/serve/spare-memory.ts";
import { addReadAtLeast } from "./read-at-least.ts";

const BLOCK = 10;
const SIZE = 95;
const BODY = Uint8Array.from({ length: SIZE }, (_, index) => index);
const HELD = 3;

addReadAtLeast();

/** A body of ten blocks; a block whose loan has ended is used for something else. */
function lentBlocks(kind: Chunk["kind"] = "bytes") {
  const asked: string[] = [];
  const state = { lent: 0, most: 0, closed: 0, returnedTwice: 0, failures: 0 };
  const reader: BodyReader = {
    forget: () => Promise.resolve(),
    async piece({ index, start, end }) {
      asked.push(`${index}:${start}-${end}`);
      await Promise.resolve();
      if (state.failures > 0) {
        state.failures -= 1;
        throw new Error("no block");
      }
      const bytes = BODY.slice(index * BLOCK + start, index * BLOCK + end);
      if (kind === "stream") return { kind, stream: new Blob([bytes]).stream() };
      state.most = Math.max(state.most, (state.lent += 1));
      let isDone = false;
      const done = () => {
        if (isDone) state.returnedTwice += 1;
        isDone = true;
        state.lent -= 1;
        bytes.fill(255);
      };
      return { kind, bytes, done };
    },
    close() {
      state.closed += 1;
    },
  };
  return { reader, asked, state };
}

/** A window over such blocks; memory that is given back is used for something else at once. */
function windowOver(kind: Chunk["kind"] = "bytes") {
  const { reader, asked, state } = lentBlocks(kind);
  return { window: windowOf(reader), asked, state };
}

function windowOf(reader: BodyReader): BodyReader {
  const spare: SpareBlocks = {
    take: () => undefined,
    give: (buffer) => void new Uint8Array(buffer).fill(255),
  };
  const archive = {
    key: "archive",
    reader,
    size: SIZE,
    blockBytes: BLOCK,
    stallMs: 1000,
    spare,
    close: () => reader.close(),
  };
  return blockWindow(archive);
}

async function read(reader: BodyReader, range: ByteRange): Promise<number[]> {
  const all: number[] = [];
  for (const piece of pieces(range, SIZE, BLOCK)) {
    const chunk = await reader.piece(piece);
    const bytes =
      chunk.kind === "bytes" ? chunk.bytes : new Uint8Array(await new Response(chunk.stream).arrayBuffer());
    all.push(...bytes);
    if (chunk.kind === "bytes") chunk.done();
  }
  return all;
}

const range = fc
  .tuple(fc.nat(SIZE - 1), fc.integer({ min: 1, max: 25 }))
  .map(([start, length]): ByteRange => ({ start, end: Math.min(start + length, SIZE) }));

describe("blockWindow()", () => {
  it("blockWindow() does ask once for a block that many pieces lie in", async () => {
    const { window, asked, state } = windowOver();
    for (const start of [0, 2, 2, 5, 9])
      expect(await read(window, { start, end: start + 1 })).toEqual([start]);
    expect(await read(window, { start: 0, end: 10 })).toEqual([...BODY.subarray(0, 10)]);
    expect(asked).toEqual(["0:0-10"]);
    expect(state.lent).toBe(1);
    window.close();
  });

  it("blockWindow() does ask for the last block no further than to its end", async () => {
    const { window, asked } = windowOver();
    expect(await read(window, { start: 91, end: 94 })).toEqual([91, 92, 93]);
    expect(asked).toEqual(["9:0-5"]);
  });

  it("blockWindow() does hand on whole blocks as they come, and hold none of them", async () => {
    for (const kind of ["bytes", "stream"] as const) {
      const { window, asked, state } = windowOver(kind);
      expect(await read(window, { start: 0, end: SIZE })).toEqual([...BODY]);
      expect(asked).toHaveLength(10);
      expect(state.lent).toBe(0);
      await window.piece({ index: 4, start: 0, end: 10, length: 10, rangeEnd: 50 });
      expect(asked).toHaveLength(11);
    }
  });

  it("blockWindow() does hold no more than three blocks, and give back the others", async () => {
    const { window, asked, state } = windowOver();
    for (let start = 1; start < SIZE; start += BLOCK)
      expect(await read(window, { start, end: start + 1 })).toEqual([start]);
    expect(asked).toHaveLength(10);
    expect(state.lent).toBe(HELD);
    expect(state.most).toBeLessThanOrEqual(HELD + 1);
    window.close();
    await settled();
    expect(state).toMatchObject({ lent: 0, returnedTwice: 0, closed: 1 });
  });

  it("blockWindow() does ask once for two pieces of a block that are wanted at once", async () => {
    const { window, asked } = windowOver();
    const both = await Promise.all([read(window, { start: 1, end: 3 }), read(window, { start: 4, end: 6 })]);
    expect(both).toEqual([
      [1, 2],
      [4, 5],
    ]);
    expect(asked).toEqual(["0:0-10"]);
  });

  it("blockWindow() does ask again for a block that could not be had", async () => {
    const { window, asked, state } = windowOver();
    state.failures = 1;
    await expect(read(window, { start: 1, end: 3 })).rejects.toThrow("no block");
    expect(await read(window, { start: 1, end: 3 })).toEqual([1, 2]);
    expect(asked).toHaveLength(2);
  });

  it("blockWindow() does keep the block that replaced one that failed", async () => {
    const { window, asked, state } = windowOver();
    state.failures = 1;
    const failed = read(window, { start: 1, end: 3 });
    const outcomes = await Promise.allSettled([failed, read(window, { start: 11, end: 13 })]);
    expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled"]);
    await read(window, { start: 1, end: 3 });
    await read(window, { start: 4, end: 6 });
    expect(asked).toEqual(["0:0-10", "1:0-10", "0:0-10"]);
  });

  it("blockWindow() does let a block go that comes after the end", async () => {
    const { window, state } = windowOver();
    const coming = window.piece({ index: 0, start: 1, end: 3, length: 10, rangeEnd: 3 });
    window.close();
    await coming;
    await settled();
    expect(state).toMatchObject({ lent: 0, returnedTwice: 0, closed: 1 });
  });

  it("blockWindow() does fail with a block that is shorter than it should be", async () => {
    const short: BodyReader = {
      forget: () => Promise.resolve(),
      piece: () => Promise.resolve({ kind: "stream", stream: new Blob([BODY.slice(0, 9)]).stream() }),
      close: () => undefined,
    };
    const reading = read(windowOf(short), { start: 1, end: 3 });
    await expect(reading).rejects.toMatchObject({ problem: "origin_truncated" });
  });

  it("blockWindow() does give each its bytes, in whatever order they are read, and all blocks back", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(range, { maxLength: 20 }),
        fc.constantFrom<Chunk["kind"]>("bytes", "stream"),
        async (ranges, kind) => {
          const { window, state } = windowOver(kind);
          for (const each of ranges)
            expect(await read(window, each)).toEqual([...BODY.subarray(each.start, each.end)]);
          expect(state.lent).toBeLessThanOrEqual(HELD);
          window.close();
          await settled();
          expect(state).toMatchObject({ lent: 0, returnedTwice: 0, closed: 1 });
        },
      ),
      { numRuns: 100 },
    );
  });

  it.each<Chunk["kind"]>(["bytes", "stream"])(
    "blockWindow() does see that pieces are not touched while they are written, in whatever order they are asked for (%s)",
    async (kind) => {
      await fc.assert(
        fc.asyncProperty(fc.array(range, { minLength: 1, maxLength: 8 }), async (ranges) => {
          const { window } = windowOver(kind);
          const written: number[] = [];
          const slow = new WritableStream<Uint8Array>({
            async write(bytes) {
              await settled();
              written.push(...bytes);
            },
          });
          for (const each of ranges) {
            const segments = [{ kind: "range", range: each } as const];
            const sending = await gather(window, segments, { size: SIZE, blockBytes: BLOCK });
            await sending.write(slow);
          }
          window.close();
          expect(written).toEqual(ranges.flatMap(({ start, end }) => [...BODY.subarray(start, end)]));
        }),
        { numRuns: 150 },
      );
    },
  );
});

/** Lets go all that only waits for a promise that is settled already. */
async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}
