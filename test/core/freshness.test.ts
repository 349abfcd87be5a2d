import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ageInSeconds, isWorthWriting, judge, secondsLeft } from "../../src/core/freshness.ts";

const NOW = 1_000_000;
const GRANT = { soft: 20_000, hard: 30_000 };

describe("a life of 20 s, 30 s at most", () => {
  it.each([
    [0, "fresh"],
    [19_999, "fresh"],
    [20_000, "ageing"],
    [29_999, "ageing"],
    [30_000, "expired"],
    [30_001, "expired"],
    [-2_000, "fresh"],
    [-2_001, "expired"],
    [-3_600_000, "expired"],
  ])("judge() does call an age of %d ms %s", (age, verdict) => {
    expect(judge(NOW - age, NOW, GRANT)).toBe(verdict);
  });

  it("judge() does never use a fact with no life", () => {
    expect(judge(NOW, NOW, { soft: 0, hard: 0 })).toBe("expired");
  });

  it("judge() does skip ageing where renewal begins after the end", () => {
    expect(judge(NOW - 9_999, NOW, { soft: 20_000, hard: 10_000 })).toBe("fresh");
    expect(judge(NOW - 10_000, NOW, { soft: 20_000, hard: 10_000 })).toBe("expired");
  });

  it("judge() does never turn back as time passes", () => {
    const order = ["fresh", "ageing", "expired"];
    const age = fc.nat({ max: 60_000 });
    fc.assert(
      fc.property(age, age, fc.nat({ max: 40_000 }), fc.nat({ max: 40_000 }), (a, b, soft, hard) => {
        const [earlier, later] = [Math.min(a, b), Math.max(a, b)].map((passed) =>
          order.indexOf(judge(NOW, NOW + passed, { soft, hard })),
        );
        expect(later).toBeGreaterThanOrEqual(earlier ?? 0);
      }),
    );
  });
});

describe("whole seconds", () => {
  it.each([
    [0, 30, 0],
    [999, 29, 0],
    [1_000, 29, 1],
    [29_001, 0, 29],
    [30_000, 0, 30],
    [90_000, 0, 90],
  ])("secondsLeft() and ageInSeconds() do round %d ms down", (age, left, passed) => {
    expect(secondsLeft(NOW - age, NOW, 30_000)).toBe(left);
    expect(ageInSeconds(NOW - age, NOW)).toBe(passed);
  });

  it("ageInSeconds() does never go below zero", () => {
    expect(ageInSeconds(NOW + 5_000, NOW)).toBe(0);
  });
});

describe("facts that are renewed again and again", () => {
  it("isWorthWriting() does have one written about every ten seconds, however often it is renewed", () => {
    for (const everyMs of [1, 300, 3000, 9999]) {
      const renewals = Array.from({ length: Math.ceil(60_000 / everyMs) + 1 }, (_, index) => index * everyMs);
      const written = renewals.filter(
        (at, index) => index > 0 && isWorthWriting(renewals[index - 1] ?? 0, at),
      );
      expect(written.length).toBeGreaterThanOrEqual(5);
      expect(written.length).toBeLessThanOrEqual(7);
    }
    expect(isWorthWriting(5000, 15_000)).toBe(true);
  });
});
