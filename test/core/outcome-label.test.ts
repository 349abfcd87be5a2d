import { expect, it } from "vitest";
import { COLLAPSED, MISS, STALE, UNUSED, type CacheOutcome } from "../../src/core/cache-status.ts";
import { outcomeLabel, OUTCOME_LABELS } from "../../src/core/outcome-label.ts";

const hit = (tier: "memory" | "colo" | "kv"): CacheOutcome => ({ kind: "hit", tier, ttl: 5 });
const forwarded = (reason: "miss" | "stale" | "bypass", collapsed: boolean): CacheOutcome => ({
  kind: "forwarded",
  reason,
  collapsed,
});

const LABELS: readonly (readonly [string, CacheOutcome])[] = [
  ["memory", hit("memory")],
  ["colo", hit("colo")],
  ["kv", hit("kv")],
  ["collapsed", COLLAPSED],
  ["collapsed", forwarded("stale", true)],
  ["stale", STALE],
  ["miss", MISS],
  ["bypass", forwarded("bypass", false)],
];

it.each(LABELS)("outcomeLabel() does say %s of %j", (label, outcome) => {
  expect(outcomeLabel(outcome)).toBe(label);
});

it("outcomeLabel() does say nothing of a cache that had no part", () => {
  expect(outcomeLabel(UNUSED)).toBeUndefined();
});

it("outcomeLabel() does know no other words than are counted", () => {
  expect([...new Set(LABELS.map(([label]) => label))]).toEqual([...OUTCOME_LABELS]);
});
