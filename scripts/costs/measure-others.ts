import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "../measuring/command.ts";
import type { Figures } from "./figures.ts";
import { ASKERS, LANES, SCOPES, type Lane, type LaneTraffic } from "./lanes.ts";
import { figureOf, meter, rounded, type Taken } from "./meter.ts";
import { afresh, playAll } from "./playing.ts";
import { BUCKET, type CostsScene, type Played } from "./scene.ts";

type Traffic = Readonly<Record<Lane, LaneTraffic>>;

const ROUNDS = 3;
const PAGES = 200;
const CLONES = 4;
const CLONE_S = 60;
const LARGE_BYTES = 50 * 1024 * 1024;
/** When a list is asked for again, and a grant is not. */
const RELISTED_MS = 6000;
/** Some of what is renewed is written once in 10 s: five rounds, each 6 s later in them, see every part of those. */
const RELISTED_ROUNDS = 5;
const MIXED_S = 60;
const MIXED_PER_S = 20;

/** What is no situation of a lane. */
export async function measureOthers(
  scene: CostsScene,
  traffic: Traffic,
  signal: AbortSignal,
): Promise<Pick<Figures, "relisted" | "passed" | "clone" | "dataPointsPerS" | "large">> {
  return {
    relisted: figureOf(await rounds(RELISTED_ROUNDS, () => relisted(scene, traffic.pipelines))),
    passed: figureOf(await rounds(ROUNDS, () => passed(scene))),
    clone: figureOf(await rounds(ROUNDS, () => clones(scene, signal))),
    dataPointsPerS: await dataPoints(scene, traffic),
    large: await large(scene),
  };
}

async function rounds(count: number, measure: () => Promise<Taken>): Promise<Taken[]> {
  const taken: Taken[] = [];
  while (taken.length < count) taken.push(await measure());
  return taken;
}

/** Lists that everybody has seen, and are asked for again by one. */
async function relisted(scene: CostsScene, lane: LaneTraffic): Promise<Taken> {
  await afresh(scene);
  const lists = Array.from({ length: SCOPES }, (_, scope) => lane.read(0, scope));
  await playAll(scene, lists);
  await scene.settled();
  scene.advance(RELISTED_MS);
  return await meter(scene, SCOPES, () => playAll(scene, lists));
}

async function passed(scene: CostsScene): Promise<Taken> {
  const page: Played = { url: `${scene.gitlab}/` };
  return await meter(scene, PAGES, () =>
    playAll(
      scene,
      Array.from({ length: PAGES }, () => page),
    ),
  );
}

async function clones(scene: CostsScene, signal: AbortSignal): Promise<Taken> {
  const directory = await mkdtemp(join(tmpdir(), "forgefront-costs-"));
  const [token = ""] = scene.forge.tokens;
  const address = scene.gitlab.replace("//", `//oauth2:${token}@`);
  const clone = async (name: string) => {
    const args = ["clone", "--quiet", `${address}/bench/project-1.git`, join(directory, name)];
    await runTool("git", args, { signal, seconds: CLONE_S });
  };
  try {
    return await meter(scene, CLONES, async () => {
      for (let number = 0; number < CLONES; number++) await clone(String(number));
    });
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** How many data points an isolate writes in a second in which all lanes are asked, hot and not. */
async function dataPoints(scene: CostsScene, traffic: Traffic): Promise<number> {
  await afresh(scene);
  const { counts } = await meter(scene, MIXED_S * MIXED_PER_S, async () => {
    for (let number = 0; number < MIXED_S * MIXED_PER_S; number++) {
      const lane = traffic[LANES[number % LANES.length] ?? "raw"];
      await scene.play(lane.read(number % ASKERS, number % 7));
      scene.advance(1000 / MIXED_PER_S);
    }
  });
  return rounded(counts.dataPoints / MIXED_S);
}

async function large(scene: CostsScene): Promise<Figures["large"]> {
  await afresh(scene);
  const path = `/${BUCKET}/large`;
  scene.store.putGenerated(BUCKET, "large", LARGE_BYTES, "large object");
  const read = async () => {
    const headers = scene.sign()({ method: "GET", host: new URL(scene.s3).host, path });
    await scene.play({ url: scene.s3 + path, headers });
  };
  const first = figureOf([await meter(scene, 1, read)]);
  const again = figureOf([await meter(scene, 1, read)]);
  return { bytes: LARGE_BYTES, first, again };
}
