import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { coresDuring } from "../measuring/cores.ts";
import type { Conditions, Figure } from "./figure.ts";
import { startObjectEdge, type ObjectEdge } from "./objects-edge.ts";
import { startObjectNginx } from "./objects-nginx.ts";
import { putObjects, startRgw } from "./objects-origin.ts";
import { prepareServer, startBareWith, writeSigned } from "./objects-prepare.ts";
import {
  formatRows,
  formatSize,
  rowFigures,
  SYSTEMS,
  type Row,
  type Run,
  type System,
} from "./objects-row-figures.ts";
import { loadOnce, loadSigned, type SignedLoad } from "./objects-wrk.ts";
import { takeTurns } from "../measuring/rounds.ts";
import { load, type LoadResult } from "./wrk.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const CONNECTIONS = 32;
const LOAD_S = 2;
const WARM_UP_S = 1;
const ROUNDS = 5;
/** The longest that a cold round may take. */
const COLD_S = 20;
const STORE_BYTES = 4 * 1024 * MIB;

/** `least` is the share of RGW's rate to reach, `signatures` how many are made for each server, `cold` how many objects are read a first time in a round. */
export const SIZES = [
  { bytes: 16 * KIB, least: 1, signatures: 50_000, cold: 500 },
  { bytes: 512 * KIB, least: 2, signatures: 20_000, cold: 400 },
  { bytes: 2 * MIB, least: 2, signatures: 10_000, cold: 150 },
  { bytes: 10 * MIB, least: 2, signatures: 5000, cold: 50 },
] as const;

type Size = (typeof SIZES)[number];
/** Those that are loaded with one object over and over, each request signed. */
type CachedSystem = Exclude<System, "cold" | "bare">;

type Setting = {
  readonly conditions: Conditions;
  /** For files of requests. */
  readonly directory: string;
  readonly urls: Readonly<Record<CachedSystem, string>>;
  /** Under each of its names every object is read the first time. */
  readonly coldEdge: ObjectEdge;
};

/** Objects of four sizes from RGW itself, through nginx as Ceph publishes it, and through the edge. */
export async function measureRows(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const directory = scope.adopt(await mkdtemp(join(tmpdir(), "forgefront-bench-")), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const rgw = scope.adopt(await startRgw(STORE_BYTES, conditions.signal), (started) => started.close());
  const origin = rgw.url;
  const host = new URL(origin).host;
  const nginx = scope.adopt(await startObjectNginx(host, { slices: false }), (started) => started.close());
  const slices = scope.adopt(await startObjectNginx(host, { slices: true }), (started) => started.close());
  const edge = scope.adopt(await startObjectEdge({ origin }), (started) => started.close());
  const rows: Row[] = [];
  for (const size of SIZES) {
    await using turn = new AsyncDisposableStack();
    // A new one for each size: what it stored of another would have to be written to disk meanwhile.
    const coldEdge = turn.adopt(await startObjectEdge({ origin, hosts: ROUNDS }), (started) =>
      started.close(),
    );
    const urls = { direct: origin, nginx: nginx.url, slices: slices.url, cached: edge.urls[0] };
    rows.push(await measureSize({ conditions, directory, urls, coldEdge }, size));
  }
  conditions.note(
    `Objects read over ${CONNECTIONS} connections, each request with a signature of its own, of thousands for each server; medians of ${ROUNDS} rounds\n${formatRows(rows)}`,
  );
  return rows.flatMap(rowFigures);
}

async function measureSize(setting: Setting, size: Size): Promise<Row> {
  const { urls, coldEdge } = setting;
  const { signal, seconds = LOAD_S, say } = setting.conditions;
  const { bytes, cold: count, least } = size;
  await using scope = new AsyncDisposableStack();
  const bare = scope.adopt(await startBareWith(urls.direct, bytes, signal), (started) => started.close());
  await prepareRequests(setting, size);

  const plan = (url: string, length: number): SignedLoad => ({
    directory: setting.directory,
    url,
    requests: requestsFor(setting, url),
    connections: CONNECTIONS,
    seconds: length,
    bodyBytes: bytes,
    signal,
  });
  const run = async (system: System, measure: () => Promise<LoadResult>): Promise<Run> => {
    const { result, cores } = await coresDuring(measure);
    const { requestsPerS: opsPerS, p50Ms, p99Ms } = result;
    say(`${formatSize(bytes)}, ${SYSTEMS[system]}: ${Math.round(opsPerS)} ops/s, p99 ${p99Ms} ms`);
    return { opsPerS, p50Ms, p99Ms, cores };
  };
  const cached = (system: CachedSystem) => () => run(system, () => loadSigned(plan(urls[system], seconds)));
  const fresh = coldEdge.urls.values();
  const measures = {
    direct: cached("direct"),
    nginx: cached("nginx"),
    slices: cached("slices"),
    cold: () => run("cold", () => loadOnce(plan(fresh.next().value ?? "", COLD_S), count)),
    cached: cached("cached"),
    bare: () => run("bare", () => load({ ...plan(bare.url, seconds), headers: {} })),
  } satisfies Record<System, () => Promise<Run>>;
  for (const url of Object.values(urls)) await loadSigned(plan(url, WARM_UP_S));
  const rounds = await takeTurns(ROUNDS, Object.values(measures));
  const runs = Object.fromEntries(
    Object.keys(measures).map((system, index) => [system, rounds[index] ?? []]),
  );
  return { bytes, least, runs: runs as Record<System, Run[]> };
}

/** Puts the objects of a size, and gets each server ready to be loaded with them. */
async function prepareRequests(setting: Setting, { bytes, signatures, cold }: Size): Promise<void> {
  const { conditions, urls, coldEdge } = setting;
  const { signal } = conditions;
  const put = { url: urls.direct, prefix: `${bytes}`, count: cold, bytes, signal };
  const { paths, digest } = await putObjects(put);
  const plan = (url: string) => ({ url, digest, file: requestsFor(setting, url), signal });
  for (const url of Object.values(urls))
    await prepareServer({ ...plan(url), paths: paths.slice(0, 1), count: signatures });
  for (const url of coldEdge.urls)
    await writeSigned({ file: requestsFor(setting, url), url, paths, count: cold });
}

/** The file of requests for a server. */
function requestsFor({ directory }: Setting, url: string): string {
  return join(directory, `${new URL(url).port}.requests`);
}
