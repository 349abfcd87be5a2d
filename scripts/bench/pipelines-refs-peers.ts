import { startDemo } from "../demo/demo.ts";
import type { BesidePeers, PeerConditions } from "./figure.ts";
import { startForgePeers } from "./forge-peers.ts";
import { failedShare, findK6, runK6, type K6File } from "./k6.ts";
import { compare, mapPeers } from "./peer-rounds.ts";
import { PEERS, type Peer, type PeerRow } from "./peers.ts";
import { startPipelinesEdge } from "./pipelines-edge.ts";
import { expectRefusal, readText, SECRET } from "./raw-files.ts";
import { formatNumber } from "../measuring/table.ts";

/** Requests a second, and for how long: what has to be found out once a minute is to be less than a hundredth of it. */
const RATES = [
  { rate: 5, loadS: 25 },
  { rate: 50, loadS: 10 },
] as const;
const AUTH_MS = 10;
const QUICK_LOAD_S = 2;
const ROUNDS = 2;
/** Bounds what waits at once. */
const CLIENTS = 100;
const TIMEOUT_S = 10;
const FRESH_S = 60;

/** A private file of a branch at steady rates: what the branch stands for has to be found out again and again. */
export const REFS_BESIDE_PEERS: BesidePeers = {
  lacks: async (signal) =>
    (await findK6(signal)) === undefined ? "k6 is missing (go install go.k6.io/k6@latest)" : undefined,
  compare: compareRefs,
};

async function compareRefs(conditions: PeerConditions): Promise<PeerRow[]> {
  const { signal, note } = conditions;
  const k6 = await findK6(signal);
  if (k6 === undefined) throw new Error("k6 is gone");
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ authMs: AUTH_MS, bigFileBytes: 1024 }), (started) =>
    started.close(),
  );
  const { url } = demo.gitlab;
  const edge = await startPipelinesEdge(scope, { origin: url });
  const cache = { url, authPath: SECRET.authPath, freshS: FRESH_S };
  const urls = { edge: edge.url, ...(await startForgePeers(scope, conditions, cache)) };
  const text = await readText(url + SECRET.path, SECRET.headers, signal);
  for (const base of Object.values(urls)) {
    if ((await readText(base + SECRET.path, SECRET.headers, signal)) !== text)
      throw new Error(`${base} has other bytes than the origin`);
    await expectRefusal(base + SECRET.path, signal);
  }
  const run = async (base: string, peer: Peer, { rate, loadS }: (typeof RATES)[number]) => {
    const seconds = secondsOf(conditions, loadS);
    const plan = { base, files: [fileOf(text)], rate, seconds, clients: CLIENTS, timeoutS: TIMEOUT_S };
    const result = await runK6(k6, { ...plan, resolves: false }, signal);
    const failed = failedShare(result);
    if (failed > 0) note(`${PEERS[peer]} failed ${formatNumber(100 * failed)} % of ${rate} reads a second`);
    return [result.p50Ms, result.p99Ms];
  };
  const rows: PeerRow[] = [];
  for (const load of RATES) {
    const what = `private file of a branch at ${load.rate}/s, origin auth ${AUTH_MS} ms`;
    rows.push(
      ...(await compare(conditions, {
        rows: ["p50", "p99"].map((part) => ({ lane: "pipelines", what: `${what}, ${part}`, unit: "ms" })),
        ways: mapPeers(urls, (base, peer) => () => run(base, peer, load)),
        rounds: roundsOf(conditions),
        warmsUp: false, // what is asked for anew is part of what is measured
      })),
    );
  }
  const lengths = RATES.map(({ rate, loadS }) => `${secondsOf(conditions, loadS)} s at ${rate}/s`);
  note(
    `files of a branch: ${roundsOf(conditions)} × (${lengths.join(", ")}) with k6; nginx and Varnish keep a file for ${FRESH_S} s`,
  );
  return rows;
}

function secondsOf({ isQuick, seconds }: PeerConditions, loadS: number): number {
  return seconds ?? (isQuick ? QUICK_LOAD_S : loadS);
}

function roundsOf({ isQuick }: PeerConditions): number {
  return isQuick ? 1 : ROUNDS;
}

function fileOf(text: string): K6File {
  const path = SECRET.path.slice(`/${SECRET.project}/-/raw/main/`.length);
  const { project, headers } = SECRET;
  return { project, path, headers, gitHeaders: {}, bytes: text.length };
}
