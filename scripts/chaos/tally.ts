import type { Verdict } from "./verdict.ts";

/** What came of many reads. */
export type Tally = {
  requests: number;
  right: number;
  refused: number;
  decoys: number;
  /** How many failed visibly, by how. */
  readonly failed: Record<string, number>;
  wrong: number;
  leaks: number;
  stuck: number;
  unexpected: number;
  /** How many were sent once more, as their connection had stood idle for too long. */
  anew: number;
  slowestMs: number;
  /** When the last read was begun that failed, in milliseconds. */
  lastFailureAt: number;
  /** What must not be, in words; of reads the first few. */
  readonly complaints: string[];
};

const MOST_READS_TOLD = 20;

export function newTally(): Tally {
  return {
    requests: 0,
    right: 0,
    refused: 0,
    decoys: 0,
    failed: {},
    wrong: 0,
    leaks: 0,
    stuck: 0,
    unexpected: 0,
    anew: 0,
    slowestMs: 0,
    lastFailureAt: -Infinity,
    complaints: [],
  };
}

export type Judged = {
  readonly name: string;
  readonly verdict: Verdict;
  readonly isAnew: boolean;
  readonly begunAt: number;
  readonly ms: number;
};

const KEPT = { right: "right", refused: "refused", decoy: "decoys" } as const;
const COUNTED = { wrong: "wrong", leak: "leaks", stuck: "stuck", unexpected: "unexpected" } as const;

/** Counts one read. */
export function count(tally: Tally, { name, verdict, isAnew, begunAt, ms }: Judged): void {
  tally.requests += 1;
  if (isAnew) tally.anew += 1;
  tally.slowestMs = Math.max(tally.slowestMs, ms);
  if ("why" in verdict) {
    tally[COUNTED[verdict.kind]] += 1;
    tell(tally, `${verdict.kind}: ${name}: ${verdict.why}`);
  } else if ("how" in verdict) tally.failed[verdict.how] = (tally.failed[verdict.how] ?? 0) + 1;
  else tally[KEPT[verdict.kind]] += 1;
  const isGood = verdict.kind === "right" || verdict.kind === "refused";
  if (!isGood) tally.lastFailureAt = Math.max(tally.lastFailureAt, begunAt);
}

/** Notes what must not be. */
export function complain(tally: Tally, text: string): void {
  tally.complaints.push(text);
}

/** Notes a read that must not be, as often as it is bearable to read. */
function tell(tally: Tally, text: string): void {
  if (tally.complaints.length < MOST_READS_TOLD) complain(tally, text);
}

/** Adds what others have counted. */
export function addTo(tally: Tally, other: Tally): void {
  for (const name of [
    "requests",
    "right",
    "refused",
    "decoys",
    "wrong",
    "leaks",
    "stuck",
    "unexpected",
    "anew",
  ] as const)
    tally[name] += other[name];
  for (const [how, times] of Object.entries(other.failed))
    tally.failed[how] = (tally.failed[how] ?? 0) + times;
  tally.slowestMs = Math.max(tally.slowestMs, other.slowestMs);
  tally.lastFailureAt = Math.max(tally.lastFailureAt, other.lastFailureAt);
  for (const text of other.complaints) tell(tally, text);
}
