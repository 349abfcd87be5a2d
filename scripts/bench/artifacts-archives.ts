import { mkdtemp, rm, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTool } from "../measuring/command.ts";
import type { Conditions } from "./figure.ts";
import { formatNumber } from "../measuring/table.ts";

const MIB = 1024 * 1024;
const GIB = 1024 * MIB;
const MAKER = join(import.meta.dirname, "artifacts-archives.py");
const MOST_S = 180;

/** Where an entry is that is asked for. */
export type KnownEntry = {
  readonly name: string;
  readonly bytes: number;
  readonly packedBytes: number;
  readonly dataOffset: number;
};

export type MadeArchive<Known extends string> = {
  readonly path: string;
  readonly bytes: number;
  readonly entries: number;
  /** With the end records. */
  readonly directoryBytes: number;
  readonly known: Readonly<Record<Known, KnownEntry>>;
};

/** Two texts of 100 KiB, deflated, that are far from each other. */
type Small = "middle" | "other";

export type Archives = {
  /** For whatever else is written during the run. */
  readonly directory: string;
  /** Small texts mostly, and a fifth of all entries in `MANY_DIRECTORY`. */
  readonly many: MadeArchive<Small>;
  /** A deflated log, and an entry as long as that is packed that is stored, both behind 4 GiB. */
  readonly large: MadeArchive<Small | "log" | "stored">;
  /** The same as many, but small enough to be in memory. */
  readonly small: MadeArchive<Small>;
};

export const MANY_DIRECTORY = "reports/html";

type Sizes = {
  readonly many: { readonly entries: number; readonly size: number };
  readonly large: { readonly size: number; readonly text_size: number };
  readonly small: { readonly entries: number; readonly size: number };
  /** What all of it takes on disk, with what is downloaded, unpacked and cached later. */
  readonly roomBytes: number;
};

const SMALL = { entries: 2000, size: 64 * MIB };

export const FULL_SIZES: Sizes = {
  many: { entries: 50_000, size: 1 * GIB },
  large: { size: 5 * GIB, text_size: 500_000_000 },
  small: SMALL,
  roomBytes: 24 * GIB,
};

export const QUICK_SIZES: Sizes = {
  many: { entries: 5000, size: 100 * MIB },
  large: { size: 300 * MIB, text_size: 50_000_000 },
  small: SMALL,
  roomBytes: 3 * GIB,
};

const made = new WeakMap<AsyncDisposableStack, Promise<Archives>>();

/** The archives of a run, which are made when they are first asked for. */
export async function archivesOf(conditions: Conditions): Promise<Archives> {
  const known = made.get(conditions.run);
  if (known !== undefined) return await known;
  const making = makeForRun(conditions);
  made.set(conditions.run, making);
  return await making;
}

async function makeForRun({ run, signal, isQuick, say }: Conditions): Promise<Archives> {
  const directory = await makeDirectory(run);
  const began = performance.now();
  const archives = await makeArchives(directory, isQuick ? QUICK_SIZES : FULL_SIZES, signal);
  const seconds = (performance.now() - began) / 1000;
  const { many, large, small } = archives;
  for (const { bytes, entries } of [many, large, small])
    say(`made an archive of ${formatNumber(bytes / MIB)} MiB with ${formatNumber(entries)} entries`);
  say(`all were made in ${formatNumber(seconds)} s`);
  return archives;
}

/** Makes all three in a directory, two at a time. */
export async function makeArchives(directory: string, sizes: Sizes, signal: AbortSignal): Promise<Archives> {
  const { bavail, bsize } = await statfs(directory);
  if (bavail * bsize < sizes.roomBytes)
    throw new Error(`${directory} has less room than ${formatNumber(sizes.roomBytes / GIB)} GiB`);
  const make = async (kind: "many" | "large", name: string, size: object) =>
    await makeArchive({ kind, path: join(directory, name), size, signal });
  const [large, [many, small]] = await Promise.all([
    make("large", "large.zip", sizes.large),
    (async () =>
      [await make("many", "many.zip", sizes.many), await make("many", "small.zip", sizes.small)] as const)(),
  ]);
  return { directory, many, large, small };
}

/** The small one alone, in a directory that lasts as long as a run. */
export async function makeSmall({ run, signal }: Conditions): Promise<Pick<Archives, "directory" | "small">> {
  const directory = await makeDirectory(run);
  const path = join(directory, "small.zip");
  return { directory, small: await makeArchive({ kind: "many", path, size: SMALL, signal }) };
}

async function makeDirectory(run: AsyncDisposableStack): Promise<string> {
  return run.adopt(await mkdtemp(join(tmpdir(), "forgefront-bench-")), (path) =>
    rm(path, { recursive: true, force: true, maxRetries: 3 }),
  );
}

type Making = {
  readonly kind: "many" | "large";
  readonly path: string;
  readonly size: object;
  readonly signal: AbortSignal;
};

async function makeArchive({ kind, path, size, signal }: Making): Promise<Archives["large"]> {
  const args = ["-B", MAKER, kind, path, JSON.stringify(size)];
  const { stdout } = await runTool("python3", args, { signal, seconds: MOST_S });
  return JSON.parse(stdout) as Archives["large"];
}
