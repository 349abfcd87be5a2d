import { describe, expect, it } from "vitest";
import { allowance } from "../../src/store/allowance.ts";

describe("allowance()", () => {
  const times = (count: number, may: () => boolean) =>
    Array.from({ length: count }, () => may()).filter((is) => is).length;

  it("does allow what was saved up, and after that so many a second", () => {
    let now = 1000;
    const may = allowance(20, 30, () => now);
    expect(times(1000, may)).toBe(600);
    now += 1000;
    expect(times(1000, may)).toBe(20);
    now += 100;
    expect(times(1000, may)).toBe(2);
    now += 3_600_000;
    expect(times(1000, may)).toBe(600);
  });

  it("does allow no more where the clock goes back", () => {
    let now = 1_000_000;
    const may = allowance(1, 10, () => now);
    expect(times(100, may)).toBe(10);
    now = 0;
    expect(times(100, may)).toBe(0);
    now = 3000;
    expect(times(100, may)).toBe(3);
  });
});
