import { expect, test } from "vitest";
import { interleave, median, medians, takeTurns } from "../../scripts/measuring/rounds.ts";

test.each([
  [[3], 3],
  [[5, 1, 3], 3],
  [[4, 1, 3, 2], 2.5],
])("median() of %j is %d", (values, middle) => {
  expect(median(values)).toBe(middle);
});

test("median() of nothing is an error", () => {
  expect(() => median([])).toThrow(RangeError);
});

test("interleave() takes turns, and each side begins every other round", async () => {
  const order: string[] = [];
  const side = (name: string) => async () => order.push(name);
  await interleave(3, side("a"), side("b"));
  expect(order.join("")).toBe("abbaab");
});

test("takeTurns() goes there and back, and keeps the rounds of each apart", async () => {
  const order: string[] = [];
  const side = (name: string) => async () => `${name}${order.push(name)}`;
  expect(await takeTurns(2, [side("a"), side("b"), side("c")])).toEqual([
    ["a1", "a6"],
    ["b2", "b5"],
    ["c3", "c4"],
  ]);
});

test("medians() keeps every round", () => {
  const rounds = { ours: [1, 9, 2], theirs: [4, 5, 6] };
  expect(medians(rounds)).toEqual({ ours: 2, theirs: 5, rounds });
});
