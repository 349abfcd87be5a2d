import { createHash } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { generatedContent } from "../demo/s3-content.ts";
import type { S3Store } from "../demo/s3.ts";
import { runTool } from "../measuring/command.ts";
import type { Conditions, Figure } from "./figure.ts";
import { diskBytes, peakDuring, residentBytes } from "../measuring/memory.ts";
import { startObjectEdge, type ObjectEdge } from "./objects-edge.ts";
import { READER } from "./objects-origin.ts";
import { randomRanges, type ByteRange } from "./objects-random.ts";
import { REGION } from "./objects-signing.ts";
import { pathOf, startStoreWith, type GeneratedObject } from "./objects-store.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

const MIB = 1024 * 1024;
const OBJECT: GeneratedObject = { key: "disk.img", bytes: 4096 * MIB, seed: "disk" };
const RANGES = 64;
const RANGE_BYTES = 1 * MIB;
const MOST_S = 300;
/** What an isolate may have in all, and less than what the process holds. */
const MOST_PEAK_MIB = 256;

type Reading = {
  readonly name: string;
  readonly title: string;
  readonly mibPerS: number;
  readonly peakMib: number;
  /** What the origin sent meanwhile. */
  readonly fetchedMib: number;
  readonly diskMib: number;
};

type Scene = { readonly conditions: Conditions; readonly store: S3Store; readonly digest: string };

/** An object of 4 GiB through the edge, by curl: that it is the same, and what memory it takes. */
export async function measureLarge(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const store = scope.adopt(await startStoreWith(OBJECT), (started) => started.close());
  const { digest } = await curlDigest(store.url, undefined, conditions.signal);
  const scene = { conditions, store, digest };
  const cached = await readCached(scene);
  const passed = await readUncached(scene);
  const readings = [...cached.readings, passed];
  conditions.note(
    `An object of 4 GiB (computed by the demo's store) read by curl; workerd's memory over the ${formatNumber(cached.idleMib)} MiB it had before. What its Cache API stores are files in a temporary directory, not memory of the process\n${formatReadings(readings)}`,
  );
  return readings.flatMap(figuresOf);
}

/** Stored as it is read, then read again, then in parts. */
async function readCached(scene: Scene): Promise<{ readings: Reading[]; idleMib: number }> {
  await using scope = new AsyncDisposableStack();
  const { directory, edge } = await startInOwnDirectory(scope, scene.store.url, {});
  const idle = await residentBytes(edge.pid);
  const ranges = randomRanges("disk", { size: OBJECT.bytes, length: RANGE_BYTES, count: RANGES });
  const plan = { edge, directory, idle };
  const readings = [
    await readOnce(scene, { ...plan, name: "cold", title: "whole, cold" }),
    await readOnce(scene, { ...plan, name: "warm", title: "whole, warm" }),
    await readOnce(scene, { ...plan, name: "ranges", title: `${RANGES} ranges of 1 MiB, warm`, ranges }),
  ];
  return { readings, idleMib: idle / MIB };
}

/** Past the limit of what is cached: all that is left is what passing it on takes. */
async function readUncached(scene: Scene): Promise<Reading> {
  await using scope = new AsyncDisposableStack();
  const { directory, edge } = await startInOwnDirectory(scope, scene.store.url, { OBJECT_BYTES: 1024 * MIB });
  const idle = await residentBytes(edge.pid);
  return await readOnce(scene, {
    edge,
    directory,
    idle,
    name: "uncached",
    title: "whole, too large to be cached",
  });
}

/** Miniflare keeps what its Cache API stores in the directory for temporary files, and removes it when it ends. */
async function startInOwnDirectory(
  scope: AsyncDisposableStack,
  origin: string,
  vars: Readonly<Record<string, number>>,
): Promise<{ directory: string; edge: ObjectEdge }> {
  const directory = await mkdtemp(join(tmpdir(), "forgefront-bench-"));
  scope.defer(() => rm(directory, { recursive: true, force: true }));
  const before = process.env["TMPDIR"];
  process.env["TMPDIR"] = directory;
  try {
    const edge = scope.adopt(await startObjectEdge({ origin, vars }), (started) => started.close());
    return { directory, edge };
  } finally {
    if (before === undefined) delete process.env["TMPDIR"];
    else process.env["TMPDIR"] = before;
  }
}

