import { setTimeout as sleep } from "node:timers/promises";
import { gitLabPush } from "../demo/pipelines/gitlab-webhooks.ts";
import type { Figures } from "./figures.ts";
import type { LaneTraffic } from "./lanes.ts";
import { figureOf, meter, rounded } from "./meter.ts";
import { afresh, playAll } from "./playing.ts";
import { WEBHOOK_SECRET, type CostsScene, type Played } from "./scene.ts";

const PROJECTS = 20;
/** Other colos are looked for again after so long. */
const LOOK_AGAIN_MS = 31_000;
/** When a grant is renewed behind the answer, so that it does not run out meanwhile. */
const AGEING_MS = 25_500;
/** Until what was told has been written, and read back for the last time. */
const TOLD_MS = 2500;

/** What it takes to be told of changes, and to look whether others were. */
export async function measureTold(
  scene: CostsScene,
  lane: LaneTraffic,
): Promise<Pick<Figures, "delivery" | "look">> {
  await afresh(scene);
  const pushes = await Promise.all(Array.from({ length: PROJECTS }, (_, number) => push(scene, number + 1)));
  const delivery = await meter(scene, PROJECTS, async () => {
    await playAll(scene, pushes);
    await sleep(TOLD_MS);
  });
  const one = await looks(scene, lane, 1);
  const many = await looks(scene, lane, PROJECTS);
  const perProject = (many - one) / (PROJECTS - 1);
  return {
    delivery: figureOf([delivery]),
    look: { perProject: rounded(perProject), perSite: rounded(one - perProject) },
  };
}

async function push({ gitlab, forge: { forge } }: CostsScene, id: number): Promise<Played> {
  const path = `bench/project-${id}`;
  const sender = { externalUrl: forge.url, secret: WEBHOOK_SECRET };
  const project = { id, path, isPublic: false, defaultBranch: "main" };
  const [before = "", after = ""] = await Promise.all(
    ["main^", "main"].map((name) => forge.objectId(path, name)),
  );
  const delivery = gitLabPush(sender, project, { ref: "refs/heads/main", before, after });
  return { url: `${gitlab}/-/forgefront/hooks`, method: "POST", ...delivery };
}

/** Reads of KV by which files of so many projects, each of which is still known, are looked at again. */
async function looks(scene: CostsScene, lane: LaneTraffic, projects: number): Promise<number> {
  await afresh(scene);
  const reads = Array.from({ length: projects }, (_, scope) => lane.read(0, scope));
  await playAll(scene, reads);
  await scene.settled();
  scene.advance(AGEING_MS);
  await playAll(scene, reads);
  await scene.settled();
  scene.advance(LOOK_AGAIN_MS - AGEING_MS);
  const { counts } = await meter(scene, projects, () => playAll(scene, reads));
  return counts.kvReads;
}
