import { formatColumns, formatNumber } from "../measuring/table.ts";
import type { Tally } from "./tally.ts";

/** What a scenario came to. */
export type Outcome = {
  readonly name: string;
  readonly tally: Tally;
  readonly notes: readonly string[];
  readonly seconds: number;
  /** Only of one that went on to its end. */
  readonly measured?: Measured;
  readonly isOk: boolean;
};

export type Measured = {
  /** From the end of the fault to the last read that failed. */
  readonly recoverySeconds: number;
  /** Requests that reached the origins while everybody read. */
  readonly questions: number;
  readonly memory: { readonly before: number; readonly peak: number; readonly after: number };
};

const HEADING = [
  "fault",
  "requests",
  "right",
  "refused",
  "failed",
  "wrong",
  "leaks",
  "stuck",
  "odd",
  "slowest s",
  "recovery s",
  "questions",
  "MiB before/peak/after",
  "",
];

const MIB = 1024 * 1024;

/** A line for each scenario. */
export function formatReport(outcomes: readonly Outcome[]): string {
  return formatColumns([HEADING, ...outcomes.map(rowOf)]);
}

function rowOf({ name, tally, measured, isOk }: Outcome): string[] {
  const { requests, right, refused, wrong, leaks, stuck, unexpected, slowestMs } = tally;
  return [
    name,
    ...[requests, right, refused].map(formatNumber),
    formatFailures(tally),
    ...[wrong, leaks, stuck, unexpected, slowestMs / 1000].map(formatNumber),
    ...(measured === undefined ? ["", "", ""] : cellsOf(measured)),
    isOk ? "ok" : "FAILED",
  ];
}

function cellsOf({ recoverySeconds, questions, memory: { before, peak, after } }: Measured): string[] {
  const mebibytes = [before, peak, after].map((bytes) => Math.round(bytes / MIB));
  return [formatNumber(recoverySeconds), formatNumber(questions), mebibytes.join("/")];
}

/** How reads failed, and how often: `502 x 12, broken off x 3`. */
export function formatFailures({ failed, decoys }: Pick<Tally, "failed" | "decoys">): string {
  const all = Object.entries({ ...failed, ...(decoys > 0 && { page: decoys }) });
  return all.length === 0 ? "0" : all.map(([how, times]) => `${how} x ${times}`).join(", ");
}
