import type { KnownEntry } from "./artifacts-archives.ts";
import type { Figure } from "./figure.ts";
import { median } from "../measuring/rounds.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

export const MB = 1_000_000;
const LEAST_FRAMED = 0.8;
/** What an isolate may have in all, and less than what the process holds. */
const MOST_PEAK_MIB = 256;

/** Of content and of what is packed, a second; the time of processors that it took, and a Worker's peak of memory over what it had at first. */
export type Round = {
  readonly contentMbPerS: number;
  readonly packedMbPerS: number;
  readonly cpuS: number;
  readonly peakMib: number | undefined;
};

export type Way = {
  readonly name: WayName;
  readonly title: string;
  /** Whose processors' time is told. */
  readonly process: string;
  readonly isEdge?: true;
  run(): Promise<Round>;
};

export type WayName =
  | "framed_cold"
  | "framed_warm"
  | "stored_cold"
  | "stored_warm"
  | "inflated_cold"
  | "inflated_warm"
  | "native"
  | "fflate"
  | "unzip";

export type Measured = { readonly way: Way; readonly rounds: readonly Round[] };

/** An entry's bytes in so many seconds. */
export function roundOf(
  { bytes, packedBytes }: KnownEntry,
  seconds: number,
  cost: Pick<Round, "cpuS" | "peakMib">,
): Round {
  return { contentMbPerS: bytes / MB / seconds, packedMbPerS: packedBytes / MB / seconds, ...cost };
}

/** What is judged, and each way beside it. */
export function figuresOf(measured: readonly Measured[], slowMib: number): Figure[] {
  const speeds = (name: WayName, what: "contentMbPerS" | "packedMbPerS" = "contentMbPerS") =>
    (measured.find(({ way }) => way.name === name)?.rounds ?? []).map((round) => round[what]);
  const beside = (name: string, title: string, ours: readonly number[], theirs: readonly number[]) => ({
    name: `artifacts.throughput.${name}`,
    title,
    unit: "MB/s",
    ours: median(ours),
    theirs: median(theirs),
    rounds: { ours, theirs },
  });
  const memory = (name: string, title: string, ours: number) => ({
    name: `artifacts.throughput.${name}`,
    title,
    unit: "MiB",
    ours,
    target: { most: MOST_PEAK_MIB },
  });
  const edges = measured.flatMap(({ way, rounds }) => (way.isEdge === true ? rounds : []));
  return [
    {
      ...beside(
        "framed_beside_stored",
        "Packed bytes, gzip-framed and stored, both warm",
        speeds("framed_warm", "packedMbPerS"),
        speeds("stored_warm", "packedMbPerS"),
      ),
      target: { least: LEAST_FRAMED },
    },
    beside("framed", "Content, gzip-framed, warm, and unzip -p", speeds("framed_warm"), speeds("unzip")),
    beside("inflated", "Content, inflated, warm, and unzip -p", speeds("inflated_warm"), speeds("unzip")),
    beside("first", "Content, inflated, cold, and by fflate", speeds("inflated_cold"), speeds("fflate")),
    memory("peak_mib", "Any of the ways at the edge: peak memory over idle", peakOf(edges)),
    memory("slow_peak_mib", "A slow client, inflated, cold: peak memory over idle", slowMib),
    ...measured.map(wayFigure),
  ];
}

function wayFigure({ way: { name, title, process }, rounds }: Measured): Figure {
  const cpu = rounds.map(({ cpuS }) => cpuS);
  const ours = rounds.map(({ contentMbPerS }) => contentMbPerS);
  return {
    name: `artifacts.throughput.way.${name}`,
    title: `Content, ${title}`,
    unit: "MB/s",
    ours: median(ours),
    rounds: { ours, theirs: [] },
    isListedApart: true,
    details: {
      [`cpu_s_of_${process}`]: median(cpu),
      packed_mb_per_s: packedOf(rounds),
      peak_mib: peakOf(rounds),
    },
  };
}

function packedOf(rounds: readonly Round[]): number {
  return median(rounds.map(({ packedMbPerS }) => packedMbPerS));
}

/** The highest; 0 where it was not looked at. */
function peakOf(rounds: readonly Round[]): number {
  return Math.max(0, ...rounds.flatMap(({ peakMib }) => peakMib ?? []));
}

/** A line a way. */
export function formatWays(measured: readonly Measured[]): string {
  const heading = ["way", "content, MB/s", "packed, MB/s", "CPU, s", "of", "peak, MiB"];
  const rows = measured.map(({ way: { title, process }, rounds }) => [
    title,
    formatNumber(median(rounds.map(({ contentMbPerS }) => contentMbPerS))),
    formatNumber(packedOf(rounds)),
    formatNumber(median(rounds.map(({ cpuS }) => cpuS))),
    process,
    process === "workerd" ? formatNumber(peakOf(rounds)) : "",
  ]);
  return formatColumns([heading, ...rows]);
}
