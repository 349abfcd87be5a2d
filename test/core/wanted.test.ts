import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Wanted } from "../../src/core/dialect.ts";
import { selectRanges } from "../../src/core/range.ts";
import { wantedOf } from "../../src/core/wanted.ts";

const SIZES = { blockBytes: 100, mostBlocks: 4 };
const range = (start: number, end: number): Wanted => ({ kind: "range", start, end });

describe("what a GET wants of an object that is not known", () => {
  it.each<[string | null, Wanted | undefined]>([
    [null, { kind: "whole" }],
    ["bytes=0-0", range(0, 100)],
    ["bytes=0-99", range(0, 100)],
    ["bytes=0-100", range(0, 200)],
    ["bytes=99-100", range(0, 200)],
    ["bytes=100-199", range(100, 200)],
    ["bytes=150-", range(100, 500)],
    ["bytes=0-", range(0, 400)],
    ["bytes=0-100000", range(0, 400)],
    ["BYTES=5-6", range(0, 100)],
    [" bytes=5-6 ", range(0, 100)],
    ["bytes=999999999999999-", range(999_999_999_999_900, 1_000_000_000_000_300)],
    ["bytes=250-149", undefined],
    ["bytes=-5", undefined],
    ["bytes=-", undefined],
    ["bytes=", undefined],
    ["bytes=0-1,5-6", undefined],
    ["bytes=0 - 1", undefined],
    ["bytes=a-b", undefined],
    ["bytes=+0-1", undefined],
    ["items=0-1", undefined],
    ["bytes=9999999999999999-", undefined],
    [`bytes=0-${"9".repeat(16)}`, undefined],
    ["", undefined],
  ])("wantedOf() does answer %j", (header, wanted) => {
    expect(wantedOf(header, SIZES)).toEqual(wanted);
  });

  it("wantedOf() does ask for whole blocks that begin what is wanted, and not for too many", () => {
    const numbers = fc.nat({ max: 10 ** 9 });
    const sizes = fc.record({
      blockBytes: fc.integer({ min: 1, max: 16 * 1024 * 1024 }),
      mostBlocks: fc.integer({ min: 1, max: 64 }),
    });
    fc.assert(
      fc.property(numbers, fc.option(numbers), sizes, numbers, (first, length, each, size) => {
        const last = length === null ? undefined : first + length;
        const header = `bytes=${first}-${last ?? ""}`;
        const wanted = wantedOf(header, each);
        if (wanted?.kind !== "range") throw new Error(`Not a range: ${JSON.stringify(wanted)}`);
        const { start, end } = wanted;
        expect(start % each.blockBytes).toBe(0);
        expect(end % each.blockBytes).toBe(0);
        expect(start <= first && first < end).toBe(true);
        expect(end - start).toBeLessThanOrEqual(each.blockBytes * each.mostBlocks);
        expect(end > (last ?? Infinity) || end - start === each.blockBytes * each.mostBlocks).toBe(true);
        if (last !== undefined) expect(end - each.blockBytes).toBeLessThanOrEqual(last);
        const selected = selectRanges(header, size, 1);
        if (selected.kind === "parts") expect(selected.ranges[0]?.start).toBe(first);
      }),
    );
  });
});
