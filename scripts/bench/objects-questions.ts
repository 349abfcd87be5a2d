import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { CephRgw } from "../servers/ceph-rgw.ts";
import type { Conditions, Figure } from "./figure.ts";
import { startObjectEdge, type ObjectEdge } from "./objects-edge.ts";
import { putObjects, READER, signedDigest, startRgw } from "./objects-origin.ts";
import { writeRequests } from "./objects-requests.ts";
import { requestSigner } from "./objects-signing.ts";
import { loadSigned } from "./objects-wrk.ts";

const KIB = 1024;
const OBJECT_BYTES = 16 * KIB;
const STORE_BYTES = 64 * 1024 * KIB;
/** Longer than any grant lives; no other length would show the same. */
const LOAD_S = 35;
const CONNECTIONS = 8;
const SIGNATURES = 20_000;
const LOOK_MS = 200;

/** A way to set the edge up, and what of the load's length it should ask RGW nothing in. */
type Setup = {
  readonly name: string;
  readonly title: string;
  readonly vars: Readonly<Record<string, number>>;
  readonly silentS: number;
};

const SETUPS: readonly Setup[] = [
  { name: "defaults", title: "default settings", vars: {}, silentS: 20 },
  {
    name: "unrenewed",
    title: "nothing renewed ahead",
    vars: { GRANT_REFRESH_S: 30, OBJECT_FRESH_S: 45 },
    silentS: 30,
  },
];

type Scene = { readonly setup: Setup; readonly rgw: CephRgw; readonly edge: ObjectEdge };

/** What RGW is asked while one object is read without a pause, by its own count. */
export async function measureObjectQuestions(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const directory = scope.adopt(await mkdtemp(join(tmpdir(), "forgefront-bench-")), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const scenes: Scene[] = [];
  for (const setup of SETUPS) {
    const rgw = scope.adopt(await startRgw(STORE_BYTES, conditions.signal), (started) => started.close());
    const edge = scope.adopt(await startObjectEdge({ origin: rgw.url, vars: setup.vars }), (started) =>
      started.close(),
    );
    scenes.push({ setup, rgw, edge });
  }
  // At the same time: it is the length that counts here, not the rate
  const figures = await Promise.all(scenes.map((scene) => watch(conditions, scene, directory)));
  return figures.flat();
}

async function watch(
  { signal, say }: Conditions,
  { setup, rgw, edge }: Scene,
  parent: string,
): Promise<Figure[]> {
  const { name, title, silentS } = setup;
  const [url] = edge.urls;
  const directory = await mkdtemp(join(parent, "watch-"));
  const { paths, digest } = await putObjects({
    url: rgw.url,
    prefix: "hot",
    count: 1,
    bytes: OBJECT_BYTES,
    signal,
  });
  const [path = ""] = paths;
  const sign = requestSigner(READER, Date.now());
  const requests = join(directory, "requests");
  await writeRequests(requests, { sign, host: new URL(url).host, paths, count: SIGNATURES });
  const before = await gets(rgw);
  const learnedAt = performance.now();
  if ((await signedDigest(url, path, signal)) !== digest) throw new Error(`${url} has other bytes`);
  const cold = (await gets(rgw)) - before;

  const plan = {
    directory,
    url,
    requests,
    connections: CONNECTIONS,
    seconds: LOAD_S,
    bodyBytes: OBJECT_BYTES,
  };
  const loading = loadSigned({ ...plan, signal });
  const asked = await watchWhile(loading, { rgw, from: before + cold, learnedAt });
  const { requests: answered } = await loading;
  const times = asked.map((second) => second.toFixed(1)).join(", ");
  say(
    `${title}: ${answered} hits in ${LOAD_S} s; RGW was asked ${cold} time(s) at first, then after ${times || "nothing"} s`,
  );
  const early = asked.filter((second) => second < silentS).length;
  return [
    {
      name: `objects.questions.${name}.early`,
      title: `GETs at RGW in the first ${silentS} s of a grant, ${title}`,
      unit: "",
      ours: early,
      target: { most: 0 },
    },
    {
      name: `objects.questions.${name}.all`,
      title: `GETs at RGW in ${LOAD_S} s of hits, ${title}`,
      unit: "",
      ours: asked.length,
      target: { most: 1 },
      details: { hits: answered, asked_after_s: times, per_second: asked.length / LOAD_S },
    },
  ];
}

type Watch = {
  readonly rgw: CephRgw;
  /** What it has counted so far, and since when seconds are counted. */
  readonly from: number;
  readonly learnedAt: number;
};

/** When RGW was asked while something was under way, in seconds. */
async function watchWhile(work: Promise<unknown>, { rgw, from, learnedAt }: Watch): Promise<number[]> {
  const state = { isDone: false };
  const done = () => {
    state.isDone = true;
  };
  work.then(done, done);
  const asked: number[] = [];
  while (!state.isDone) {
    await sleep(LOOK_MS);
    const now = await gets(rgw);
    while (from + asked.length < now) asked.push((performance.now() - learnedAt) / 1000);
  }
  return asked;
}

async function gets(rgw: CephRgw): Promise<number> {
  return (await rgw.operations())["get"] ?? Number.NaN;
}
