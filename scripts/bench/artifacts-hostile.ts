import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { LIMITS } from "../../src/core/config.ts";
import { archivesOf } from "./artifacts-archives.ts";
import { ask, askWell, outcomeOf, type Answer } from "./artifacts-answer.ts";
import type { Demo } from "../demo/demo.ts";
import { addJob, startEdge, startOrigin, urlsOf, type JobUrls } from "./artifacts-scene.ts";
import type { BenchEdge } from "./bench-edge.ts";
import { runTool } from "../measuring/command.ts";
import { processSeconds } from "../measuring/cores.ts";
import type { Conditions, Figure } from "./figure.ts";
import { peakDuring, residentBytes } from "../measuring/memory.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

const MIB = 1024 * 1024;
const MAKER = join(import.meta.dirname, "artifacts-hostile.py");
const MAKE_S = 120;
const REST_MS = 2000;
const SETTLE_MS = 500;
/** What an isolate may have in all, and less than what the process holds. */
const MOST_PEAK_MIB = 256;

/** What is asked of a hostile archive, and whether it is to come whole: else it must be refused, or break off. */
type Asked = {
  readonly kind: "entry" | "tree" | "tar";
  readonly entry?: string;
  readonly gzip?: boolean;
  readonly isWhole: boolean;
};

type Hostile = {
  readonly name: string;
  readonly title: string;
  readonly path: string;
  readonly bytes: number;
  readonly asks: readonly Asked[];
};

type Seen = {
  readonly hostile: Hostile;
  readonly asked: Asked;
  /** In words, for a table. */
  readonly outcome: string;
  readonly isWrong: boolean;
  readonly bytes: number;
  readonly ms: number;
  readonly cpuS: number;
  readonly peakMib: number;
  /** What of the peak was not there just before. */
  readonly grewMib: number;
};

/** What archives that are up to no good do to an edge that runs, and what their clients see. */
export async function measureHostile(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const archives = await makeHostile(conditions);
  const origin = await startOrigin(scope);
  const tried: Tried[] = [];
  for (const hostile of archives) tried.push(await tryArchive(conditions, origin, hostile));
  conditions.note(
    `Hostile archives, each at an edge of its own that has answered before; its memory over what it had then, and how much of that is new. A tar leaves out what the directory alone gives away\n${formatSeen(tried.flatMap(({ seen }) => seen))}`,
  );
  return figuresOf(tried);
}

/** Everything that is asked of one archive, and how the edge is then. */
type Tried = { readonly seen: readonly Seen[]; readonly afterMs: number; readonly restMib: number };

async function tryArchive(conditions: Conditions, origin: Demo, hostile: Hostile): Promise<Tried> {
  await using scope = new AsyncDisposableStack();
  const { signal, say } = conditions;
  const { small } = await archivesOf(conditions);
  const edge = await startEdge(scope, origin);
  const good = urlsOf(edge.url, await addJob(origin, small)).entry(small.known.middle.name);
  await askWell(good, { signal });
  await sleep(REST_MS, undefined, { signal });
  const idle = await residentBytes(edge.pid);
  const urls = urlsOf(edge.url, await addJob(origin, hostile));
  const seen: Seen[] = [];
  for (const asked of hostile.asks) {
    const row = await see(conditions, { hostile, asked, urls, edge, idle });
    say(`${hostile.name}, ${wordsOf(asked)}: ${rowOf(row).slice(1).join(" | ")}`);
    seen.push(row);
  }
  const { ms: afterMs } = await askWell(good, { signal });
  return { seen, afterMs, restMib: ((await residentBytes(edge.pid)) - idle) / MIB };
}

async function makeHostile(conditions: Conditions): Promise<readonly Hostile[]> {
  const directory = join((await archivesOf(conditions)).directory, "hostile");
  await mkdir(directory);
  const options = { signal: conditions.signal, seconds: MAKE_S };
  const { stdout } = await runTool(
    "python3",
    ["-B", MAKER, directory, String(LIMITS.ZIP_ENTRIES.fallback)],
    options,
  );
  return JSON.parse(stdout) as Hostile[];
}

type Plan = {
  readonly hostile: Hostile;
  readonly asked: Asked;
  readonly urls: JobUrls;
  readonly edge: BenchEdge;
  readonly idle: number;
};

