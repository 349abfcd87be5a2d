import { expect, test } from "vitest";
import { percentile } from "../../scripts/bench/percentile.ts";

test.each([
  [[7], 99, 7],
  [[4, 1, 3, 2], 50, 2],
  [[4, 1, 3, 2], 51, 3],
  [[4, 1, 3, 2], 100, 4],
  [[4, 1, 3, 2], 0, 1],
  [Array.from({ length: 200 }, (_, index) => 200 - index), 99, 198],
])("percentile() of %j at %d is %d", (values, percent, expected) => {
  expect(percentile(values, percent)).toBe(expected);
});

test("percentile() of nothing is an error", () => {
  expect(() => percentile([], 50)).toThrow(RangeError);
});
