import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { dosSeconds } from "../../../src/core/zip/dos-seconds.ts";
import { dosTime } from "../../../src/core/zip/dos-time.ts";

function at(iso: string): number {
  return Date.parse(iso) / 1000;
}

describe("dosTime()", () => {
  it.each([
    ["1980-01-01T00:00:00Z", 0b0000000_0001_00001, 0],
    ["1980-01-01T00:00:03Z", 0b0000000_0001_00001, 1],
    ["2024-02-29T23:59:58Z", 0b0101100_0010_11101, 0b10111_111011_11101],
    ["2107-12-31T23:59:59Z", 0b1111111_1100_11111, 0b10111_111011_11101],
    ["1970-01-01T00:00:00Z", 0b0000000_0001_00001, 0],
    ["1901-01-01T12:00:00Z", 0b0000000_0001_00001, 0],
    ["2108-01-01T00:00:00Z", 0b1111111_1100_11111, 0b10111_111011_11101],
    ["+100000-01-01T00:00:00Z", 0b1111111_1100_11111, 0b10111_111011_11101],
  ])("dosTime() does write %s", (iso, date, time) => {
    expect(dosTime(at(iso))).toEqual({ date, time });
  });

  it("dosTime() does write what dosSeconds() reads", () => {
    const anySecond = fc.integer({ min: at("1980-01-01T00:00:00Z"), max: at("2107-12-31T23:59:59Z") });
    fc.assert(
      fc.property(anySecond, (seconds) => {
        const { date, time } = dosTime(seconds);
        expect(dosSeconds(date, time)).toBe(seconds - (seconds % 2));
      }),
    );
  });
});
