import { startDemo } from "../demo/demo.ts";
import type { Forge } from "../demo/demo.ts";
import { startWholeFromCache } from "./bare-workers.ts";
import { startBenchEdge, type BenchEdge } from "./bench-edge.ts";
import { readSpeed } from "./curl.ts";
import type { Conditions, Figure } from "./figure.ts";
import { addLargeFiles } from "./large-files.ts";
import { blockFigures, blockRow, formatBlocks, type Beside, type MeasuredBlocks } from "./block-figures.ts";
import { measureFillMemory } from "./raw-fill-memory.ts";
import { BIG_PATH, digestOf, timeRange } from "./raw-files.ts";
import { interleave, median, medians } from "../measuring/rounds.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const FILE_BYTES = 64 * MIB;
const BLOCK_SIZES = [256 * KIB, 512 * KIB, 1 * MIB, 2 * MIB, 4 * MIB, 8 * MIB];
const WARM_ROUNDS = 7;
/** Reads on one connection a round: enough to last longer than what starting curl costs. */
const WARM_READS = 6;
const FILLS = 8;
/** Files that are read one after the other, each the first time. */
const COLD_READS = 3;
const RANGE = { start: 1 * MIB, length: 1 * KIB, times: 300, warmUps: 30 };

type Setting = {
  readonly conditions: Conditions;
  readonly origin: Forge;
  /** Paths of files of `FILE_BYTES` that differ. */
  readonly paths: readonly string[];
  /** Where the big file is sent as the Cache API holds it whole. */
  readonly whole: string;
  readonly digest: string;
};

/** A large file from blocks of several sizes, beside the same bytes stored whole; and what filling costs in memory. */
export async function measureBlocks(conditions: Conditions): Promise<Figure[]> {
  const { signal } = conditions;
  await using scope = new AsyncDisposableStack();
  const demo = scope.adopt(await startDemo({ bigFileBytes: FILE_BYTES }), (started) => started.close());
  const origin = demo.gitlab;
  const paths = await addLargeFiles(origin, { count: FILLS + COLD_READS, bytes: FILE_BYTES, signal });
  const bare = scope.adopt(await startWholeFromCache(origin.url + BIG_PATH), (started) => started.close());
  const digest = await digestOf(origin.url + BIG_PATH, signal);
  if ((await digestOf(bare.url, signal)) !== digest)
    throw new Error("What is stored whole has other bytes than the origin");
  const setting = { conditions, origin, paths, whole: bare.url, digest };
  const sizes: MeasuredBlocks[] = [];
  for (const blockBytes of BLOCK_SIZES) sizes.push(await measureBlockSize(setting, blockBytes));
  conditions.note(`A file of ${FILE_BYTES / MIB} MiB, by size of block\n${formatBlocks(sizes)}`);
  return sizes.flatMap(blockFigures);
}

async function measureBlockSize(setting: Setting, blockBytes: number): Promise<MeasuredBlocks> {
  const { conditions, origin, paths, digest } = setting;
  const { signal, say } = conditions;
  await using scope = new AsyncDisposableStack();
  const edge = scope.adopt(await startBenchEdge(origin.url, { BLOCK_BYTES: blockBytes }), (started) =>
    started.close(),
  );
  const memory = await measureFillMemory(edge, { paths: paths.slice(0, FILLS), bytes: FILE_BYTES, signal });
  const cold = await measureCold(setting, edge);
  if ((await digestOf(edge.url + BIG_PATH, signal)) !== digest) throw new Error("The edge has other bytes");
  const warm = await measureWarm(setting, edge);
  const range = await measureRanges(setting, edge);
  const measured = { blockBytes, fills: FILLS, warm: inMib(warm), cold: inMib(cold), range, memory };
  say(blockRow(measured).join(" | "));
  return measured;
}

async function measureWarm({ conditions, whole }: Setting, edge: BenchEdge): Promise<Beside> {
  const { signal } = conditions;
  const read = (url: string) => readSpeed({ url, bytes: FILE_BYTES, times: WARM_READS, signal });
  await read(edge.url + BIG_PATH);
  await read(whole);
  return medians(
    await interleave(
      WARM_ROUNDS,
      () => read(edge.url + BIG_PATH),
      () => read(whole),
    ),
  );
}

/** Each file is read once through the edge, and once from the origin. */
async function measureCold({ conditions, origin, paths }: Setting, edge: BenchEdge): Promise<Beside> {
  const { signal } = conditions;
  const cold = paths.slice(FILLS);
  const next = (base: string) => {
    const rest = [...cold];
    return () => readSpeed({ url: base + (rest.shift() ?? ""), bytes: FILE_BYTES, times: 1, signal });
  };
  return medians(await interleave(cold.length, next(edge.url), next(origin.url)));
}

async function measureRanges({ conditions, whole }: Setting, edge: BenchEdge): Promise<Beside> {
  const time = async (url: string, times: number) => {
    const took: number[] = [];
    for (let turn = 0; turn < times; turn++)
      took.push(await timeRange(url, RANGE.start, RANGE.length, conditions.signal));
    return median(took);
  };
  await time(edge.url + BIG_PATH, RANGE.warmUps);
  await time(whole, RANGE.warmUps);
  const rounds = await interleave(
    3,
    () => time(edge.url + BIG_PATH, RANGE.times),
    () => time(whole, RANGE.times),
  );
  return medians(rounds);
}

function inMib({ ours, theirs, rounds }: Beside): Beside {
  const all = (values: readonly number[]) => values.map((value) => value / MIB);
  return {
    ours: ours / MIB,
    theirs: theirs / MIB,
    rounds: { ours: all(rounds.ours), theirs: all(rounds.theirs) },
  };
}
