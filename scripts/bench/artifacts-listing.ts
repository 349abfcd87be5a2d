import type { Demo } from "../demo/demo.ts";
import { archivesOf, MANY_DIRECTORY } from "./artifacts-archives.ts";
import { askWell } from "./artifacts-answer.ts";
import { addJob, startEdge, startOrigin, urlsOf, type JobUrls } from "./artifacts-scene.ts";
import type { BenchEdge } from "./bench-edge.ts";
import { processSeconds } from "../measuring/cores.ts";
import type { Conditions, Figure } from "./figure.ts";
import { median } from "../measuring/rounds.ts";
import { formatColumns, formatNumber } from "../measuring/table.ts";

const KIB = 1024;
/** With no room for directories in memory each request finds its archive's in the colo, as a new isolate does. */
const FORGETFUL = { DIRECTORIES_BYTES: 0 };
const COUNTS = { again: 30, fromColo: 10, further: 3 };
const QUICK_COUNTS = { again: 5, fromColo: 3, further: 1 };

type Page = { readonly name: string; readonly title: string; readonly url: (urls: JobUrls) => string };

const PAGES: readonly Page[] = [
  { name: "tree", title: "tree, recursive, first 100", url: ({ tree }) => tree },
  { name: "root", title: "page of the root", url: ({ browse }) => browse("") },
  { name: "many", title: `page of ${MANY_DIRECTORY}`, url: ({ browse }) => browse(MANY_DIRECTORY) },
];

/** Milliseconds until the listing was there, and those of workerd's processors. */
type Cost = { readonly ms: number; readonly cpuMs: number };

type Measured = {
  readonly page: Page;
  readonly bytes: number;
  /** The first answer of a new edge, which knows nothing yet and has run nothing. */
  readonly first: Cost;
  readonly second: Cost;
  readonly again: Cost;
  /** Another archive, of which nothing is known, at an edge that has run before. */
  readonly further: Cost;
  readonly fromColo: Cost;
  readonly firstRequests: number;
};

/** How soon a directory of many entries is listed: at first, again, and where only the colo knows it. */
export async function measureListing(conditions: Conditions): Promise<Figure[]> {
  await using scope = new AsyncDisposableStack();
  const { many } = await archivesOf(conditions);
  const origin = await startOrigin(scope);
  const measured: Measured[] = [];
  for (const page of PAGES) measured.push(await measurePage(conditions, origin, page));
  conditions.note(
    `Listing an archive with ${formatNumber(many.entries)} entries, whose directory has ${formatNumber(many.directoryBytes / KIB)} KiB, in ms, and below it those of workerd's processors; "colo" is an edge that keeps no directories in memory\n${formatPages(measured)}`,
  );
  return measured.flatMap(figuresOf);
}

async function measurePage(conditions: Conditions, origin: Demo, page: Page): Promise<Measured> {
  await using scope = new AsyncDisposableStack();
  const { many } = await archivesOf(conditions);
  const counts = conditions.isQuick ? QUICK_COUNTS : COUNTS;
  const edge = await startEdge(scope, origin);
  const list = async (at: BenchEdge, job: number, times = 1) =>
    await costOf(conditions, at, page.url(urlsOf(at.url, job)), times);
  const job = await addJob(origin, many);
  origin.gitlab.resetCounts();
  const first = await list(edge, job);
  const firstRequests = origin.gitlab.counts().total;
  const second = await list(edge, job);
  const again = await list(edge, job, counts.again);
  const { bytes } = await askWell(page.url(urlsOf(edge.url, job)), conditions);
  const further = [];
  while (further.length < counts.further) further.push(await list(edge, await addJob(origin, many)));
  const forgetful = await startEdge(scope, origin, FORGETFUL);
  await list(forgetful, job);
  const fromColo = await list(forgetful, job, counts.fromColo);
  const measured = { page, bytes, first, second, again, further: middleOf(further), fromColo, firstRequests };
  conditions.say(
    rowsOf(measured)
      .map((row) => row.join(" | "))
      .join("; "),
  );
  return measured;
}

/** The median of the time of some requests, one after the other, and the mean of the processors' time. */
async function costOf({ signal }: Conditions, { pid }: BenchEdge, url: string, times: number): Promise<Cost> {
  const before = await processSeconds(pid);
  const answers = [];
  while (answers.length < times) answers.push(await askWell(url, { signal }));
  const cpuMs = (((await processSeconds(pid)) - before) * 1000) / times;
  return { ms: median(answers.map(({ ms }) => ms)), cpuMs };
}

function middleOf(costs: readonly Cost[]): Cost {
  return { ms: median(costs.map(({ ms }) => ms)), cpuMs: median(costs.map(({ cpuMs }) => cpuMs)) };
}

function figuresOf({
  page,
  bytes,
  first,
  second,
  again,
  further,
  fromColo,
  firstRequests,
}: Measured): Figure[] {
  const { name, title } = page;
  const costs = { first, second, again, further, fromColo };
  const cpu = Object.entries(costs).map(([part, { cpuMs }]) => [`${part}_cpu_ms`, cpuMs] as const);
  return [
    {
      name: `artifacts.listing.${name}.first_ms`,
      title: `Listing, ${title}: first`,
      unit: "ms",
      ours: first.ms,
      details: { ...Object.fromEntries(cpu), bytes, requests: firstRequests, second_ms: second.ms },
    },
    { name: `artifacts.listing.${name}.again_ms`, title: "again", unit: "ms", ours: again.ms },
    { name: `artifacts.listing.${name}.colo_ms`, title: "from the colo", unit: "ms", ours: fromColo.ms },
    {
      name: `artifacts.listing.${name}.further_ms`,
      title: "another archive's, first",
      unit: "ms",
      ours: further.ms,
    },
  ];
}

function formatPages(measured: readonly Measured[]): string {
  const heading = ["listing", "KiB", "asked", "first", "second", "again", "another archive", "colo"];
  return formatColumns([heading, ...measured.flatMap(rowsOf)]);
}

function rowsOf({ page, bytes, firstRequests, ...costs }: Measured): string[][] {
  const { first, second, again, further, fromColo } = costs;
  const all = [first, second, again, further, fromColo];
  return [
    [page.title, formatNumber(bytes / KIB), String(firstRequests), ...all.map(({ ms }) => formatNumber(ms))],
    ["  processors", "", "", ...all.map(({ cpuMs }) => formatNumber(cpuMs))],
  ];
}
