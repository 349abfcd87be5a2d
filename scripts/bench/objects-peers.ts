import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { cephRgwLacks } from "../servers/ceph-rgw.ts";
import { programsLack } from "../servers/programs.ts";
import type { BesidePeers, PeerConditions } from "./figure.ts";
import { CONNECTIONS, type PeerUrls } from "./forge-peers.ts";
import { startObjectEdge } from "./objects-edge.ts";
import { startObjectNginx } from "./objects-nginx.ts";
import { putObjects, startRgw } from "./objects-origin.ts";
import { prepareServer, startBareWith } from "./objects-prepare.ts";
import { formatSize } from "./objects-row-figures.ts";
import { SIZES } from "./objects-rows.ts";
import { loadSigned } from "./objects-wrk.ts";
import { compare, mapPeers, paceOf } from "./peer-rounds.ts";
import type { PeerRow } from "./peers.ts";
import { ASK_RGW, startVarnish } from "./varnish.ts";
import { load } from "./wrk.ts";

const USUAL = { loadS: 2, rounds: 5 };
const FRESH_S = 24 * 60 * 60;
const STORE_BYTES = 1024 ** 3;
/** Of all sizes and signatures, where it is to be quick. */
const QUICK = { sizes: 2, signatures: 0.02 };

type Size = (typeof SIZES)[number];

/** One private object of each size over and over, each request with a signature of its own; the origin is a Ceph RGW. */
export const OBJECTS_BESIDE_PEERS: BesidePeers = {
  lacks: async () => (await programsLack(["wrk"])) ?? (await cephRgwLacks()),
  compare: compareObjects,
};

type Setting = {
  readonly conditions: PeerConditions;
  /** For files of requests. */
  readonly directory: string;
  readonly urls: PeerUrls;
  readonly store: string;
};

async function compareObjects(conditions: PeerConditions): Promise<PeerRow[]> {
  await using scope = new AsyncDisposableStack();
  const directory = scope.adopt(await mkdtemp(join(tmpdir(), "forgefront-bench-")), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const rgw = scope.adopt(await startRgw(STORE_BYTES, conditions.signal), (started) => started.close());
  const urls = await startPeers(scope, conditions, rgw.url);
  const rows: PeerRow[] = [];
  for (const size of conditions.isQuick ? SIZES.slice(0, QUICK.sizes) : SIZES)
    rows.push(...(await compareSize({ conditions, directory, urls, store: rgw.url }, size)));
  const { loadS, rounds } = paceOf(conditions, USUAL);
  conditions.note(`objects: ${rounds} × ${loadS} s with wrk over ${CONNECTIONS} connections`);
  return rows;
}

async function startPeers(
  scope: AsyncDisposableStack,
  { caches }: PeerConditions,
  store: string,
): Promise<PeerUrls> {
  const origin = new URL(store).host;
  const edge = scope.adopt(await startObjectEdge({ origin: store }), (started) => started.close());
  const nginx = caches.has("nginx")
    ? scope.adopt(await startObjectNginx(origin, { slices: false }), (started) => started.close())
    : undefined;
  const asking = { origin, question: ASK_RGW, freshS: FRESH_S };
  const varnish = caches.has("varnish")
    ? scope.adopt(await startVarnish(asking), (started) => started.close())
    : undefined;
  return {
    edge: edge.urls[0],
    origin: store,
    ...(nginx && { nginx: nginx.url }),
    ...(varnish && { varnish: varnish.url }),
  };
}

async function compareSize(
  { conditions, directory, urls, store }: Setting,
  { bytes, signatures }: Size,
): Promise<PeerRow[]> {
  const { signal, isQuick } = conditions;
  const { loadS: seconds, ...pace } = paceOf(conditions, USUAL);
  await using scope = new AsyncDisposableStack();
  const bare = scope.adopt(await startBareWith(store, bytes, signal), (started) => started.close());
  const { paths, digest } = await putObjects({ url: store, prefix: `${bytes}`, count: 1, bytes, signal });
  const fileFor = (url: string) => join(directory, `${new URL(url).port}.requests`);
  const count = isQuick ? signatures * QUICK.signatures : signatures;
  for (const url of Object.values(urls))
    await prepareServer({ url, paths, digest, file: fileFor(url), count, signal });
  const plan = { connections: CONNECTIONS, seconds, bodyBytes: bytes, signal };
  const signed = mapPeers(urls, (url) => async () => [
    (await loadSigned({ ...plan, directory, url, requests: fileFor(url) })).requestsPerS,
  ]);
  const whole = async () => [(await load({ ...plan, url: bare.url, headers: {} })).requestsPerS];
  const what = `private object of ${formatSize(bytes)}, each request signed`;
  return await compare(conditions, {
    rows: [{ lane: "objects", what, unit: "requests/s" }],
    ways: { ...signed, bare: whole },
    ...pace,
  });
}
