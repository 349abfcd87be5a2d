import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { paceChart, shareBar } from "../../../src/core/look/chart.ts";
import { SLOT_MS, type Pace } from "../../../src/core/look/isolate-look.ts";
import { slotOf } from "../../../src/core/look/of-late.ts";
import { anyPace, NOW, PACE_MS } from "./arbitrary-looks.ts";

type Bar = {
  readonly kind: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

function barsOf(svg: string): readonly Bar[] {
  return Array.from(svg.matchAll(/<rect ([^>]*)\/>/g), ([, attributes = ""]) => {
    const read = new Map(
      Array.from(attributes.matchAll(/(\w+)="([^"]*)"/g), ([, name = "", value = ""]) => [name, value]),
    );
    const number = (name: string) => Number(read.get(name) ?? 0);
    return {
      kind: read.get("class") ?? "",
      x: number("x"),
      y: number("y"),
      width: number("width"),
      height: number("height"),
    };
  });
}

/** The bars that are not numbers, or not within the drawing. */
function strayBars(svg: string): readonly Bar[] {
  const [, width = 0, height = 0] = /viewBox="0 0 (\d+) (\d+)"/.exec(svg)?.map(Number) ?? [];
  const isInside = (bar: Bar) =>
    Math.min(bar.x, bar.y, bar.width, bar.height) >= 0 &&
    bar.x + bar.width <= width + ROUNDED &&
    bar.y + bar.height <= height + ROUNDED;
  return barsOf(svg).filter((bar) => !isInside(bar));
}

/** Numbers are written with two digits. */
const ROUNDED = 0.02;

describe("paceChart()", () => {
  const slot = (ago: number, requests: number, asked = 0): Pace => ({
    at: slotOf(NOW) - ago * SLOT_MS,
    requests,
    asked,
  });

  const inItsSlot = (pace: Pace): Pace => ({ ...pace, at: slotOf(pace.at) });

  it("does draw nothing of nothing", () => {
    const svg = paceChart([], NOW);
    expect(strayBars(svg)).toEqual([]);
    expect(barsOf(svg)).toEqual([]);
  });

  it("does draw the newest slot at the right end, and the largest as high as there is room", () => {
    const svg = paceChart([slot(59, 50, 25), slot(0, 100, 0)], NOW);
    expect(strayBars(svg)).toEqual([]);
    expect(barsOf(svg)).toEqual([
      { kind: "served", x: 0, y: 45, width: 9, height: 45 },
      { kind: "asked", x: 0, y: 67.5, width: 9, height: 22.5 },
      { kind: "served", x: 590, y: 0, width: 9, height: 90 },
      { kind: "asked", x: 590, y: 90, width: 9, height: 0 },
    ]);
    expect(svg).toContain("A bar is 5 s, full height is 100<");
  });

  it("does measure by what it draws, not by what was before that", () => {
    expect(paceChart([slot(60, 9000), slot(1, 3)], NOW)).toBe(paceChart([slot(1, 3)], NOW));
  });

  it("does draw nothing of an isolate whose clock is ahead", () => {
    expect(paceChart([slot(-1, 9000), slot(1, 3)], NOW)).toBe(paceChart([slot(1, 3)], NOW));
  });

  it("does draw any pace within its box, whenever somebody looks", () => {
    const late = fc.integer({ min: NOW - PACE_MS, max: NOW + 2 * PACE_MS });
    fc.assert(
      fc.property(fc.array(anyPace, { maxLength: 70 }), late, (pace, now) => {
        expect(strayBars(paceChart(pace.map(inItsSlot), now))).toEqual([]);
      }),
    );
  });
});

describe("shareBar()", () => {
  it("does draw nothing of nothing", () => {
    expect(barsOf(shareBar([{ kind: "memory", count: 0 }], "none"))).toEqual([]);
  });

  it("does draw parts side by side that fill the bar", () => {
    const anyParts = fc.array(fc.record({ kind: fc.constantFrom("memory", "colo"), count: fc.nat() }), {
      minLength: 1,
      maxLength: 7,
    });
    fc.assert(
      fc.property(anyParts, (parts) => {
        const svg = shareBar(parts, "shares");
        expect(strayBars(svg)).toEqual([]);
        const bars = barsOf(svg);
        expect(bars).toHaveLength(parts.filter(({ count }) => count > 0).length);
        for (const [index, { x }] of bars.entries()) {
          const before = bars.slice(0, index).reduce((sum, { width }) => sum + width, 0);
          expect(x).toBeCloseTo(before, 1);
        }
        const last = bars.at(-1);
        if (last !== undefined) expect(last.x + last.width).toBeCloseTo(100, 1);
      }),
    );
  });
});
