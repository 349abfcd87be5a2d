import { expect, test } from "vitest";
import {
  figuresOf,
  formatWays,
  roundOf,
  type Measured,
  type WayName,
} from "../../scripts/bench/artifacts-throughput-figures.ts";
import { missed, ratioOf } from "../../scripts/bench/figure.ts";

const NAMES: readonly WayName[] = [
  "framed_warm",
  "stored_warm",
  "inflated_cold",
  "inflated_warm",
  "fflate",
  "unzip",
];
const LOG = { name: "log", bytes: 400e6, packedBytes: 100e6, dataOffset: 0 };
const STORED = { name: "stored", bytes: 100e6, packedBytes: 100e6, dataOffset: 0 };

/** All ways take a second but the one that is named. */
function measured(slow: Partial<Record<WayName, number>>, peakMib = 50): Measured[] {
  return NAMES.map((name) => {
    const isEdge = name !== "fflate" && name !== "unzip";
    const entry = name === "stored_warm" ? STORED : LOG;
    const round = roundOf(entry, slow[name] ?? 1, { cpuS: 0.5, peakMib: isEdge ? peakMib : undefined });
    const run = () => Promise.resolve(round);
    const way = { name, title: name, process: isEdge ? "workerd" : "unzip", run, ...(isEdge && { isEdge }) };
    return { way, rounds: [round] };
  });
}

function find(figures: ReturnType<typeof figuresOf>, name: string) {
  const figure = figures.find((candidate) => candidate.name === `artifacts.throughput.${name}`);
  if (figure === undefined) throw new Error(`There is no figure ${name}`);
  return figure;
}

test("roundOf() gives bytes of content and of what is packed a second, in millions", () => {
  expect(roundOf(LOG, 2, { cpuS: 1, peakMib: 3 })).toEqual({
    contentMbPerS: 200,
    packedMbPerS: 50,
    cpuS: 1,
    peakMib: 3,
  });
});

test.each([
  [1, false],
  [1.25, false],
  [1.26, true],
])(
  "figuresOf() compares what is packed of a framed and a stored entry: %d s and 1 s",
  (seconds, isMissed) => {
    const figure = find(figuresOf(measured({ framed_warm: seconds }), 0), "framed_beside_stored");
    expect(ratioOf(figure)).toBeCloseTo(1 / seconds);
    expect(missed(figure)).toBe(isMissed);
  },
);

test("figuresOf() judges the highest peak of the edge, and that of a slow client", () => {
  const figures = figuresOf(measured({}, 257), 256);
  expect(find(figures, "peak_mib")).toMatchObject({ ours: 257 });
  expect(missed(find(figures, "peak_mib"))).toBe(true);
  expect(missed(find(figures, "slow_peak_mib"))).toBe(false);
});

test("figuresOf() sets content beside unzip and fflate, and lists each way apart", () => {
  const figures = figuresOf(measured({ unzip: 4, fflate: 8 }), 0);
  expect(ratioOf(find(figures, "inflated"))).toBe(4);
  expect(ratioOf(find(figures, "first"))).toBe(8);
  expect(figures.filter(({ isListedApart }) => isListedApart === true)).toHaveLength(NAMES.length);
});

test("formatWays() shows memory of Workers alone", () => {
  const lines = formatWays(measured({})).split("\n");
  expect(lines.find((line) => line.startsWith("unzip"))).toMatch(/unzip$/);
  expect(lines.find((line) => line.startsWith("stored_warm"))).toMatch(/100\s+100\s+0\.500\s+workerd\s+50$/);
});
