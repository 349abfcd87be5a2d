import { expect, test } from "vitest";
import { randomRanges } from "../../scripts/bench/objects-random.ts";

const PLAN = { size: 1000 * 64 + 63, length: 64, count: 300 };

test("randomRanges() gives ranges that are aligned, inside, and all others than those before", () => {
  const ranges = randomRanges("seed", PLAN);
  expect(new Set(ranges.map(({ start }) => start)).size).toBe(PLAN.count);
  for (const { start, end } of ranges) {
    expect(start % PLAN.length).toBe(0);
    expect(end - start).toBe(PLAN.length);
    expect(end).toBeLessThanOrEqual(PLAN.size);
  }
});

test("randomRanges() never reads on", () => {
  const ranges = randomRanges("seed", PLAN);
  for (const [index, { end }] of ranges.entries()) expect(ranges[index + 1]?.start).not.toBe(end);
});

test("randomRanges() gives the same for the same seed", () => {
  expect(randomRanges("seed", PLAN)).toEqual(randomRanges("seed", PLAN));
  expect(randomRanges("other", PLAN)).not.toEqual(randomRanges("seed", PLAN));
});

test("randomRanges() refuses to search for places that are hardly there", () => {
  expect(() => randomRanges("seed", { ...PLAN, count: 501 })).toThrow(RangeError);
});
