import { Counter, Rate, Trend } from "k6/metrics";
import { CACHES, cacheHits } from "../../../scripts/load/cache-status.ts";
import type { Finding } from "../../../scripts/load/verdict.ts";

// k6 has it, and its types leave it out
declare const console: { error(text: string): void };

/** Everything a run counts; thresholds go by the names. */
export const tally = {
  judged: new Counter("judged"),
  leaks: new Counter("leaks"),
  wrongBytes: new Counter("wrong_bytes"),
  errors: new Rate("errors"),
  took: new Trend("took", true),
  refused: new Counter("refused"),
  /** Clients that went away before they had their answer. */
  aborted: new Counter("aborted"),
  /** Questions of those whose right was withdrawn longer ago than the bound. */
  withdrawnAsked: new Counter("withdrawn_asked"),
  pushes: new Counter("pushes"),
  /** Answers that showed another revision than the first. */
  renewed: new Counter("renewed"),
  withdrawals: new Counter("withdrawals"),
};

const hits = {
  grant: new Rate("grant_hit"),
  revision: new Rate("revision_hit"),
  body: new Rate("body_hit"),
};

/** k6 leaves a threshold out whose metric has no sample: a counter that stayed at nothing has to say so. */
export function countFromNothing(): void {
  for (const metric of Object.values(tally)) if (metric instanceof Counter) metric.add(0);
}

export function countHits(cacheStatus: string | undefined): void {
  const found = cacheHits(cacheStatus);
  for (const cache of CACHES) {
    const hit = found[cache];
    if (hit !== undefined) hits[cache].add(hit);
  }
}

/** Counts what is wrong with an answer, if anything is, and says it. */
export function countFinding(finding: Finding | undefined, url: string): void {
  tally.judged.add(1);
  tally.errors.add(finding?.kind === "error");
  if (finding === undefined) return;
  if (finding.kind === "leak") tally.leaks.add(1);
  if (finding.kind === "wrong-bytes") tally.wrongBytes.add(1);
  console.error(`${finding.kind} ${url}: ${finding.text}`);
}