async function see({ signal }: Conditions, { hostile, asked, urls, edge, idle }: Plan): Promise<Seen> {
  const headers = { "Accept-Encoding": asked.gzip === true ? "gzip" : "identity" };
  const [before, held] = [await processSeconds(edge.pid), await residentBytes(edge.pid)];
  let answer: Answer | Error = new Error("Nothing was asked");
  let ms = Number.NaN;
  const peak = await peakDuring(edge.pid, async () => {
    const began = performance.now();
    answer = await ask(urlOf(urls, asked), { headers, signal }).catch((error: unknown) => asError(error));
    ms = performance.now() - began;
    await sleep(SETTLE_MS, undefined, { signal });
  });
  signal.throwIfAborted();
  const seen = answer as Answer | Error;
  const isWhole = !(seen instanceof Error) && seen.status === 200 && seen.isWhole;
  return {
    hostile,
    asked,
    outcome: outcomeOf(seen),
    isWrong: isWhole !== asked.isWhole,
    bytes: seen instanceof Error ? 0 : seen.bytes,
    ms,
    cpuS: (await processSeconds(edge.pid)) - before,
    peakMib: (peak - idle) / MIB,
    grewMib: (peak - held) / MIB,
  };
}

function urlOf(urls: JobUrls, { kind, entry = "" }: Asked): string {
  if (kind === "entry") return urls.entry(encodeURIComponent(entry));
  return kind === "tree" ? urls.tree : `${urls.archive}?format=tar`;
}

function asError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error), { cause: error });
}

function figuresOf(tried: readonly Tried[]): Figure[] {
  const all = tried.flatMap(({ seen }) => seen);
  const wrong = all.filter(({ isWrong }) => isWrong);
  const told = wrong.map(({ hostile, asked, outcome }) => `${hostile.name}, ${wordsOf(asked)}: ${outcome}`);
  const most = (values: readonly number[]) => Math.max(...values);
  return [
    {
      name: "artifacts.hostile.wrong",
      title: `Hostile archives: of ${all.length} answers, those that should be others`,
      unit: "",
      ours: wrong.length,
      target: { most: 0 },
      details: Object.fromEntries(told.map((text, index) => [String(index), text])),
    },
    {
      name: "artifacts.hostile.peak_mib",
      title: "Hostile archives: peak memory over idle, at most",
      unit: "MiB",
      ours: most(all.map(({ peakMib }) => peakMib)),
      target: { most: MOST_PEAK_MIB },
    },
    {
      name: "artifacts.hostile.rest_mib",
      title: "after it, at most",
      unit: "MiB",
      ours: most(tried.map(({ restMib }) => restMib)),
    },
    {
      name: "artifacts.hostile.after_ms",
      title: "a good entry after it, at most",
      unit: "ms",
      ours: most(tried.map(({ afterMs }) => afterMs)),
    },
    ...all.map(seenFigure),
  ];
}

function seenFigure({ hostile, asked, outcome, bytes, ms, cpuS, peakMib, grewMib }: Seen): Figure {
  const part = asked.kind === "entry" ? (asked.gzip === true ? "entry_gzip" : "entry") : asked.kind;
  return {
    name: `artifacts.hostile.${hostile.name}.${part}_ms`,
    title: `${hostile.title}: ${wordsOf(asked)}`,
    unit: "ms",
    ours: ms,
    isListedApart: true,
    details: { outcome, bytes, cpu_s: cpuS, peak_mib: peakMib, grew_mib: grewMib },
  };
}

function wordsOf({ kind, entry = "", gzip }: Asked): string {
  return kind === "entry" ? `${entry}${gzip === true ? " as gzip" : ""}` : kind;
}

function formatSeen(all: readonly Seen[]): string {
  const heading = [
    "archive: what was asked",
    "answer",
    "MiB sent",
    "ms",
    "CPU, s",
    "peak, MiB",
    "new, MiB",
    "",
  ];
  return formatColumns([heading, ...all.map(rowOf)]);
}

function rowOf({ hostile, asked, outcome, isWrong, bytes, ms, cpuS, peakMib, grewMib }: Seen): string[] {
  return [
    `${hostile.title} (${formatNumber(hostile.bytes / MIB)} MiB): ${wordsOf(asked)}`,
    outcome,
    ...[bytes / MIB, ms, cpuS, peakMib, grewMib].map(formatNumber),
    isWrong ? "wrong" : "",
  ];
}
