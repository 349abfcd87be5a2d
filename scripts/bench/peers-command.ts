import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { programsLack } from "../servers/programs.ts";
import type { Lane, PeerConditions, Point } from "./figure.ts";
import { readMachine } from "./machine.ts";
import { plotPeers } from "./peer-plot.ts";
import { formatPeerTable, formatReport, type PeerReport } from "./peer-report.ts";
import { CACHES, PEERS, type Cache, type PeerRow } from "./peers.ts";
import { readVersions } from "../measuring/versions.ts";

export type PeersRequest = {
  /** By name, in the order of the table. */
  readonly lanes: Readonly<Record<string, () => Promise<Lane>>>;
  readonly seconds: number | undefined;
  readonly isQuick: boolean;
  /** The directory in which the page and the plot are written; nothing is, where it is left out. */
  readonly out: string | undefined;
  /** A file for every round of every figure. */
  readonly json: string | undefined;
  /** How it was called. */
  readonly command: string;
  readonly signal: AbortSignal;
};

const PAGE = "bench.md";
const PLOT = "bench.svg";
/** What the figures depend on, of all that the bench may use. */
const VERSIONS = new Set([
  "workerd",
  "miniflare",
  "node",
  "nginx",
  "varnish",
  "radosgw",
  "wrk",
  "k6",
  "curl",
]);

/** Measures all that peers do as well, of all lanes, and writes it down; the exit code. */
export async function benchPeers(request: PeersRequest): Promise<number> {
  const { signal, out, json, command } = request;
  const began = performance.now();
  const date = new Date();
  const machine = await readMachine();
  const versions = (await readVersions(signal)).filter(([name]) => VERSIONS.has(name));
  const caches = await findCaches();
  const absent = new Set((Object.keys(CACHES) as Cache[]).filter((cache) => !caches.has(cache)));
  const measured = await measureAll(request, caches);
  const lacks = [
    ...[...absent].map((cache) => `${PEERS[cache]} is not here: \`${CACHES[cache]}\` is not installed`),
    ...measured.lacks,
  ];
  const tookS = (performance.now() - began) / 1000;
  const report = { ...measured, lacks, absent, versions, machine, command, date, tookS };
  console.log(`\n${formatPeerTable(report)}\n`);
  for (const line of [...lacks, ...measured.notes]) console.log(line);
  if (json !== undefined) await writeFile(json, jsonOf(report));
  if (out !== undefined) await writePages(report, out);
  return measured.rows.length === 0 ? 1 : 0;
}

async function findCaches(): Promise<ReadonlySet<Cache>> {
  const caches = Object.keys(CACHES) as Cache[];
  const lacks = await Promise.all(caches.map((cache) => programsLack([CACHES[cache]])));
  return new Set(caches.filter((_, index) => lacks[index] === undefined));
}

type Measured = Pick<PeerReport, "rows" | "lacks" | "notes">;

async function measureAll(
  { lanes, signal, seconds, isQuick }: PeersRequest,
  caches: ReadonlySet<Cache>,
): Promise<Measured> {
  await using run = new AsyncDisposableStack();
  const rows: PeerRow[] = [];
  const lacks: string[] = [];
  const notes: string[] = [];
  const say = (text: string) => console.log(`  ${text}`);
  const note = (text: string) => void notes.push(text);
  const conditions: PeerConditions = { signal, seconds, isQuick, caches, run, say, note };
  for (const [name, load] of Object.entries(lanes)) {
    for (const [number, point] of Object.entries((await load()).points)) {
      signal.throwIfAborted();
      const outcome = await measurePoint(point, `${name} ${number}`, conditions);
      if (typeof outcome === "string") lacks.push(`Not measured, ${name} ${number}: ${outcome}`);
      else rows.push(...outcome);
    }
  }
  return { rows, lacks, notes };
}

/** The rows of a point; a sentence where the machine lacks something for it. */
async function measurePoint(
  { title, besidePeers }: Point,
  name: string,
  conditions: PeerConditions,
): Promise<PeerRow[] | string> {
  if (besidePeers === undefined) return [];
  const lack = await besidePeers.lacks(conditions.signal);
  if (lack !== undefined) return lack;
  console.log(`${name}. ${title}`);
  return await besidePeers.compare(conditions);
}

async function writePages(report: PeerReport, out: string): Promise<void> {
  await mkdir(out, { recursive: true });
  await writeFile(join(out, PAGE), formatReport(report, PLOT));
  await writeFile(join(out, PLOT), plotPeers(report.rows));
  console.log(`Written: ${join(out, PAGE)}, ${join(out, PLOT)}`);
}

function jsonOf({ versions, absent, ...rest }: PeerReport): string {
  const report = { ...rest, versions: Object.fromEntries(versions), absent: [...absent] };
  return `${JSON.stringify(report, undefined, 2)}\n`;
}
