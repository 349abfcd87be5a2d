import { LANE_ASKERS } from "./askers.ts";
import { awayMs, FULL, leastMixedS, SHORT, type Lengths } from "./lengths.ts";
import { runAndSay, type Outcome, type Run } from "./outcome.ts";
import { startPlace, startStage, type Place } from "./place.ts";
import type { LoadPlan, Scenario } from "./plan.ts";
import { localThresholds } from "./thresholds.ts";

const LANE_CLIENTS = 8;
const MIXED_CLIENTS = 12;
const MIXED_RATE = 40;
/** Between machines, and beside what else runs on one, times differ a lot: this is what no answer should take. */
const P95_MS = { lane: 1000, mixed: 3000 } as const;

/** Runs scenarios one after the other on a place of their own. */
export async function runOnPlace(run: Run): Promise<Outcome[]> {
  const { request, say } = run;
  await using scope = new AsyncDisposableStack();
  say("Building the repositories");
  const place = await startPlace(scope);
  const lanes = request.scenarios.filter((scenario) => scenario !== "mixed");
  const outcomes = lanes.length === 0 ? [] : await runLanes(run, place, lanes);
  if (request.scenarios.includes("mixed")) outcomes.push(await runMixed(run, place));
  return outcomes;
}

/** One edge as it is installed, which each lane finds empty of its own things. */
async function runLanes(run: Run, place: Place, lanes: readonly Scenario[]): Promise<Outcome[]> {
  const { request, signal } = run;
  await using scope = new AsyncDisposableStack();
  const stage = await startStage(scope, place, FULL);
  const outcomes: Outcome[] = [];
  for (const scenario of lanes) {
    signal.throwIfAborted();
    const plan: LoadPlan = {
      ...stage,
      askers: LANE_ASKERS,
      seconds: request.seconds ?? (request.isShort ? SHORT : FULL).laneS,
      clients: LANE_CLIENTS,
      rate: 0,
      thresholds: localThresholds(scenario, { p95Ms: P95_MS.lane, isShort: request.isShort }),
    };
    outcomes.push(await runAndSay(run, { scenario, file: scenario, plan, ...place }));
  }
  return outcomes;
}

async function runMixed(run: Run, place: Place): Promise<Outcome> {
  const { request, say, signal } = run;
  signal.throwIfAborted();
  const lengths = request.isShort ? SHORT : FULL;
  await using scope = new AsyncDisposableStack();
  const plan: LoadPlan = {
    ...(await startStage(scope, place, lengths)),
    seconds: mixedSeconds(request.seconds, lengths),
    clients: MIXED_CLIENTS,
    rate: MIXED_RATE,
    thresholds: localThresholds("mixed", { p95Ms: P95_MS.mixed, isShort: request.isShort }),
  };
  const lives = Object.entries(lengths.vars).map(([name, seconds]) => `${name}=${seconds}`);
  say(`Rights are withdrawn for ${awayMs(lengths) / 1000} s each; ${lives.join(" ")}`);
  return await runAndSay(run, { scenario: "mixed", file: "mixed", plan, ...place });
}

function mixedSeconds(asked: number | undefined, lengths: Lengths): number {
  return Math.max(asked ?? lengths.mixedS, leastMixedS(lengths));
}
