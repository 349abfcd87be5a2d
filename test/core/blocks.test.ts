import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { blockCount, blockLength, pieces } from "../../src/core/blocks.ts";

describe("the blocks of a body", () => {
  it.each([
    [0, 4, [0]],
    [1, 4, [1]],
    [4, 4, [4]],
    [5, 4, [4, 1]],
    [12, 4, [4, 4, 4]],
  ])("blockCount() and blockLength() do cut %d bytes by %d", (size, blockBytes, lengths) => {
    const count = blockCount(size, blockBytes);
    expect(count).toBe(lengths.length);
    expect(lengths.map((_, index) => blockLength(index, size, blockBytes))).toEqual(lengths);
  });
});

describe("the pieces of a range", () => {
  it.each([
    ["inside one block", { start: 5, end: 7 }, [{ index: 1, start: 1, end: 3, length: 4 }]],
    ["one whole block", { start: 4, end: 8 }, [{ index: 1, start: 0, end: 4, length: 4 }]],
    [
      "across a border",
      { start: 3, end: 5 },
      [
        { index: 0, start: 3, end: 4, length: 4 },
        { index: 1, start: 0, end: 1, length: 4 },
      ],
    ],
    ["in the short last block", { start: 9, end: 10 }, [{ index: 2, start: 1, end: 2, length: 2 }]],
    ["nothing", { start: 6, end: 6 }, []],
  ])("pieces() does find %s", (_case, range, expected) => {
    expect([...pieces(range, 10, 4)]).toEqual(expected.map((piece) => ({ ...piece, rangeEnd: range.end })));
  });

  const cut = fc
    .tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 30 }), fc.nat({ max: 30 }), fc.nat({ max: 30 }))
    .map(([blockBytes, start, length, rest]) => ({
      blockBytes,
      range: { start, end: start + length },
      size: start + length + rest,
    }));

  it("pieces() does cover the range exactly and in order", () => {
    fc.assert(
      fc.property(cut, ({ blockBytes, range, size }) => {
        const covered = [...pieces(range, size, blockBytes)].flatMap(({ index, start, end }) =>
          Array.from({ length: end - start }, (_, i) => index * blockBytes + start + i),
        );
        expect(covered).toEqual(Array.from({ length: range.end - range.start }, (_, i) => range.start + i));
      }),
    );
  });

  it("pieces() does stay inside each block, and name none twice", () => {
    fc.assert(
      fc.property(cut, ({ blockBytes, range, size }) => {
        const all = [...pieces(range, size, blockBytes)];
        for (const { index, start, end, length } of all) {
          expect(index).toBeLessThan(blockCount(size, blockBytes));
          expect(length).toBe(blockLength(index, size, blockBytes));
          expect(start).toBeGreaterThanOrEqual(0);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(length);
        }
        expect(new Set(all.map(({ index }) => index)).size).toBe(all.length);
      }),
    );
  });
});
