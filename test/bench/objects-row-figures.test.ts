import { expect, test } from "vitest";
import { missed, ratioOf } from "../../scripts/bench/figure.ts";
import { formatRows, rowFigures, type Row, type Run } from "../../scripts/bench/objects-row-figures.ts";

function runs(...rates: readonly number[]): Run[] {
  return rates.map((opsPerS) => ({ opsPerS, p50Ms: 2, p99Ms: 10, cores: { client: 0.25, others: 1.5 } }));
}

const ROW: Row = {
  bytes: 512 * 1024,
  least: 2,
  runs: {
    direct: runs(900, 1000, 1100),
    nginx: runs(3000, 3000, 3000),
    slices: runs(2000, 2000, 2000),
    cold: runs(500, 100, 300),
    cached: runs(2500, 9000, 2400),
    bare: runs(4000, 4000, 4000),
  },
};

test("rowFigures() judges the medians of the cached edge by RGW and by both forms of nginx", () => {
  const figures = rowFigures(ROW).map((figure) => [figure.name, ratioOf(figure), missed(figure)]);
  expect(figures).toEqual([
    ["objects.512_kib.cached_over_direct", 2.5, false],
    ["objects.512_kib.cached_over_nginx", 2500 / 3000, true],
    ["objects.512_kib.cached_over_slices", 1.25, false],
    ["objects.512_kib.cached_over_bare", 0.625, false],
    ["objects.512_kib.cold_over_direct", 0.3, false],
  ]);
});

test("formatRows() has a line for each system of a size", () => {
  const [heading, , direct, ...others] = formatRows([ROW]).split("\n");
  expect(heading).toMatch(/^object +system +ops\/s +MiB\/s/);
  expect(direct).toMatch(/^512 KiB +RGW direct +1,000 +500 +2 +10 +0\.250 +1\.50$/);
  expect(others).toHaveLength(5);
});
