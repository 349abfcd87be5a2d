import fc from "fast-check";
import { expect, it } from "vitest";
import { shownCount, shownRate, shownShare, shownSpan } from "../../../src/core/look/amounts.ts";

it.each([
  [0, "0"],
  [999, "999"],
  [1_234_567, "1,234,567"],
])("shownCount() does show %i as %j", (count, shown) => {
  expect(shownCount(count)).toBe(shown);
});

it.each([
  [0, 0, "\u2013"],
  [0, 5, "0 %"],
  [5, 5, "100 %"],
  [1, 3, "33.3 %"],
  [9, 10, "90.0 %"],
  [999, 1000, "99.9 %"],
  [99_999, 100_000, "> 99.9 %"],
  [1, 1000, "0.1 %"],
  [1, 100_000, "< 0.1 %"],
])("shownShare() does show %i of %i as %j", (part, whole, shown) => {
  expect(shownShare(part, whole)).toBe(shown);
});

it("shownShare() does say all or nothing only of all and nothing", () => {
  fc.assert(
    fc.property(fc.nat({ max: 2 ** 40 }), fc.nat({ max: 2 ** 40 }), (one, other) => {
      const [part, whole] = [Math.min(one, other), Math.max(one, other) + 1];
      const shown = shownShare(part, whole);
      expect(shown).toMatch(/^(?:[<>] )?\d+(?:\.\d)? %$/);
      expect(/^0(?:\.0)? %$/.test(shown)).toBe(part === 0);
      expect(shown.startsWith("100")).toBe(false);
    }),
  );
});

it.each([
  [0, 1000, "0/s"],
  [0, 0, "0/s"],
  [5, 0, "0/s"],
  [5, -1000, "0/s"],
  [1, 3000, "0.3/s"],
  [99, 10_000, "9.9/s"],
  [123_456, 10_000, "12,346/s"],
])("shownRate() does show %i in %i ms as %j", (count, ms, shown) => {
  expect(shownRate(count, ms)).toBe(shown);
});

it.each([
  [-5000, "0 s"],
  [0, "0 s"],
  [999, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_599_999, "59 min"],
  [3_600_000, "1 h"],
  [86_399_999, "23 h"],
  [86_400_000, "1 d"],
  [-Infinity, "0 s"],
])("shownSpan() does show %i ms as %j", (ms, shown) => {
  expect(shownSpan(ms)).toBe(shown);
});
