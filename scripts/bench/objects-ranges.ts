import { LIMITS } from "../../src/core/config.ts";
import type { S3Store } from "../demo/s3.ts";
import { generatedContent } from "../demo/s3-content.ts";
import type { Conditions, Figure } from "./figure.ts";
import { startObjectEdge } from "./objects-edge.ts";
import { READER } from "./objects-origin.ts";
import { randomRanges, type ByteRange } from "./objects-random.ts";
import { requestSigner, type Sign } from "./objects-signing.ts";
import { pathOf, startStoreWith, type GeneratedObject } from "./objects-store.ts";
import { median } from "../measuring/rounds.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const OBJECT: GeneratedObject = { key: "tiles.tif", bytes: 1024 * MIB, seed: "tiles" };
/** As GDAL reads a tiled GeoTIFF; aligned, so that none lies across two blocks. */
const RANGE_BYTES = 64 * KIB;
const RANGES = 200;
const BLOCK_SIZES = [64 * KIB, 256 * KIB, 1 * MIB, LIMITS.BLOCK_BYTES.fallback];
const MOST_MS = 30_000;

/** One pass over all ranges. */
type Pass = { readonly fetchedBytes: number; readonly requests: number; readonly p50Ms: number };

type Measured = { readonly blockBytes: number; readonly cold: Pass; readonly warm: Pass };

/** What is fetched of a large object for small ranges all over it, the first time and again. */
export async function measureRanges(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const store = scope.adopt(await startStoreWith(OBJECT), (started) => started.close());
  const ranges = randomRanges("gdal", { size: OBJECT.bytes, length: RANGE_BYTES, count: RANGES });
  const all: Measured[] = [];
  for (const blockBytes of BLOCK_SIZES) {
    const measured = await measureBlockSize(conditions, { store, ranges, blockBytes });
    conditions.say(rowOf(measured).join(" | "));
    all.push(measured);
  }
  const heading = [
    "block, KiB",
    "fetched / asked, cold",
    "blocks / range",
    "requests / range",
    "p50, ms",
    "fetched / asked, warm",
    "p50, ms",
  ];
  conditions.note(
    `${RANGES} random ranges of ${RANGE_BYTES / KIB} KiB of an object of 1 GiB (the demo's store), one after the other\n${formatColumns([heading, ...all.map(rowOf)])}`,
  );
  return all.flatMap(figuresOf);
}

type Scene = {
  readonly store: S3Store;
  readonly ranges: readonly ByteRange[];
  readonly blockBytes: number;
};

async function measureBlockSize(
  { signal }: Conditions,
  { store, ranges, blockBytes }: Scene,
): Promise<Measured> {
  await using scope = new AsyncDisposableStack();
  const edge = scope.adopt(
    await startObjectEdge({ origin: store.url, vars: { BLOCK_BYTES: blockBytes } }),
    (started) => started.close(),
  );
  const sign = requestSigner(READER, Date.now());
  const pass = async (): Promise<Pass> => {
    store.resetCounts();
    const times: number[] = [];
    for (const range of ranges) times.push(await readRange({ url: edge.urls[0], sign, range, signal }));
    const { bytes, total } = store.counts();
    return { fetchedBytes: bytes, requests: total, p50Ms: median(times) };
  };
  return { blockBytes, cold: await pass(), warm: await pass() };
}

type Read = {
  readonly url: string;
  readonly sign: Sign;
  readonly range: ByteRange;
  readonly signal: AbortSignal;
};

const CONTENT = generatedContent(OBJECT.seed, OBJECT.bytes);

/** Milliseconds until the last byte of a range, which must be just those of the object. */
async function readRange({ url, sign, range, signal }: Read): Promise<number> {
  const path = pathOf(OBJECT);
  const signed = sign({ method: "GET", host: new URL(url).host, path });
  const headers = { ...signed, Range: `bytes=${range.start}-${range.end - 1}` };
  const began = performance.now();
  const response = await fetch(url + path, {
    headers,
    signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]),
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  const took = performance.now() - began;
  if (response.status !== 206 || !bytes.equals(Buffer.concat([...CONTENT.read(range)])))
    throw new Error(`${url}${path} gave other bytes for ${headers.Range}, with ${response.status}`);
  return took;
}

function figuresOf({ blockBytes, cold, warm }: Measured): Figure[] {
  const name = `objects.ranges.${blockBytes / KIB}_kib`;
  const isListedApart = blockBytes !== LIMITS.BLOCK_BYTES.fallback;
  return [
    {
      name: `${name}.cold_blocks_per_range`,
      title: `Blocks fetched for a cold range of ${RANGE_BYTES / KIB} KiB`,
      unit: "",
      ours: cold.fetchedBytes / (RANGES * blockBytes),
      target: { most: 1 },
      details: { fetched_over_asked: perAsked(cold), requests: cold.requests, p50_ms: cold.p50Ms },
      isListedApart,
    },
    {
      name: `${name}.warm_fetched_over_asked`,
      title: "Bytes fetched for the same ranges again",
      unit: "",
      ours: perAsked(warm),
      target: { most: 0 },
      details: { requests: warm.requests, p50_ms: warm.p50Ms },
      isListedApart,
    },
  ];
}

function rowOf({ blockBytes, cold, warm }: Measured): string[] {
  const isDefault = blockBytes === LIMITS.BLOCK_BYTES.fallback;
  const numbers = [
    perAsked(cold),
    cold.fetchedBytes / (RANGES * blockBytes),
    cold.requests / RANGES,
    cold.p50Ms,
    perAsked(warm),
    warm.p50Ms,
  ];
  return [`${blockBytes / KIB}${isDefault ? " (default)" : ""}`, ...numbers.map(formatNumber)];
}

function perAsked({ fetchedBytes }: Pass): number {
  return fetchedBytes / (RANGES * RANGE_BYTES);
}
