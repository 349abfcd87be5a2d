import { readFile } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import type { Demo } from "../demo/demo.ts";
import { askWell } from "./artifacts-answer.ts";
import { archivesOf, type Archives } from "./artifacts-archives.ts";
import {
  figuresOf,
  formatWays,
  MB,
  roundOf,
  type Round,
  type Way,
  type WayName,
} from "./artifacts-throughput-figures.ts";
import { startFflateInflater, startNativeInflater, type Inflater } from "./artifacts-inflaters.ts";
import { addJob, startEdge, startOrigin, urlsOf } from "./artifacts-scene.ts";
import type { BenchEdge } from "./bench-edge.ts";
import { runTool } from "../measuring/command.ts";
import { childrenSeconds, processSeconds } from "../measuring/cores.ts";
import { readSpeed } from "./curl.ts";
import type { Conditions, Figure } from "./figure.ts";
import { peakDuring, residentBytes } from "../measuring/memory.ts";
import { takeTurns } from "../measuring/rounds.ts";
import { formatNumber } from "../measuring/table.ts";

const MIB = 1024 * 1024;
const ROUNDS = 3;
const MOST_S = 120;
/** For what is put behind an answer: blocks that are stored count as part of it. */
const SETTLE_MS = 1000;
const GZIP = { "Accept-Encoding": "gzip" };
const IDENTITY = { "Accept-Encoding": "identity" };
/** Header and trailer. */
const GZIP_BYTES = 18;
const SLOW = { rate: "5M", seconds: 6 };
const SLOW_READ = 'curl -w "%{size_download}" "$@" 2>/dev/null; true';

type Scene = {
  readonly conditions: Conditions;
  readonly origin: Demo;
  readonly edge: BenchEdge;
  readonly archive: Archives["large"];
  /** What each of the processes held at first, by pid. */
  readonly idle: ReadonlyMap<number, number>;
  /** The job whose blocks, and those of the entry unpacked, are stored. */
  readonly warm: number;
};

/** How fast a long deflated entry is sent: as it is packed, unpacked natively, by fflate and by unzip. */
export async function measureThroughput(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const { large: archive } = await archivesOf(conditions);
  const origin = await startOrigin(scope);
  const edge = await startEdge(scope, origin);
  const job = await addJob(origin, archive);
  const packed = { source: urlsOf(origin.gitlab.url, job).archive, entry: archive.known.log };
  const close = (started: Inflater) => started.close();
  const native = scope.adopt(await startNativeInflater(packed), close);
  const fflate = scope.adopt(await startFflateInflater(packed), close);
  const idle = await residents(conditions, [edge.pid, native.pid, fflate.pid]);
  const scene = { conditions, origin, edge, archive, idle, warm: job };
  const ways = [...edgeWays(scene), ...otherWays(scene, native, fflate)];
  await compareBytes(scene, [native, fflate]);
  await warmUp(ways);
  const rounds = await takeTurns(
    conditions.isQuick ? 1 : ROUNDS,
    ways.map((way) => () => sayRound(conditions, way)),
  );
  const measured = ways.map((way, index) => ({ way, rounds: rounds[index] ?? [] }));
  const slowMib = await readSlowly(scene);
  const { bytes, packedBytes } = archive.known.log;
  conditions.note(
    `A deflated log of ${formatNumber(bytes / MB)} MB that is packed in ${formatNumber(packedBytes / MB)} MB, and an entry stored in as many, read by one client; medians. "Cold" is a job that the edge knows nothing of: what is sent is stored too. The Workers that only unpack fetch the packed bytes from the origin and store nothing\n${formatWays(measured)}`,
  );
  return figuresOf(measured, slowMib);
}

/** What processes hold at rest. */
async function residents({ signal }: Conditions, pids: readonly number[]): Promise<Map<number, number>> {
  await sleep(SETTLE_MS, undefined, { signal });
  return new Map(await Promise.all(pids.map(async (pid) => [pid, await residentBytes(pid)] as const)));
}

/** Each once, unmeasured: so that what is to be warm is stored, and code has run. */
async function warmUp(ways: readonly Way[]): Promise<void> {
  for (const way of ways) if (!way.name.endsWith("_cold")) await way.run();
}

const COMPARE = 'cmp <(curl -sS --fail "${@:3}") <(unzip -p "$1" "$2")';

/** Makes sure that each way gives what unzip does, or its speed would say nothing. */
async function compareBytes(scene: Scene, inflaters: readonly Inflater[]): Promise<void> {
  const { conditions, edge, archive, warm } = scene;
  const { log, stored } = archive.known;
  const { entry } = urlsOf(edge.url, warm);
  const reads: (readonly [name: string, ...curl: string[]])[] = [
    [log.name, "--compressed", entry(log.name)],
    [log.name, entry(log.name)],
    [stored.name, entry(stored.name)],
    ...inflaters.map(({ url }) => [log.name, url] as const),
  ];
  for (const [name, ...curl] of reads) {
    const args = ["-c", COMPARE, "bash", archive.path, name, ...curl];
    await runTool("bash", args, { signal: conditions.signal, seconds: MOST_S });
  }
}

