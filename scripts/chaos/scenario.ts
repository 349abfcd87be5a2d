import { setTimeout as sleep } from "node:timers/promises";
import { residentBytes } from "../measuring/memory.ts";
import { everyRead } from "./crew.ts";
import { startChaosEdge } from "./edge.ts";
import { settledMemory, watchMemory } from "./memory-watch.ts";
import type { Origins } from "./origins.ts";
import { partSeed, seededRandom } from "./random.ts";
import type { Outcome } from "./report.ts";
import { newScene, restoreAtOrigins, type Scene } from "./scene.ts";
import { complain } from "./tally.ts";
import { readTargets } from "./targets.ts";

/** A fault, and how to make it. */
export type Scenario = {
  readonly name: string;
  readonly title: string;
  /** Begins the fault and ends it, with whatever is peculiar to it; all others read meanwhile. */
  readonly act: (scene: Scene) => Promise<void>;
  /** Statuses that are failures too while the fault lasts. */
  readonly statuses?: readonly number[];
  /** Whether the origin sends pages in the place of content. */
  readonly hasDecoys?: true;
  /** How much more the process may hold at the end than before, where it is not as much as an isolate may. */
  readonly mostGrowthBytes?: number;
  /** Limits of the Worker's that are not to be as short as in all others. */
  readonly limits?: Readonly<Record<string, number>>;
  /** Whether reads may fail at all. */
  readonly isInvisible?: true;
};

export type Run = {
  readonly origins: Origins;
  readonly script: string;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly isShort: boolean;
};

/** No scenario takes longer. */
const MOST_MS = 120_000;
const WORKERS = 6;
const WARM_MS = 2000;
const REST_MS = 1000;
/** After the fault, failures end within this time: what is remembered of an origin's failure does not live longer. */
const RECOVERY_MS = 5000;
const AFTER_RECOVERY_MS = 1500;
const DRAIN_MS = 10_000;
const POLL_MS = 50;
/** What an isolate may hold by the platform's rule; more than that on top is held by nobody's leave. */
const MOST_GROWTH_BYTES = 128 * 1024 * 1024;
const SETTLE_MS = 10_000;

/** Runs one scenario on an edge of its own, judges every answer, and leaves the origins as they were. */
export async function runScenario(scenario: Scenario, run: Run): Promise<Outcome> {
  const { origins, script, isShort } = run;
  const limit = AbortSignal.timeout(MOST_MS);
  const signal = AbortSignal.any([run.signal, limit]);
  await using scope = new AsyncDisposableStack();
  const edge = scope.adopt(await startChaosEdge({ script, origins, limits: scenario.limits }), (started) =>
    started.close(),
  );
  const random = seededRandom(partSeed(run.seed, scenario.name));
  await edge.world({ seed: random.below(2 ** 31) });
  const targets = await readTargets(origins);
  const scene = newScene({ origins, edge, targets, random, signal, isShort });
  scope.defer(async () => {
    restoreAtOrigins(origins);
    origins.setFault(undefined);
    origins.skew(0);
    await origins.revive();
  });
  return await judged(scenario, scene);
}

async function judged(scenario: Scenario, scene: Scene): Promise<Outcome> {
  const { origins, edge, tally } = scene;
  const began = performance.now();
  await warmUp(scene);
  const before = await residentBytes(edge.pid());
  const watch = watchMemory(() => edge.pid());
  const questions = origins.requests();
  const endedAt = await withReaders(scenario, scene);
  const asked = origins.requests() - questions;
  const { lastFailureAt } = tally;
  const isDrained = await drained(scene);
  if (!isDrained) complain(tally, `not drained: ${origins.active()} requests are still open at the origin`);
  await readWithoutOrigin(scene);
  const bound = before + (scenario.mostGrowthBytes ?? MOST_GROWTH_BYTES);
  const after = await settledMemory(edge.pid(), bound, SETTLE_MS);
  if (after > bound) complain(tally, `memory: ${after} bytes are still held, ${before} were before`);
  await watch.stop();
  const { wrong, leaks, stuck, unexpected } = tally;
  return {
    name: scenario.name,
    tally,
    seconds: (performance.now() - began) / 1000,
    recoverySeconds: Math.max(0, lastFailureAt - endedAt) / 1000,
    questions: asked,
    memory: { before, peak: watch.peak(), after },
    notes: scene.notes,
    isOk: wrong + leaks + stuck + unexpected === 0 && tally.complaints.length === 0,
  };
}

/** All is read once more, and again with the origin switched off: a few at a time, as no grant may end between the two. */
async function readWithoutOrigin({ origins, crew, targets, random, signal }: Scene): Promise<void> {
  for (const target of targets) {
    signal.throwIfAborted();
    const reads = everyRead([target], random);
    await crew.readEach(reads);
    await origins.kill();
    await crew.readEach(reads);
    await origins.revive();
  }
}

/** Reads everything cold, and goes on for a while: nothing may fail yet. */
async function warmUp({ crew, targets, random, signal }: Scene): Promise<void> {
  await crew.readEach(everyRead(targets, random));
  await crew.readOn(WORKERS, AbortSignal.any([signal, AbortSignal.timeout(WARM_MS)]));
  await sleep(REST_MS, undefined, { signal });
}

/** Lets everybody read before, in and after the fault; returns when it ended, in milliseconds. */
async function withReaders(scenario: Scenario, scene: Scene): Promise<number> {
  const { crew, signal } = scene;
  const over = new AbortController();
  const reading = crew.readOn(WORKERS, AbortSignal.any([signal, over.signal]));
  const { statuses = [], hasDecoys = false, isInvisible = false } = scenario;
  try {
    if (!isInvisible) scene.allow({ failures: "all", decoys: hasDecoys, statuses });
    await scenario.act(scene);
    const endedAt = Date.now();
    if (!isInvisible) scene.allow({ failures: { until: endedAt + RECOVERY_MS }, statuses });
    await sleep(RECOVERY_MS + AFTER_RECOVERY_MS, undefined, { signal });
    return endedAt;
  } finally {
    over.abort();
    await reading;
    scene.allow({ failures: "of the refused" });
  }
}

async function drained({ origins, signal }: Scene): Promise<boolean> {
  for (const deadline = Date.now() + DRAIN_MS; Date.now() < deadline;) {
    if (origins.active() === 0) return true;
    await sleep(POLL_MS, undefined, { signal });
  }
  return false;
}
