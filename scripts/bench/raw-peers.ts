import { startDemo } from "../demo/demo.ts";
import { startSameBytes } from "./bare-workers.ts";
import { startBenchEdge } from "./bench-edge.ts";
import type { BesidePeers, PeerConditions } from "./figure.ts";
import { CONNECTIONS, loadPrivate, startForgePeers, type PeerUrls } from "./forge-peers.ts";
import { compare, mapPeers, paceOf } from "./peer-rounds.ts";
import type { PeerRow } from "./peers.ts";
import { SECRET } from "./raw-files.ts";
import { programsLack } from "../servers/programs.ts";

const FILE = { path: "config/peers.txt", bytes: 16 * 1024 };
const URL_PATH = `/${SECRET.project}/-/raw/main/${FILE.path}`;
/** So much longer, where each answer waits for git: in a shorter load there might be none. */
const UNGRANTED_FACTOR = 3;
const USUAL = { loadS: 2, rounds: 5 };
const FRESH_S = 60;

/** How long the origin takes to decide who may read. */
const AUTH_MS = [0, 10, 40];
const QUICK_AUTH_MS = [10];

/** One private file over and over. */
export const RAW_BESIDE_PEERS: BesidePeers = {
  lacks: async () => await programsLack(["git", "wrk"]),
  compare: compareFiles,
};

async function compareFiles(conditions: PeerConditions): Promise<PeerRow[]> {
  const { signal, isQuick, note } = conditions;
  const { loadS, ...pace } = paceOf(conditions, USUAL);
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ bigFileBytes: 1024 }), (started) => started.close());
  const text = lines(FILE.bytes);
  await demo.gitlab.commit(SECRET.project, "main", { [FILE.path]: text });
  const urls = await startPeers(scope, conditions, { url: demo.gitlab.url, text });
  const plan = { path: URL_PATH, headers: SECRET.headers, text, signal };
  const rows: PeerRow[] = [];
  for (const authMs of isQuick ? QUICK_AUTH_MS : AUTH_MS) {
    demo.gitlab.authMs = authMs;
    const ways = mapPeers(urls, (url, peer) => async () => {
      const seconds = loadS * (peer === "ungranted" ? UNGRANTED_FACTOR : 1);
      return [await loadPrivate(url, peer, { ...plan, seconds })];
    });
    const what = `private file of 16 KiB, origin auth ${authMs} ms`;
    const row = { lane: "raw", what, unit: "requests/s" } as const;
    rows.push(...(await compare(conditions, { rows: [row], ways, ...pace })));
  }
  note(
    `raw: ${pace.rounds} × ${loadS} s with wrk over ${CONNECTIONS} connections (GRANT_S=0: ${loadS * UNGRANTED_FACTOR} s each)`,
  );
  return rows;
}

async function startPeers(
  scope: AsyncDisposableStack,
  conditions: PeerConditions,
  { url, text }: { readonly url: string; readonly text: string },
): Promise<PeerUrls> {
  const edge = scope.adopt(await startBenchEdge(url), (started) => started.close());
  const ungranted = scope.adopt(await startBenchEdge(url, { GRANT_S: 0 }), (started) => started.close());
  const bare = scope.adopt(await startSameBytes(text), (started) => started.close());
  const cache = { url, authPath: SECRET.authPath, freshS: FRESH_S };
  return {
    edge: edge.url,
    ...(await startForgePeers(scope, conditions, cache)),
    bare: bare.url.replace(/\/$/, ""),
    ungranted: ungranted.url,
  };
}

/** So many bytes of text, no two lines the same. */
function lines(bytes: number): string {
  const all = Array.from(
    { length: Math.ceil(bytes / 8) },
    (_, index) => `${String(index).padStart(7, "0")}\n`,
  );
  return all.join("").slice(0, bytes);
}
