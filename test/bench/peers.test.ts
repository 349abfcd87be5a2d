import { expect, test } from "vitest";
import { figureOf, timesAsGood, type PeerRow } from "../../scripts/bench/peers.ts";

const RATES: PeerRow = {
  lane: "raw",
  what: "a file",
  unit: "requests/s",
  rounds: { edge: [900, 1000, 5000], origin: [10, 20, 30], nginx: [2000] },
};

test("figureOf() is the median of a peer's rounds, and nothing where there were none", () => {
  expect(figureOf(RATES, "edge")).toBe(1000);
  expect(figureOf(RATES, "varnish")).toBeUndefined();
});

test.each<[PeerRow["unit"], "origin" | "nginx", number]>([
  ["requests/s", "origin", 50],
  ["requests/s", "nginx", 0.5],
  ["ms", "origin", 0.02],
  ["ms", "nginx", 2],
])("timesAsGood() of %s beside %s is above 1 only where ours is better", (unit, other, times) => {
  expect(timesAsGood({ ...RATES, unit }, "edge", other)).toBe(times);
});

test("timesAsGood() says nothing where one was not measured", () => {
  expect(timesAsGood(RATES, "edge", "varnish")).toBeUndefined();
  expect(timesAsGood(RATES, "varnish", "origin")).toBeUndefined();
});
