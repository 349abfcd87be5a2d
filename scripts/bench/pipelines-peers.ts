import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { programsLack } from "../servers/programs.ts";
import { startSameBytes } from "./bare-workers.ts";
import type { BesidePeers, PeerConditions } from "./figure.ts";
import { CONNECTIONS, startForgePeers, type PeerUrls } from "./forge-peers.ts";
import { loadSigned } from "./objects-wrk.ts";
import { compare, mapPeers, paceOf } from "./peer-rounds.ts";
import type { Peer, PeerRow } from "./peers.ts";
import { startPipelinesEdge } from "./pipelines-edge.ts";
import { changePipeline, startPollingForge, type PollingForge } from "./pipelines-forge.ts";
import { expectRefusal, readText } from "./raw-files.ts";

const USUAL = { loadS: 2, rounds: 5 };
const AUTH_MS = [0, 10];
const FORGE = { projects: 1, people: 10, pipelines: 20 };
const PATH = `/api/v4/projects/1/pipelines?per_page=${FORGE.pipelines}`;
const AUTH_PATH = "/api/v4/projects/1";
const FRESH_S = 5;
const CHANGE_MS = 1500;
/** States have names of several lengths: a list may be so much shorter than when it was first looked at. */
const LEAST_SHARE = 0.8;

/** A private list that several people poll, and that changes meanwhile. */
export const LISTS_BESIDE_PEERS: BesidePeers = {
  lacks: async () => await programsLack(["git", "wrk"]),
  compare: async (conditions) => {
    const rows: PeerRow[] = [];
    for (const authMs of conditions.isQuick ? AUTH_MS.slice(-1) : AUTH_MS)
      rows.push(...(await compareLists(conditions, authMs)));
    const { loadS, rounds } = paceOf(conditions, USUAL);
    conditions.note(
      `lists of pipelines: ${rounds} × ${loadS} s with wrk over ${CONNECTIONS} connections, while one changes every ${CHANGE_MS / 1000} s; nginx and Varnish keep a list for ${FRESH_S} s`,
    );
    return rows;
  },
};

async function compareLists(conditions: PeerConditions, authMs: number): Promise<PeerRow[]> {
  const { signal } = conditions;
  const { loadS: seconds, ...pace } = paceOf(conditions, USUAL);
  await using scope = new AsyncDisposableStack();
  const directory = scope.adopt(await mkdtemp(join(tmpdir(), "forgefront-bench-")), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const place = await startPollingForge(scope, { ...FORGE, authMs });
  const edge = await startPipelinesEdge(scope, { origin: place.forge.url });
  place.forge.externalUrl = edge.url; // or the addresses in the list would not be the same everywhere
  const text = await readText(place.forge.url + PATH, headersOf(place.tokens[0]), signal);
  const urls = { edge: edge.url, ...(await startOthers(scope, conditions, { place, text })) };
  await expectLists(urls, { place, text, signal });
  const poll = async (base: string, peer: Peer) => {
    if (peer !== "bare") await expectRefusal(base + PATH, signal);
    const requests = join(directory, `${new URL(base).port}.requests`);
    await writeFile(requests, requestsOf(base, place));
    const bodyBytes = text.length * LEAST_SHARE;
    const plan = { directory, url: base, requests, connections: CONNECTIONS, seconds, bodyBytes, signal };
    return await whileChanging(place, () => loadSigned(plan));
  };
  const what = `list of ${FORGE.pipelines} pipelines, ${FORGE.people} people, origin auth ${authMs} ms`;
  return await compare(conditions, {
    rows: [{ lane: "pipelines", what, unit: "requests/s" }],
    ways: mapPeers(urls, (base, peer) => async () => [(await poll(base, peer)).requestsPerS]),
    ...pace,
  });
}

type Expected = { readonly place: PollingForge; readonly text: string };

async function startOthers(
  scope: AsyncDisposableStack,
  conditions: PeerConditions,
  { place, text }: Expected,
): Promise<PeerUrls> {
  const { url } = place.forge;
  const bare = scope.adopt(await startSameBytes(text), (started) => started.close());
  const cache = { url, authPath: AUTH_PATH, freshS: FRESH_S };
  return { ...(await startForgePeers(scope, conditions, cache)), bare: bare.url.replace(/\/$/, "") };
}

/** Makes sure that all give the origin's list, which nothing has changed yet. */
async function expectLists(
  urls: PeerUrls,
  { place, text, signal }: Expected & { readonly signal: AbortSignal },
): Promise<void> {
  for (const base of Object.values(urls)) {
    if ((await readText(base + PATH, headersOf(place.tokens[0]), signal)) !== text)
      throw new Error(`${base} has another list than its origin`);
  }
}

function headersOf(token = ""): Readonly<Record<string, string>> {
  return { "PRIVATE-TOKEN": token };
}

/** A request of each person as it goes on the wire. */
function requestsOf(base: string, { tokens }: PollingForge): string {
  const { host } = new URL(base);
  return tokens
    .map((token) => `GET ${PATH} HTTP/1.1\r\nHost: ${host}\r\nPRIVATE-TOKEN: ${token}\r\n\r\n`)
    .join("");
}

/** Does something while the project's pipelines change, one after the other. */
async function whileChanging<T>({ forge, projects }: PollingForge, work: () => Promise<T>): Promise<T> {
  const stop = new AbortController();
  const pipelines = projects[0]?.pipelines ?? [];
  const changing = (async () => {
    for (let step = 0; !stop.signal.aborted; step++) {
      await sleep(CHANGE_MS, undefined, { signal: stop.signal }).catch(() => {}); // it is over
      const id = pipelines[step % pipelines.length];
      if (id !== undefined) changePipeline(forge, id, step);
    }
  })();
  try {
    return await work();
  } finally {
    stop.abort();
    await changing;
  }
}
