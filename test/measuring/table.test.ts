import { expect, test } from "vitest";
import { missed, type Figure } from "../../scripts/bench/figure.ts";
import { formatNumber, formatTable } from "../../scripts/measuring/table.ts";

const FIGURE: Figure = { name: "a", title: "Hot", unit: "requests/s", ours: 12_345, theirs: 15_000 };

test.each<[string, Partial<Figure>, boolean]>([
  ["no target", {}, false],
  ["a ratio that is reached", { target: { least: 0.8 } }, false],
  ["a ratio that is not reached", { target: { least: 0.9 } }, true],
  ["a ceiling that is kept", { target: { most: 0.9 } }, false],
  ["a ceiling that is broken", { target: { most: 0.8 } }, true],
  ["a measurement that failed", { ours: Number.NaN, target: { most: 1 } }, true],
])("missed() judges %s", (_, change, verdict) => {
  expect(missed({ ...FIGURE, ...change })).toBe(verdict);
});

test("missed() judges the figure itself where there is nothing beside it", () => {
  const alone: Figure = { name: "a", title: "Questions", unit: "", ours: 5, target: { most: 4 } };
  expect(missed(alone)).toBe(true);
});

test("formatTable() aligns names to the left and numbers to the right", () => {
  const figures: Figure[] = [
    { ...FIGURE, target: { least: 0.8 } },
    { name: "b", title: "Questions", unit: "", ours: 5, target: { most: 4 } },
  ];
  expect(formatTable(figures).split("\n")).toEqual([
    "figure             ours  theirs  ratio  target",
    "---------------  ------  ------  -----  ------  ------",
    "Hot, requests/s  12,345  15,000  0.823  >= 0.8      ok",
    "Questions             5                   <= 4  missed",
  ]);
});

test.each([
  [0.0386, "0.039"],
  [1.5, "1.50"],
  [54, "54"],
  [54.26, "54.3"],
  [1_234_567.8, "1,234,568"],
  [Number.NaN, "NaN"],
])("formatNumber() writes %d as %s", (value, text) => {
  expect(formatNumber(value)).toBe(text);
});
