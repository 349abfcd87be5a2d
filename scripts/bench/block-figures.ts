import { LIMITS } from "../../src/core/config.ts";
import type { Figure } from "./figure.ts";
import type { FillMemory } from "./raw-fill-memory.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";
import type { medians } from "../measuring/rounds.ts";

export type Beside = ReturnType<typeof medians>;

/** What one size of block was measured to do. */
export type MeasuredBlocks = {
  readonly blockBytes: number;
  /** MiB/s, beside the file stored whole. */
  readonly warm: Beside;
  /** MiB/s of the first read, beside the origin alone. */
  readonly cold: Beside;
  /** Milliseconds of a small range, beside one of the file stored whole. */
  readonly range: Beside;
  /** Of the edge's process, around so many cold fills at once. */
  readonly memory: FillMemory;
  readonly fills: number;
};

const KIB = 1024;
const MIB = 1024 * KIB;
const LEAST_WARM = 0.5;
const MOST_PEAK_MIB = 128;

/** The table by which the default was chosen; it carries the mark. */
export function formatBlocks(sizes: readonly MeasuredBlocks[]): string {
  const heading = [
    "block, KiB",
    "warm, MiB/s",
    "/ whole",
    "cold fill, MiB/s",
    "/ origin",
    "range p50, ms",
    "/ whole",
    "idle, MiB",
    "peak",
    "after",
  ];
  return formatColumns([heading, ...sizes.map(blockRow)]);
}

export function blockRow({ blockBytes, warm, cold, range, memory }: MeasuredBlocks): string[] {
  const beside = ({ ours, theirs }: Beside) => [formatNumber(ours), formatNumber(ours / theirs)];
  const { idle, peak, after } = memory;
  return [
    `${blockBytes / KIB}${isDefault(blockBytes) ? " (default)" : ""}`,
    ...[warm, cold, range].flatMap(beside),
    ...[idle, peak, after].map((bytes) => formatNumber(toMib(bytes))),
  ];
}

/** The same as figures, of which only those of the default are judged. */
export function blockFigures({ blockBytes, warm, cold, range, memory, fills }: MeasuredBlocks): Figure[] {
  const judged = isDefault(blockBytes);
  const name = `raw.blocks.${blockBytes / KIB}_kib`;
  const { idle, peak, after } = memory;
  const isListedApart = !judged;
  return [
    {
      name: `${name}.warm_mib_per_s`,
      title: "64 MiB from warm blocks / stored whole",
      unit: "MiB/s",
      ...warm,
      isListedApart,
      ...(judged ? { target: { least: LEAST_WARM } } : {}),
    },
    {
      name: `${name}.cold_mib_per_s`,
      title: "64 MiB filled cold / origin alone",
      unit: "MiB/s",
      ...cold,
      isListedApart,
    },
    {
      name: `${name}.range_ms`,
      title: "1 KiB range at 1 MiB, warm, p50 / whole's",
      unit: "ms",
      ...range,
      isListedApart,
    },
    {
      name: `${name}.fill_peak_mib`,
      title: `${fills} cold fills at once, peak over idle`,
      unit: "MiB",
      ours: toMib(peak - idle),
      isListedApart,
      ...(judged ? { target: { most: MOST_PEAK_MIB } } : {}),
      details: { idle_mib: toMib(idle), peak_mib: toMib(peak), after_mib: toMib(after) },
    },
  ];
}

function isDefault(blockBytes: number): boolean {
  return blockBytes === LIMITS.BLOCK_BYTES.fallback;
}

function toMib(bytes: number): number {
  return Math.round((bytes / MIB) * 10) / 10;
}
