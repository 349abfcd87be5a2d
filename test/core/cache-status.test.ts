import { describe, expect, it } from "vitest";
import {
  type CacheOutcome,
  COLLAPSED,
  formatCacheStatus,
  MISS,
  PASSED_THROUGH,
  STALE,
  UNUSED,
} from "../../src/core/cache-status.ts";

const HIT: CacheOutcome = { kind: "hit", tier: "memory", ttl: 29 };

describe("Cache-Status", () => {
  it.each<[CacheOutcome, string]>([
    [HIT, "hit; ttl=29; detail=memory"],
    [{ ...HIT, ttl: 0 }, "hit; ttl=0; detail=memory"],
    [{ ...HIT, tier: "colo", ttl: undefined }, "hit; detail=colo"],
    [{ ...HIT, tier: "kv" }, "hit; ttl=29; detail=kv"],
    [MISS, "fwd=miss"],
    [COLLAPSED, "fwd=miss; collapsed"],
    [STALE, "fwd=stale"],
    [{ kind: "forwarded", reason: "bypass", collapsed: false }, "fwd=bypass"],
  ])("formatCacheStatus() does write %j as %j", (outcome, parameters) => {
    expect(formatCacheStatus(outcome, UNUSED, UNUSED)).toBe(`forgefront-grant; ${parameters}`);
    expect(formatCacheStatus(UNUSED, outcome, UNUSED)).toBe(`forgefront-revision; ${parameters}`);
    expect(formatCacheStatus(UNUSED, UNUSED, outcome)).toBe(`forgefront-body; ${parameters}`);
  });

  it("formatCacheStatus() does keep the order in which the caches were asked", () => {
    expect(formatCacheStatus(HIT, MISS, COLLAPSED)).toBe(
      "forgefront-grant; hit; ttl=29; detail=memory, forgefront-revision; fwd=miss, forgefront-body; fwd=miss; collapsed",
    );
    expect(formatCacheStatus(HIT, UNUSED, MISS)).toBe(
      "forgefront-grant; hit; ttl=29; detail=memory, forgefront-body; fwd=miss",
    );
    expect(formatCacheStatus(UNUSED, UNUSED, UNUSED)).toBe("");
  });

  it("PASSED_THROUGH does say that no cache was asked", () => {
    expect(PASSED_THROUGH).toBe("forgefront; fwd=bypass");
  });
});
