import type { Cores } from "../measuring/cores.ts";
import type { Figure } from "./figure.ts";
import { median } from "../measuring/rounds.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

/** One round of a load. */
export type Run = {
  readonly opsPerS: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly cores: Cores;
};

/**
 * Everything that is measured with objects of one size, in the order of the table. The bare Worker asks nobody and sends what
 * the local Cache API gives it: no Worker that takes bodies from there can be faster.
 */
export const SYSTEMS = {
  direct: "RGW direct",
  nginx: "nginx, auth + cache",
  slices: "nginx, auth + slices",
  cold: "edge, cold",
  cached: "edge, cached",
  bare: "bare Worker, cache.match",
} as const;

export type System = keyof typeof SYSTEMS;

/** The rounds of one size. */
export type Row = {
  readonly bytes: number;
  /** The least that the cached edge must be of RGW. */
  readonly least: number;
  readonly runs: Readonly<Record<System, readonly Run[]>>;
};

const KIB = 1024;
const MIB = 1024 * KIB;

/** What is judged of a size. */
export function rowFigures(row: Row): Figure[] {
  return [
    beside(row, "cached", "direct", row.least),
    beside(row, "cached", "nginx", 1),
    beside(row, "cached", "slices", 1),
    beside(row, "cached", "bare", undefined),
    beside(row, "cold", "direct", undefined),
  ];
}

function beside({ bytes, runs }: Row, ours: System, theirs: System, least: number | undefined): Figure {
  const [our, their] = [summary(runs[ours]), summary(runs[theirs])];
  return {
    name: `objects.${bytes / KIB}_kib.${ours}_over_${theirs}`,
    title: `${formatSize(bytes)}, ${SYSTEMS[ours]} / ${SYSTEMS[theirs]}`,
    unit: "ops/s",
    ours: our.opsPerS,
    theirs: their.opsPerS,
    rounds: { ours: runs[ours].map(rateOf), theirs: runs[theirs].map(rateOf) },
    details: { p99_ms: our.p99Ms, their_p99_ms: their.p99Ms },
    ...(least === undefined ? {} : { target: { least } }),
  };
}

/** A line a size and system: medians, and the cores that were busy, which tell who was waited for. */
export function formatRows(rows: readonly Row[]): string {
  const heading = [
    "object",
    "system",
    "ops/s",
    "MiB/s",
    "p50, ms",
    "p99, ms",
    "client, cores",
    "others, cores",
  ];
  const lines = rows.flatMap((row) =>
    (Object.keys(SYSTEMS) as System[]).map((system) => lineOf(row, system)),
  );
  return formatColumns([heading, ...lines]);
}

function lineOf({ bytes, runs }: Row, system: System): string[] {
  const { opsPerS, p50Ms, p99Ms, cores } = summary(runs[system]);
  const numbers = [opsPerS, (opsPerS * bytes) / MIB, p50Ms, p99Ms, cores.client, cores.others];
  return [formatSize(bytes), SYSTEMS[system]].concat(numbers.map(formatNumber));
}

/** The medians of all rounds, each of its own. */
function summary(runs: readonly Run[]): Run {
  return {
    opsPerS: median(runs.map(rateOf)),
    p50Ms: median(runs.map(({ p50Ms }) => p50Ms)),
    p99Ms: median(runs.map(({ p99Ms }) => p99Ms)),
    cores: {
      client: median(runs.map(({ cores }) => cores.client)),
      others: median(runs.map(({ cores }) => cores.others)),
    },
  };
}

function rateOf({ opsPerS }: Run): number {
  return opsPerS;
}

export function formatSize(bytes: number): string {
  return bytes < MIB ? `${bytes / KIB} KiB` : `${bytes / MIB} MiB`;
}
