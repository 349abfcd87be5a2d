import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Extent, partExtent } from "../../src/origin/part-extent.ts";

function read(contentRange: string | null, contentLength: string | null = null): Extent | undefined {
  return partExtent((name) => {
    if (name === "content-range") return contentRange;
    return name === "content-length" ? contentLength : null;
  });
}

describe("partExtent()", () => {
  it.each<[string, string | null, number, number, number]>([
    ["bytes 0-0/1", "1", 0, 1, 1],
    ["bytes 0-9/100", null, 0, 10, 100],
    ["bytes 0-9/100", "10", 0, 10, 100],
    ["bytes 90-99/100", "10", 90, 100, 100],
    ["bytes 0-99/100", "100", 0, 100, 100],
    ["bytes 0-9/100", "ten", 0, 10, 100],
    [
      "bytes 999999999999998-999999999999998/999999999999999",
      "1",
      999999999999998,
      999999999999999,
      999999999999999,
    ],
  ])("partExtent() does read %j of %j bytes", (contentRange, length, start, end, size) => {
    expect(read(contentRange, length)).toEqual({ size, part: { start, end } });
  });

  it.each<[string | null, string | null]>([
    [null, "10"],
    ["", null],
    ["bytes */100", null],
    ["bytes 0-9/*", null],
    ["bytes 0-9", null],
    ["0-9/100", null],
    ["Bytes 0-9/100", null],
    ["bytes=0-9/100", null],
    ["bytes 0-9/100, bytes 20-29/100", null],
    ["bytes 9-0/100", null],
    ["bytes 0-100/100", null],
    ["bytes 100-109/100", null],
    ["bytes 0-0/0", null],
    ["bytes -1-9/100", null],
    ["bytes 0-9.5/100", null],
    ["bytes 0x0-9/100", null],
    ["bytes 0-9/100 ", null],
    ["bytes 0-9/9999999999999999", null],
    ["bytes 0-9/100", "9"],
    ["bytes 0-9/100", "11"],
    ["bytes 0-9/100", "100"],
    ["bytes 0-9/100", "0"],
  ])("partExtent() does make nothing of %j of %j bytes", (contentRange, length) => {
    expect(read(contentRange, length)).toBeUndefined();
  });

  it("partExtent() does never tell of a part that is empty or leaves the whole", () => {
    const number = fc.oneof(fc.nat(5), fc.constantFrom(10, 99, 100, 10 ** 15 - 1, 10 ** 15));
    fc.assert(
      fc.property(number, number, number, fc.option(number), (first, last, size, length) => {
        const extent = read(`bytes ${first}-${last}/${size}`, length === null ? null : String(length));
        if (extent === undefined) return;
        const { start, end } = extent.part;
        expect([start, end, extent.size]).toEqual([first, last + 1, size]);
        expect(start < end && end <= size).toBe(true);
        if (length !== null && length < 10 ** 15) expect(end - start).toBe(length);
      }),
      { numRuns: 1_000 },
    );
  });
});