type Plan = {
  readonly edge: ObjectEdge;
  /** Where the edge keeps what it stores. */
  readonly directory: string;
  readonly idle: number;
  readonly name: string;
  readonly title: string;
  readonly ranges?: readonly ByteRange[];
};

async function readOnce({ conditions, store, digest }: Scene, plan: Plan): Promise<Reading> {
  const { edge, directory, idle, name, title, ranges } = plan;
  const { signal, say } = conditions;
  const wanted = ranges === undefined ? digest : digestOfRanges(ranges);
  store.resetCounts();
  let seconds = Number.NaN;
  const peak = await peakDuring(edge.pid, async () => {
    const got = await curlDigest(edge.urls[0], ranges, signal);
    if (got.digest !== wanted) throw new Error(`The edge has other bytes than the origin (${title})`);
    ({ seconds } = got);
  });
  const bytes = ranges === undefined ? OBJECT.bytes : RANGES * RANGE_BYTES;
  const reading = {
    name,
    title,
    mibPerS: bytes / MIB / seconds,
    peakMib: (peak - idle) / MIB,
    fetchedMib: store.counts().bytes / MIB,
    diskMib: (await diskBytes(directory)) / MIB,
  };
  say(rowOf(reading).join(" | "));
  return reading;
}

const CONTENT = generatedContent(OBJECT.seed, OBJECT.bytes);

function digestOfRanges(ranges: readonly ByteRange[]): string {
  const hash = createHash("sha256");
  for (const range of ranges) for (const bytes of CONTENT.read(range)) hash.update(bytes);
  return hash.digest("hex");
}

const PIPE = 'hash=$1; shift; curl "$@" | "$0" -e "$hash"';
/** Debian's sha256sum takes five times as long. */
const HASH = `
const hash = require("node:crypto").createHash("sha256");
process.stdin.on("data", (bytes) => hash.update(bytes)).on("end", () => console.log(hash.digest("hex")));
`;

/** SHA-256, in hex, of all that curl reads, signed by itself: the object, or ranges of it one behind the other; and how long it took. */
async function curlDigest(
  url: string,
  ranges: readonly ByteRange[] | undefined,
  signal: AbortSignal,
): Promise<{ digest: string; seconds: number }> {
  const reads = (ranges ?? [undefined]).map((range) => curlArguments(url, range));
  const args = reads.flatMap((read, index) => (index === 0 ? read : ["--next"].concat(read)));
  const began = performance.now();
  const { stdout, stderr } = await runTool("sh", ["-c", PIPE, process.execPath, HASH, ...args], {
    signal,
    seconds: MOST_S,
  });
  if (stderr !== "") throw new Error(`Cannot read ${url}: ${stderr}`);
  return { digest: stdout.trim(), seconds: (performance.now() - began) / 1000 };
}

function curlArguments(url: string, range: ByteRange | undefined): string[] {
  const { accessKey, secretKey } = READER;
  const limits = ["--silent", "--show-error", "--fail", "--http1.1", "--max-time", String(MOST_S)];
  const signing = ["--aws-sigv4", `aws:amz:${REGION}:s3`, "--user", `${accessKey}:${secretKey}`];
  const payload = ["--header", "x-amz-content-sha256: UNSIGNED-PAYLOAD"]; // curl before 8 does not say what it has signed
  const part = range === undefined ? [] : ["--range", `${range.start}-${range.end - 1}`];
  return [...limits, ...signing, ...payload, ...part, url + pathOf(OBJECT)];
}

function figuresOf({ name, title, mibPerS, peakMib, fetchedMib, diskMib }: Reading): Figure[] {
  return [
    {
      name: `objects.large.${name}.peak_mib`,
      title: `4 GiB ${title}: peak memory over idle`,
      unit: "MiB",
      ours: peakMib,
      target: { most: MOST_PEAK_MIB },
      details: { mib_per_s: mibPerS, fetched_mib: fetchedMib, disk_mib: diskMib },
    },
  ];
}

function formatReadings(readings: readonly Reading[]): string {
  const heading = ["read", "MiB/s", "peak, MiB", "from the origin, MiB", "on disk, MiB"];
  return formatColumns([heading, ...readings.map(rowOf)]);
}

function rowOf({ title, mibPerS, peakMib, fetchedMib, diskMib }: Reading): string[] {
  return [title, ...[mibPerS, peakMib, fetchedMib, diskMib].map(formatNumber)];
}
