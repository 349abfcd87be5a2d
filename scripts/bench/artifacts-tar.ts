import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Demo } from "../demo/demo.ts";
import { archivesOf, type Archives } from "./artifacts-archives.ts";
import { askWell } from "./artifacts-answer.ts";
import { downloadAndUnpack, unpackTar } from "./artifacts-download.ts";
import { addJob, startEdge, startOrigin, urlsOf } from "./artifacts-scene.ts";
import type { BenchEdge } from "./bench-edge.ts";
import { runTool } from "../measuring/command.ts";
import { processSeconds } from "../measuring/cores.ts";
import type { Conditions, Figure } from "./figure.ts";
import { peakDuring, residentBytes } from "../measuring/memory.ts";
import { median, takeTurns } from "../measuring/rounds.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

const MIB = 1024 * 1024;
const ROUNDS = 2;
const REST_MS = 2000;
const COMPARE_S = 120;
/** What an isolate may have in all, and less than what the process holds. */
const MOST_PEAK_MIB = 256;

type Round = { readonly ms: number; readonly peakMib: number; readonly cpuS: number };

type Way = {
  readonly name: string;
  readonly title: string;
  readonly state: "cold" | "warm";
  unpack(url: string, into: string): Promise<number>;
};

type Scene = {
  readonly conditions: Conditions;
  readonly origin: Demo;
  readonly edge: BenchEdge;
  readonly archives: Archives;
  /** What workerd held before, warmed up and at rest. */
  readonly idle: number;
  /** The job of the state "warm". */
  readonly warm: number;
};

type Measured = { readonly way: Way; readonly rounds: readonly Round[] };

/** How long it takes to unpack all of an archive with many entries: as a tar from the edge, and downloaded and unzipped. */
export async function measureTar(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const archives = await archivesOf(conditions);
  const origin = await startOrigin(scope);
  const edge = await startEdge(scope, origin);
  const idle = await restingBytes(conditions, origin, edge, archives);
  const scene = { conditions, origin, edge, archives, idle, warm: await addJob(origin, archives.many) };
  await compareTrees(scene);
  const ways = waysOf(scene);
  const rounds = await takeTurns(
    conditions.isQuick ? 1 : ROUNDS,
    ways.map((way) => () => run(scene, way)),
  );
  const measured = ways.map((way, index) => ({ way, rounds: rounds[index] ?? [] }));
  conditions.note(
    `All of an archive with ${formatNumber(archives.many.entries)} entries, unpacked into a directory beside it; both ways through the same edge, "cold" each time with a job it knows nothing of. Peak memory of workerd over the ${formatNumber(idle / MIB)} MiB it had before\n${formatWays(measured)}`,
  );
  return figuresOf(measured);
}

/** What workerd holds after it has answered something, and has rested. */
async function restingBytes(
  { signal }: Conditions,
  origin: Demo,
  edge: BenchEdge,
  { small }: Archives,
): Promise<number> {
  await askWell(urlsOf(edge.url, await addJob(origin, small)).entry(small.known.middle.name), { signal });
  await sleep(REST_MS, undefined, { signal });
  return await residentBytes(edge.pid);
}

function waysOf({ conditions: { signal }, archives: { directory } }: Scene): Way[] {
  const tar = (url: string, into: string) => unpackTar({ url: `${url}?format=tar`, signal }, into);
  const zip = (url: string, into: string) => downloadAndUnpack({ url, directory, signal }, into);
  return [
    { name: "tar_cold", title: "?format=tar | tar -x, cold", state: "cold", unpack: tar },
    { name: "zip_cold", title: "download, unzip -q, cold", state: "cold", unpack: zip },
    { name: "tar_warm", title: "?format=tar | tar -x, warm", state: "warm", unpack: tar },
    { name: "zip_warm", title: "download, unzip -q, warm", state: "warm", unpack: zip },
  ];
}

/** Unpacks the archive of the state "warm" in both ways, which is to give the same files, and stores it. */
async function compareTrees(scene: Scene): Promise<void> {
  const { conditions, archives, edge, warm } = scene;
  const { signal } = conditions;
  const [tar, zip] = ["tar", "zip"].map((name) => join(archives.directory, name)) as [string, string];
  const { archive } = urlsOf(edge.url, warm);
  try {
    await Promise.all([mkdir(tar), mkdir(zip)]);
    await downloadAndUnpack({ url: archive, directory: archives.directory, signal }, zip);
    await unpackTar({ url: `${archive}?format=tar`, signal }, tar);
    await runTool("diff", ["-rq", tar, zip], { signal, seconds: COMPARE_S });
  } finally {
    await Promise.all([remove(tar), remove(zip)]);
  }
}

async function run({ conditions, origin, edge, archives, idle, warm }: Scene, way: Way): Promise<Round> {
  const job = way.state === "warm" ? warm : await addJob(origin, archives.many);
  const into = join(archives.directory, "unpacked");
  await mkdir(into);
  try {
    const before = await processSeconds(edge.pid);
    let ms = Number.NaN;
    const peak = await peakDuring(edge.pid, async () => {
      ms = await way.unpack(urlsOf(edge.url, job).archive, into);
    });
    const cpuS = (await processSeconds(edge.pid)) - before;
    const round = { ms, cpuS, peakMib: (peak - idle) / MIB };
    conditions.say(
      `${way.title}: ${formatNumber(ms / 1000)} s, ${formatNumber(cpuS)} s of workerd's processors, ${formatNumber(round.peakMib)} MiB`,
    );
    return round;
  } finally {
    await remove(into);
  }
}

async function remove(directory: string): Promise<void> {
  await rm(directory, { recursive: true, force: true, maxRetries: 3 });
}

function figuresOf(measured: readonly Measured[]): Figure[] {
  const roundsOf = (name: string) => measured.find(({ way }) => way.name === name)?.rounds ?? [];
  const seconds = (name: string) => roundsOf(name).map(({ ms }) => ms / 1000);
  const times = (["cold", "warm"] as const).map((state): Figure => {
    const [ours, theirs] = [seconds(`tar_${state}`), seconds(`zip_${state}`)];
    return {
      name: `artifacts.tar.${state}_s`,
      title: `All entries, ?format=tar and download + unzip -q, ${state}`,
      unit: "s",
      ours: median(ours),
      theirs: median(theirs),
      rounds: { ours, theirs },
      details: { cpu_s: median(roundsOf(`tar_${state}`).map(({ cpuS }) => cpuS)) },
    };
  });
  const peaks = [...roundsOf("tar_cold"), ...roundsOf("tar_warm")].map(({ peakMib }) => peakMib);
  return [
    ...times,
    {
      name: "artifacts.tar.peak_mib",
      title: "?format=tar: peak memory over idle",
      unit: "MiB",
      ours: Math.max(...peaks),
      target: { most: MOST_PEAK_MIB },
      rounds: { ours: peaks, theirs: [] },
    },
  ];
}

function formatWays(measured: readonly Measured[]): string {
  const heading = ["way", "s", "workerd's CPU, s", "peak, MiB"];
  const rows = measured.map(({ way: { title }, rounds }) => [
    title,
    formatNumber(median(rounds.map(({ ms }) => ms)) / 1000),
    formatNumber(median(rounds.map(({ cpuS }) => cpuS))),
    formatNumber(Math.max(...rounds.map(({ peakMib }) => peakMib))),
  ]);
  return formatColumns([heading, ...rows]);
}
