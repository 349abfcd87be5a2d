import { expect, test } from "vitest";
import { formatPeerTable, formatReport, type PeerReport } from "../../scripts/bench/peer-report.ts";
import type { PeerRow } from "../../scripts/bench/peers.ts";

const ROWS: PeerRow[] = [
  {
    lane: "raw",
    what: "a file",
    unit: "requests/s",
    rounds: { edge: [1000], origin: [100], nginx: [4000], bare: [1000], ungranted: [10] },
  },
  { lane: "pipelines", what: "a|list", unit: "ms", rounds: { edge: [2], origin: [30], nginx: [1] } },
];

const REPORT: PeerReport = {
  rows: ROWS,
  lacks: ["Varnish is not here: `varnishd` is not installed"],
  absent: new Set(["varnish"]),
  notes: ["nginx failed 2 % of 50 reads a second"],
  versions: [
    ["workerd", "1.2.3"],
    ["nginx", "1.22.1"],
  ],
  machine: {
    processor: "Abacus",
    cores: 2,
    memoryBytes: 8 * 1024 ** 3,
    system: "Debian",
    kernel: "6.1",
    loadBefore: 0.1,
  },
  command: "npm run bench",
  date: new Date("2026-11-21T10:00:00Z"),
  tookS: 1020,
};

test("formatPeerTable() has a line a row, and says where the edge is behind and who is not here", () => {
  expect(formatPeerTable(REPORT).split("\n")).toEqual([
    "| lane      | what    | unit       |  edge |   origin |             nginx |  Varnish | bare Worker | edge, GRANT_S=0 |",
    "| --------- | ------- | ---------- | ----: | -------: | ----------------: | -------: | ----------: | --------------: |",
    "| raw       | a file  | requests/s | 1,000 | 100 (10) | 4,000 (**0.250**) | not here |   1,000 (1) |        10 (100) |",
    "| pipelines | a\\|list | ms         |     2 |  30 (15) |     1 (**0.500**) | not here |             |                 |",
  ]);
});

test("formatReport() tells how, with what, on what and when", () => {
  const page = formatReport(REPORT, "bench.svg");
  expect(page).toContain("](bench.svg)");
  expect(page).toContain(formatPeerTable(REPORT));
  expect(page.split("\n")).toEqual(
    expect.arrayContaining([
      "- Machine: Abacus, 2 cores, 8.0 GiB of memory, Debian, kernel 6.1, load before 0.10",
      "- Versions: workerd 1.2.3, nginx 1.22.1",
      "- Measured: 2026-11-21 with `npm run bench`, in 17 min",
      "- Varnish is not here: `varnishd` is not installed",
      "- nginx failed 2 % of 50 reads a second",
    ]),
  );
  expect(page).toMatch(/[^\n]\n$/);
});
