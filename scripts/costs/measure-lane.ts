import { SITUATIONS, type Figure, type Situation } from "./figures.ts";
import { ASKERS, type Lane, type LaneTraffic } from "./lanes.ts";
import { figureOf, meter, type Taken } from "./meter.ts";
import { afresh, playAll } from "./playing.ts";
import type { CostsScene, Played } from "./scene.ts";

const ROUNDS = 3;
const HOT_REQUESTS = 4000;
const EVENTS = 100;
/** When a grant is renewed behind the answer, whatever the jitter; and when it is dead, with its revision. */
const AGEING_MS = 26_000;
const GONE_MS = 120_000;

/** Every situation of a lane, one after the other, in each of some rounds. */
export async function measureLane(
  scene: CostsScene,
  lane: LaneTraffic,
  name: Lane,
): Promise<Record<Situation, Figure>> {
  const taken: Record<Situation, Taken[]> = { hot: [], renewed: [], returned: [], first: [], denied: [] };
  await hotRequests(scene, lane); // so that workerd has compiled what it will run
  for (let round = 0; round < ROUNDS; round++) {
    await afresh(scene);
    taken.hot.push(await hotRequests(scene, lane));
    const firsts = Array.from({ length: EVENTS }, (_, event) => lane.first(round * EVENTS + event));
    taken.first.push(await meter(scene, EVENTS, () => playAll(scene, firsts)));
    await playAll(scene, pairs(lane, name));
    await scene.settled();
    scene.advance(AGEING_MS);
    taken.renewed.push(await meter(scene, EVENTS, () => playAll(scene, pairs(lane, name))));
    scene.advance(GONE_MS);
    taken.returned.push(await meter(scene, EVENTS, () => playAll(scene, pairs(lane, name))));
    const strangers = Array.from({ length: EVENTS }, (_, event) => lane.denied(event));
    taken.denied.push(await meter(scene, EVENTS, () => playAll(scene, strangers)));
  }
  const figures = SITUATIONS.map((situation) => [situation, figureOf(taken[situation])] as const);
  return Object.fromEntries(figures) as Record<Situation, Figure>;
}

async function hotRequests(scene: CostsScene, lane: LaneTraffic): Promise<Taken> {
  const one = lane.read(0, 0);
  await scene.play(one);
  await scene.settled();
  return await meter(scene, HOT_REQUESTS, () =>
    playAll(
      scene,
      Array.from({ length: HOT_REQUESTS }, () => one),
    ),
  );
}

/** A request by each of so many pairs of an asker and a scope; signatures of one key are one asker. */
function pairs(lane: LaneTraffic, name: Lane): Played[] {
  const askers = name === "object" ? 1 : ASKERS;
  return Array.from({ length: EVENTS }, (_, event) => lane.read(event % askers, Math.floor(event / askers)));
}