function edgeWays(scene: Scene): Way[] {
  const { log, stored } = scene.archive.known;
  const framed = { entry: log, headers: GZIP, bytes: log.packedBytes + GZIP_BYTES };
  const inflated = { entry: log, headers: IDENTITY, bytes: log.bytes };
  const plain = { entry: stored, headers: IDENTITY, bytes: stored.bytes };
  const way = (name: WayName, title: string, asked: Read, state: "cold" | "warm"): Way => ({
    name,
    title: `${title}, ${state}`,
    process: "workerd",
    isEdge: true,
    run: () => read(scene, asked, state),
  });
  return [
    way("framed_cold", "gzip-framed", framed, "cold"),
    way("framed_warm", "gzip-framed", framed, "warm"),
    way("stored_cold", "stored", plain, "cold"),
    way("stored_warm", "stored", plain, "warm"),
    way("inflated_cold", "inflated", inflated, "cold"),
    way("inflated_warm", "inflated", inflated, "warm"),
  ];
}

function otherWays(scene: Scene, native: Inflater, fflate: Inflater): Way[] {
  const process = "workerd";
  return [
    { name: "native", title: "bare Worker, natively", process, run: () => readInflater(scene, native) },
    { name: "fflate", title: "bare Worker, by fflate", process, run: () => readInflater(scene, fflate) },
    { name: "unzip", title: "unzip -p, local disk", process: "unzip", run: () => unzip(scene) },
  ];
}

async function sayRound({ say }: Conditions, way: Way): Promise<Round> {
  const round = await way.run();
  say(`${way.title}: ${formatNumber(round.contentMbPerS)} MB/s, ${formatNumber(round.cpuS)} s of processors`);
  return round;
}

type Read = {
  readonly entry: Archives["large"]["known"]["log"];
  readonly headers: Readonly<Record<string, string>>;
  /** As they are to come. */
  readonly bytes: number;
};

async function read(scene: Scene, { entry, headers, bytes }: Read, state: "cold" | "warm"): Promise<Round> {
  const { origin, edge, archive, warm } = scene;
  const job = state === "warm" ? warm : await addJob(origin, archive);
  const url = urlsOf(edge.url, job).entry(entry.name);
  return await readMeasured(scene, { pid: edge.pid, url, headers, bytes, entry });
}

async function readInflater(scene: Scene, { pid, url }: Inflater): Promise<Round> {
  const { log } = scene.archive.known;
  return await readMeasured(scene, { pid, url, headers: IDENTITY, bytes: log.bytes, entry: log });
}

async function readMeasured(
  { conditions: { signal }, idle }: Scene,
  { pid, url, headers, bytes, entry }: Read & { readonly pid: number; readonly url: string },
): Promise<Round> {
  const before = await processSeconds(pid);
  let seconds = Number.NaN;
  const peak = await peakDuring(pid, async () => {
    seconds = bytes / (await readSpeed({ url, bytes, times: 1, headers, signal }));
    await sleep(SETTLE_MS, undefined, { signal });
  });
  const cpuS = (await processSeconds(pid)) - before;
  return roundOf(entry, seconds, { cpuS, peakMib: (peak - (idle.get(pid) ?? Number.NaN)) / MIB });
}

/** How much more memory an edge holds than at first, while a client takes its time that asks for the log unpacked. */
async function readSlowly({ conditions, origin, archive }: Scene): Promise<number> {
  await using scope = new AsyncDisposableStack();
  const { signal, say } = conditions;
  const edge = await startEdge(scope, origin);
  const url = urlsOf(edge.url, await addJob(origin, archive)).entry(archive.known.log.name);
  await askWell(urlsOf(edge.url, await addJob(origin, archive)).entry(archive.known.middle.name), { signal });
  const idle = (await residents(conditions, [edge.pid])).get(edge.pid) ?? Number.NaN;
  const args = ["-sS", "-o", "/dev/null", "--limit-rate", SLOW.rate, "--max-time", String(SLOW.seconds), url];
  const peak = await peakDuring(edge.pid, async () => {
    // curl ends badly after its time, as it is to; that an answer came is seen by its bytes
    const { stdout } = await runTool("sh", ["-c", SLOW_READ, "sh", ...args], { signal, seconds: MOST_S });
    if (Number(stdout) < SLOW.seconds * MIB) throw new Error(`A slow client got ${stdout} bytes`);
  });
  const peakMib = (peak - idle) / MIB;
  say(`a client that reads ${SLOW.rate}B/s for ${SLOW.seconds} s: ${formatNumber(peakMib)} MiB`);
  return peakMib;
}

async function unzip({ conditions: { signal }, archive }: Scene): Promise<Round> {
  const { log } = archive.known;
  const children = async () => childrenSeconds(await readFile("/proc/self/stat", "utf8"));
  const before = await children();
  const began = performance.now();
  const args = ["-c", 'unzip -p "$0" "$1" >/dev/null', archive.path, log.name];
  await runTool("sh", args, { signal, seconds: MOST_S });
  const seconds = (performance.now() - began) / 1000;
  return roundOf(log, seconds, { cpuS: (await children()) - before, peakMib: undefined });
}
