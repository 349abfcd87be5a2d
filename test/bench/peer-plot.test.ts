import { expect, test } from "vitest";
import { plotPeers } from "../../scripts/bench/peer-plot.ts";
import type { PeerRow } from "../../scripts/bench/peers.ts";

const ROW: PeerRow = {
  lane: "raw",
  what: "a file",
  unit: "requests/s",
  rounds: { edge: [1000], origin: [100], nginx: [10], varnish: [100] },
};

type Bar = { readonly peer: string; readonly x: number; readonly width: number; readonly y: number };

function barsOf(svg: string): Bar[] {
  const pattern = /<rect class="(edge|nginx|varnish)" x="([\d.]+)" y="([\d.]+)" width="([\d.]+)"/g;
  return [...svg.matchAll(pattern)].map(([, peer = "", x, y, width]) => ({
    peer,
    x: Number(x),
    y: Number(y),
    width: Number(width),
  }));
}

function oneOf(svg: string): number {
  return Number(/<line class="one" x1="([\d.]+)"/.exec(svg)?.[1]);
}

function textsOf(svg: string): string[] {
  return [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, content = ""]) => content);
}

test("plotPeers() draws what is better to the right of the origin and what is worse to the left, as far for as much", () => {
  const svg = plotPeers([ROW]);
  const one = oneOf(svg);
  const [edge, nginx, varnish] = barsOf(svg);
  expect(edge?.x).toBeCloseTo(one);
  expect((nginx?.x ?? 0) + (nginx?.width ?? 0)).toBeCloseTo(one, 0);
  expect(edge?.width).toBeCloseTo(nginx?.width ?? 0, 0);
  expect(varnish?.width).toBe(1);
  expect(textsOf(svg)).toEqual(
    expect.arrayContaining(["raw", "a file", "edge 10", "nginx 0.100", "Varnish 1"]),
  );
});

test("plotPeers() takes less time for better", () => {
  const [edge, nginx] = barsOf(plotPeers([{ ...ROW, unit: "ms" }]));
  expect(edge?.x).toBeLessThan(nginx?.x ?? 0);
});

test("plotPeers() keeps all in sight, whatever the factors are, and no two groups in one place", () => {
  const far: PeerRow = { ...ROW, rounds: { edge: [5e6], origin: [1], nginx: [0.0003], varnish: [2] } };
  const svg = plotPeers([ROW, far, { ...far, lane: "objects" }]);
  const width = Number(/viewBox="0 0 (\d+) /.exec(svg)?.[1]);
  const bars = barsOf(svg);
  expect(bars).toHaveLength(9);
  for (const bar of bars) {
    expect(bar.x).toBeGreaterThan(300);
    expect(bar.x + bar.width).toBeLessThan(width - 90);
  }
  const ys = bars.map(({ y }) => y);
  expect(new Set(ys).size).toBe(ys.length);
  expect(ys).toEqual(ys.toSorted((a, b) => a - b));
});

test("plotPeers() leaves out peers and rows that were not measured, and draws none of the others over it", () => {
  const alone: PeerRow = { ...ROW, rounds: { edge: [1] } };
  const without: PeerRow = { ...ROW, rounds: { edge: [2], origin: [1] } };
  expect(barsOf(plotPeers([alone, without])).map(({ peer }) => peer)).toEqual(["edge"]);
});

test("plotPeers() escapes names, and breaks long ones", () => {
  const what = `${"a long name & ".repeat(9)}<script>`;
  const svg = plotPeers([{ ...ROW, what }]);
  expect(svg).not.toContain("<script>");
  expect(textsOf(svg).filter((content) => content.includes("a long name")).length).toBeGreaterThan(1);
  for (const content of textsOf(svg)) expect(content.replace(/&#\d+;/g, "&").length).toBeLessThan(95);
});

test("plotPeers() closes what it opens, and has colours for dark pages", () => {
  const svg = plotPeers([ROW]);
  const opened: string[] = [];
  for (const [, closing, name = "", own] of svg.matchAll(/<(\/?)([a-z]+)[^>]*?(\/?)>/g)) {
    if (closing === "/") expect(opened.pop()).toBe(name);
    else if (own !== "/") opened.push(name);
  }
  expect(opened).toEqual([]);
  expect(svg).toContain("@media (prefers-color-scheme: dark)");
});
