import type { Cache } from "./cache-status.ts";
import type { Scenario, Thresholds } from "./plan.ts";

/** What must hold of every run, whatever is asked for. */
const ALWAYS: Thresholds = {
  leaks: ["count==0"],
  wrong_bytes: ["count==0"],
  errors: ["rate<0.001"],
  judged: ["count>0"],
};

type Judging = {
  /** The largest p95 of an answer, in milliseconds. */
  readonly p95Ms: number;
  /** Whether rights, refs and lists are believed for seconds only. */
  readonly isShort: boolean;
};

type HitRatios = Readonly<Partial<Record<Cache, number>>>;

/** The least share of questions that each cache answers itself; a lane without one of them has none there. */
const LEAST_HITS: Readonly<Record<Scenario, HitRatios>> = {
  raw: { grant: 0.9, revision: 0.9, body: 0.9 },
  objects: { grant: 0.8, body: 0.9 },
  artifacts: { grant: 0.8, body: 0.8 },
  pipelines: { grant: 0.9, revision: 0.9 },
  mixed: { grant: 0.5, revision: 0.5, body: 0.3 },
};
/** Where things live for seconds, they are asked for again as often. */
const LEAST_HITS_SHORT: Readonly<Record<Scenario, HitRatios>> = {
  ...LEAST_HITS,
  raw: { grant: 0.8, revision: 0.8, body: 0.7 },
  mixed: { grant: 0.15, revision: 0.15, body: 0.15 },
};

/** What a scenario on a machine of one's own has to keep. */
export function localThresholds(scenario: Scenario, { p95Ms, isShort }: Judging): Thresholds {
  const always = { ...ALWAYS, took: [`p(95)<${p95Ms}`] };
  const hits = hitThresholds((isShort ? LEAST_HITS_SHORT : LEAST_HITS)[scenario]);
  if (scenario !== "mixed") return { ...always, ...hits };
  return {
    ...always,
    ...hits,
    // A run in which nothing was withdrawn, pushed or broken off shows nothing of them
    withdrawn_asked: ["count>10"],
    pushes: ["count>0"],
    withdrawals: ["count>0"],
    renewed: ["count>0"],
    aborted: ["count>0"],
  };
}

const PREVIEW_HITS: HitRatios = { grant: 0.5 };
const PREVIEW_BODY_HITS = 0.5;

/** What can hold on an edge of which little is known; hits of bodies only where they are kept. */
export function previewThresholds({
  p95Ms,
  hasBodies,
}: Pick<Judging, "p95Ms"> & { readonly hasBodies: boolean }): Thresholds {
  const hits = hitThresholds({ ...PREVIEW_HITS, ...(hasBodies && { body: PREVIEW_BODY_HITS }) });
  return { ...ALWAYS, took: [`p(95)<${p95Ms}`], ...hits };
}

function hitThresholds(least: HitRatios): Thresholds {
  return Object.fromEntries(
    Object.entries(least).map(([cache, ratio]) => [`${cache}_hit`, [`rate>${ratio}`]]),
  );
}
