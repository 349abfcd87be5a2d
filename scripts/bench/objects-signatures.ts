import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { startWorker } from "../local-edge.ts";
import { quietPort } from "../servers/quiet-port.ts";
import type { Conditions, Figure } from "./figure.ts";
import { startObjectEdge } from "./objects-edge.ts";
import { BUCKET, READER } from "./objects-origin.ts";
import { writeRequests } from "./objects-requests.ts";
import { REGION, requestSigner, type Sign } from "./objects-signing.ts";
import { pathOf, startStoreWith } from "./objects-store.ts";
import type { Exercise } from "./objects-verifications.ts";
import { loadSigned } from "./objects-wrk.ts";
import { interleave, median, medians, takeTurns } from "../measuring/rounds.ts";

const KIB = 1024;
const OBJECT = { key: "signed", bytes: 16 * KIB, seed: "signed" };
const OPEN_BUCKET = "open";
const CONNECTIONS = 32;
const LOAD_S = 3;
const WARM_UP_S = 2;
const ROUNDS = 3;
const SIGNATURES = 50_000;
/** Enough for a second of one core. */
const TIMES = 60_000;
const DISTINCT = 256;
const MOST_MS = 60_000;

/** What a signature costs to verify, alone and as a part of a hit. */
export async function measureSignatures(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const directory = scope.adopt(await mkdtemp(join(tmpdir(), "forgefront-bench-")), (path) =>
    rm(path, { recursive: true, force: true }),
  );
  const verifications = await measureVerifications(conditions);
  const hits = await measureHits(conditions, directory);
  const lessThanSigned = (other: number) => (1 - hits.ours / other) * 100;
  const byCost = (hits.ours / verifications.ours) * 100;
  conditions.note(
    `All that a signature costs is ${lessThanSigned(hits.theirs).toFixed(0)} % of the time of a signed hit of 16 KiB (${lessThanSigned(hits.sameHead).toFixed(0)} % where the anonymous one has as long a head); at the rate above the verification alone would be ${byCost.toFixed(0)} %`,
  );
  return [
    {
      name: "objects.signatures.verified_per_s",
      title: "Signatures verified a second a core / signed by @smithy/signature-v4 whole",
      unit: "1/s",
      ...verifications,
    },
    {
      name: "objects.signatures.hits_per_s",
      title: "Hit of 16 KiB, signed / anonymous",
      unit: "requests/s",
      ours: hits.ours,
      theirs: hits.theirs,
      rounds: hits.rounds,
      details: { share_of_hit_percent: byCost, with_as_long_a_head: hits.sameHead },
    },
  ];
}

type Beside = ReturnType<typeof medians>;

/** In workerd, on its one thread; each side is first done once for the compiler. */
async function measureVerifications({ signal, say }: Conditions): Promise<Beside> {
  await using scope = new AsyncDisposableStack();
  const port = await quietPort();
  const contents = await bundleWorker();
  scope.adopt(await startWorker({ contents, bindings: {}, ports: [port] }), (worker) => worker.dispose());
  const sign = requestSigner(READER, Date.now());
  const request = { method: "GET", host: "objects.example.com", path: pathOf(OBJECT) };
  const given = { accessKey: READER.accessKey, secret: READER.secretKey, region: REGION, times: TIMES };
  const run = async (way: Exercise["way"]) => {
    const requests = Array.from({ length: DISTINCT }, () => ({
      ...request,
      headers: way === "verify" ? sign(request) : withoutSignature(sign(request)),
    }));
    const body = JSON.stringify({ ...given, way, requests } satisfies Exercise);
    const bound = AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]);
    const began = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body, signal: bound });
    const done = await response.text();
    if (done !== String(TIMES)) throw new Error(`Of ${TIMES} signatures so many were right: ${done}`);
    const perS = TIMES / ((performance.now() - began) / 1000);
    say(`${way}: ${Math.round(perS)} a second`);
    return perS;
  };
  await run("verify");
  await run("sign");
  return medians(
    await interleave(
      ROUNDS,
      () => run("verify"),
      () => run("sign"),
    ),
  );
}

function withoutSignature(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => name !== "authorization"));
}

const ENTRY = `
import { exercise } from "./objects-verifications.ts";
export default { fetch: async (request) => new Response(String(await exercise(await request.json()))) };
`;

/** A Worker that does nothing but exercises, as one module. */
async function bundleWorker(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: ENTRY, resolveDir: import.meta.dirname, loader: "ts" },
    bundle: true,
    write: false,
    format: "esm",
    target: "esnext",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild made nothing");
  return file.text;
}

/** Hits on two objects of one size: one private and asked for with a signature, one public and asked for without. */
async function measureHits(
  { signal, seconds = LOAD_S, say }: Conditions,
  directory: string,
): Promise<Beside & { readonly sameHead: number }> {
  await using scope = new AsyncDisposableStack();
  const store = scope.adopt(await startStoreWith(OBJECT), (started) => started.close());
  store.createBucket(OPEN_BUCKET, { visibility: "public" });
  store.putGenerated(OPEN_BUCKET, OBJECT.key, OBJECT.bytes, OBJECT.seed);
  const edge = scope.adopt(await startObjectEdge({ origin: store.url }), (started) => started.close());
  const [url] = edge.urls;
  const sign = requestSigner(READER, Date.now());
  const ways = {
    signed: { sign, bucket: BUCKET },
    anonymous: { sign: (() => ({})) as Sign, bucket: OPEN_BUCKET },
    "as long a head": { sign: sameHead(sign), bucket: OPEN_BUCKET },
  };
  for (const [name, { bucket, ...way }] of Object.entries(ways)) {
    const plan = { ...way, host: new URL(url).host, paths: [`/${bucket}/${OBJECT.key}`], count: SIGNATURES };
    await writeRequests(join(directory, name), plan);
  }
  const run = async (name: keyof typeof ways, length: number) => {
    const plan = { directory, url, requests: join(directory, name), connections: CONNECTIONS };
    const { requestsPerS } = await loadSigned({ ...plan, seconds: length, bodyBytes: OBJECT.bytes, signal });
    say(`${name} hits: ${Math.round(requestsPerS)} requests/s`);
    return requestsPerS;
  };
  const names = Object.keys(ways) as (keyof typeof ways)[];
  for (const name of names) await run(name, WARM_UP_S);
  const [ours = [], theirs = [], longer = []] = await takeTurns(
    ROUNDS,
    names.map((name) => () => run(name, seconds)),
  );
  return { ...medians({ ours, theirs }), sameHead: median(longer) };
}

/** All that a signature comes with, under a name that nobody reads. */
function sameHead(sign: Sign): Sign {
  return (request) => {
    const { authorization = "", ...others } = sign(request);
    return { ...others, "x-unread": authorization };
  };
}
