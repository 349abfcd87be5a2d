import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { difference, type Counts } from "../../scripts/costs/counts.ts";
import { readFigures, type Figures } from "../../scripts/costs/figures.ts";
import { addThings, laneTraffic, type Lane } from "../../scripts/costs/lanes.ts";
import { usageOf, type Usage } from "../../scripts/costs/model.ts";
import { startCostsScene, type CostsScene } from "../../scripts/costs/scene.ts";

const ASKERS = 5;
const PROJECTS = 3;
const SECONDS = 400;
const RUN_MS = 120_000;
/** How far off the model may be. */
const FACTOR = 1.4;
/** What chance does to small counts. */
const CHANCE = 10;

/** A small generator, so that a run can be repeated (mulberry32). */
function randoms(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

type Run = {
  readonly lane: Lane;
  readonly isolates: number;
  /** Between two requests of one asker for one project at one isolate, on average. */
  readonly everyS: number;
};

describe("usageOf(), beside minutes of requests at random", () => {
  const scope = new AsyncDisposableStack();
  let scene: CostsScene;
  let figures: Figures;
  beforeAll(async () => {
    figures = await readFigures();
    scene = await startCostsScene(scope, { projects: PROJECTS, people: ASKERS, isWatched: true });
    await addThings(scene);
  });
  afterAll(() => scope.disposeAsync());

  /** Plays requests of all pairs, in all isolates, and gives what was counted and what was to be expected. */
  async function play({ lane, isolates, everyS }: Run): Promise<{ taken: Counts; expected: Usage }> {
    const traffic = laneTraffic(scene)[lane];
    const random = randoms(7);
    const any = (count: number) => Math.floor(random() * count);
    const triples = ASKERS * PROJECTS * isolates;
    const requests = Math.round((triples * SECONDS) / everyS);
    scene.advance(1_000_000);
    await scene.newIsolates();
    for (let number = 0; number < triples; number++) {
      const [asker, rest] = [number % ASKERS, Math.floor(number / ASKERS)];
      const isolate = String(Math.floor(rest / PROJECTS));
      await scene.play({ ...traffic.read(asker, rest % PROJECTS), isolate });
    }
    const before = await scene.settled();
    for (let number = 0; number < requests; number++) {
      scene.advance((-Math.log(1 - random()) * SECONDS * 1000) / requests);
      await scene.play({ ...traffic.read(any(ASKERS), any(PROJECTS)), isolate: String(any(isolates)) });
    }
    const taken = difference(await scene.settled(), before);
    const expected = usageOf(
      {
        lane,
        requests,
        hours: SECONDS / 3600,
        hit: 1,
        denied: 0,
        passed: 0,
        askers: lane === "object" ? 1 : ASKERS,
        projects: PROJECTS,
        colos: 1,
        isolates,
        isWatched: true,
        deliveries: 0,
      },
      figures,
    );
    return { taken, expected };
  }

  test.each<Run>([
    { lane: "raw", isolates: 1, everyS: 10 },
    { lane: "raw", isolates: 3, everyS: 15 },
    { lane: "object", isolates: 1, everyS: 10 },
    { lane: "artifact", isolates: 1, everyS: 10 },
    { lane: "pipelines", isolates: 1, everyS: 6 },
  ])(
    "$lane: reads and writes of KV by isolates of one colo ($isolates), each $everyS s apart",
    async (run) => {
      const { taken, expected } = await play(run);
      for (const name of ["kvReads", "kvWrites"] as const) {
        expect(nearness(taken[name], expected[name]), `${name}: ${taken[name]}, not ${expected[name]}`).toBe(
          "near",
        );
      }
    },
    RUN_MS,
  );
});

/** The figures are those of a day: where it is not near, `npm run costs -- --measure` may be due. */
function nearness(taken: number, expected: number): "near" | "few" | "many" {
  if (taken < expected / FACTOR - CHANCE) return "few";
  return taken > expected * FACTOR + CHANCE ? "many" : "near";
}
