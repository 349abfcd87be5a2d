import { cpus } from "node:os";
import { versionOf } from "../measuring/command.ts";
import { readVersions } from "../measuring/versions.ts";
import { SITUATIONS, type Figure, type Figures, type Situation } from "./figures.ts";
import { addThings, ASKERS, LANES, laneTraffic, SCOPES, type Lane } from "./lanes.ts";
import { measureLane } from "./measure-lane.ts";
import { measureOthers } from "./measure-others.ts";
import { measureTold } from "./measure-told.ts";
import { startCostsScene } from "./scene.ts";

export type Measuring = {
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
};

const NAMED = new Set(["wrangler", "miniflare", "workerd", "node", "cores"]);

/** Measures what each situation takes; a minute or two. */
export async function measureCosts({ signal, say }: Measuring): Promise<Figures> {
  await using scope = new AsyncDisposableStack();
  say("Starting the forge, the store and the Worker");
  const scene = await startCostsScene(scope, { projects: SCOPES, people: ASKERS });
  await addThings(scene);
  const traffic = laneTraffic(scene);
  const lanes: Partial<Record<Lane, Record<Situation, Figure>>> = {};
  for (const lane of LANES) {
    signal.throwIfAborted();
    const figures = await measureLane(scene, traffic[lane], lane);
    lanes[lane] = figures;
    say(`${lane}, CPU: ${SITUATIONS.map((name) => `${name} ${figures[name].cpuMs} ms`).join(", ")}`);
  }
  signal.throwIfAborted();
  const others = await measureOthers(scene, traffic, signal);
  say(`What passes through: a page ${others.passed.cpuMs} ms, a clone ${others.clone.cpuMs} ms`);
  const watched = await startCostsScene(scope, { projects: SCOPES, people: ASKERS, isWatched: true });
  await addThings(watched);
  const told = await measureTold(watched, laneTraffic(watched).raw);
  return {
    measured: new Date().toISOString().slice(0, 10),
    on: await machine(signal),
    lanes: lanes as Figures["lanes"],
    ...others,
    ...told,
  };
}

async function machine(signal: AbortSignal): Promise<Record<string, string>> {
  const versions = await readVersions(signal);
  return {
    processor: cpus()[0]?.model ?? "",
    ...Object.fromEntries(versions.filter(([name]) => NAMED.has(name))),
    git: (await versionOf("git", "--version", signal)) ?? "",
  };
}
