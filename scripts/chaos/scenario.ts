import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { residentBytes } from "../measuring/memory.ts";
import { everyRead } from "./crew.ts";
import { startChaosEdge } from "./edge.ts";
import { settledMemory, watchMemory } from "./memory-watch.ts";
import type { Origins } from "./origins.ts";
import { partSeed, seededRandom } from "./random.ts";
import type { Target } from "./reads.ts";
import type { Measured, Outcome } from "./report.ts";
import { newScene, restoreAtOrigins, type Scene } from "./scene.ts";
import { complain, newTally } from "./tally.ts";

/** A fault, and how to make it. */
export type Scenario = {
  readonly name: string;
  readonly title: string;
  /** Begins the fault and ends it, with whatever is peculiar to it; all others read meanwhile. */
  readonly act: (scene: Scene) => Promise<void>;
  /** No read may fail in it. */
  readonly isInvisible?: true;
  /** Statuses that are failures too while the fault lasts. */
  readonly statuses?: readonly number[];
  /** Whether the origin sends pages in the place of content. */
  readonly hasDecoys?: true;
  /** How much more the process may hold at the end than before, where it is not as much as an isolate may. */
  readonly mostGrowthBytes?: number;
  /** Limits of the Worker's that are not to be the usual ones. */
  readonly limits?: Readonly<Record<string, number>>;
};

export type Run = {
  readonly origins: Origins;
  /** What is read in every scenario. */
  readonly targets: readonly Target[];
  readonly script: string;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly isShort: boolean;
};

/** No scenario takes longer. */
const MOST_MS = 240_000;
const WORKERS = 6;
const WARM_MS = 2000;
const REST_MS = 1000;
/** After the fault, failures end within this time: what is remembered of an origin's failure does not live longer. */
const RECOVERY_MS = 5000;
const AFTER_RECOVERY_MS = 1500;
const DRAIN_MS = 10_000;
const RENEWED_MS = 5000;
const POLL_MS = 50;
/** What an isolate may hold by the platform's rule, and half of it again: several of them, and the local stores, live in one process here. */
const MOST_GROWTH_BYTES = 192 * 1024 * 1024;
const SETTLE_MS = 10_000;

/**
 * Runs one scenario on an edge of its own, judges every answer, and leaves the origins as they were. What is thrown in it,
 * also where nobody awaits it, makes it a failed one; only the end of the whole run is passed on.
 */
export async function runScenario(scenario: Scenario, run: Run): Promise<Outcome> {
  const began = performance.now();
  const record: SceneRecord = { tally: newTally(), notes: [] };
  const broken = new AbortController();
  const breakOff = (reason: unknown) => broken.abort(reason);
  const overdue = setTimeout(breakOff, MOST_MS, new Error(`It did not end within ${MOST_MS / 1000} s`));
  process.on("uncaughtException", breakOff);
  let measured: Measured | undefined;
  try {
    const signal = AbortSignal.any([run.signal, broken.signal]);
    measured = await play(scenario, { ...run, signal }, record);
  } catch (error) {
    run.signal.throwIfAborted();
    complain(record.tally, `broken off: ${inspect(broken.signal.reason ?? error)}`);
  } finally {
    clearTimeout(overdue);
    process.off("uncaughtException", breakOff);
    breakOff(new Error("It is over")); // for whatever of it goes on
  }
  const seconds = (performance.now() - began) / 1000;
  const isOk = record.tally.complaints.length === 0;
  return { name: scenario.name, ...record, seconds, ...(measured && { measured }), isOk };
}

type SceneRecord = Pick<Scene, "tally" | "notes">;

async function play(scenario: Scenario, run: Run, record: SceneRecord): Promise<Measured> {
  const { origins, script, seed } = run;
  const { name, limits, statuses = [], hasDecoys = false } = scenario;
  await using scope = new AsyncDisposableStack();
  const edge = scope.adopt(await startChaosEdge({ script, origins, limits }), (started) => started.close());
  const random = seededRandom(partSeed(seed, name));
  await edge.world({ seed: random.below(2 ** 31) });
  scope.defer(async () => {
    restoreAtOrigins(origins);
    origins.setFault(undefined);
    origins.skew(0);
    await origins.revive();
  });
  const scene = newScene({ ...run, ...record, edge, random, excused: { statuses, decoys: hasDecoys } });
  const measured = await measure(scenario, scene);
  run.signal.throwIfAborted();
  return measured;
}

async function measure(scenario: Scenario, scene: Scene): Promise<Measured> {
  const { origins, edge, tally } = scene;
  await warmUp(scene);
  const before = await residentBytes(edge.pid());
  using watch = watchMemory(() => edge.pid());
  const questions = origins.requests();
  const endedAt = await withReaders(scenario, scene);
  const asked = origins.requests() - questions;
  const { lastFailureAt } = tally;
  const isDrained = await drained(scene, DRAIN_MS);
  if (!isDrained) complain(tally, `not drained: ${origins.active()} requests are still open at the origin`);
  await readWithoutOrigin(scene);
  const bound = before + (scenario.mostGrowthBytes ?? MOST_GROWTH_BYTES);
  const after = await settledMemory(edge.pid(), bound, SETTLE_MS);
  if (after > bound) complain(tally, `memory: ${after} bytes are still held, ${before} were before`);
  const recoverySeconds = Math.max(0, lastFailureAt - endedAt) / 1000;
  return { recoverySeconds, questions: asked, memory: { before, peak: watch.peak(), after } };
}

/** All is read once more, and again with the origin switched off: a few at a time, and not before what is renewed is, as no grant may end between the two. */
async function readWithoutOrigin(scene: Scene): Promise<void> {
  const { origins, crew, targets, random, allow } = scene;
  for (const target of targets) {
    const reads = everyRead([target], random);
    await crew.readEach(reads);
    await drained(scene, RENEWED_MS);
    allow("of the refused");
    await origins.kill();
    await crew.readEach(reads);
    await origins.revive();
    allow("none");
  }
}

/** Reads everything cold, and goes on for a while: nothing may fail yet. */
async function warmUp({ crew, targets, random, signal }: Scene): Promise<void> {
  await crew.readEach(everyRead(targets, random));
  await crew.readOn(WORKERS, AbortSignal.any([signal, AbortSignal.timeout(WARM_MS)]));
  await sleep(REST_MS, undefined, { signal });
}

/** Lets everybody read before, in and after the fault; returns when it ended, in milliseconds. */
async function withReaders({ act, isInvisible }: Scenario, scene: Scene): Promise<number> {
  const { crew, signal, allow } = scene;
  const over = new AbortController();
  const reading = crew.readOn(WORKERS, AbortSignal.any([signal, over.signal]));
  try {
    if (isInvisible !== true) allow("all");
    await act(scene);
    const endedAt = Date.now();
    if (isInvisible !== true) allow({ until: endedAt + RECOVERY_MS });
    await sleep(RECOVERY_MS + AFTER_RECOVERY_MS, undefined, { signal });
    return endedAt;
  } finally {
    over.abort();
    await reading;
    allow("none");
  }
}

/** Whether, within such a time, the edge waits for nothing of the origins any more. */
async function drained({ origins, signal }: Scene, mostMs: number): Promise<boolean> {
  for (const deadline = Date.now() + mostMs; Date.now() < deadline;) {
    if (origins.active() === 0) return true;
    await sleep(POLL_MS, undefined, { signal });
  }
  return false;
}
