import { randomBytes } from "node:crypto";
import type { PipelineSource } from "../demo/pipelines/source.ts";
import { programsLack } from "../servers/programs.ts";
import { postgresLacks } from "../servers/postgres.ts";
import { runAb } from "./ab.ts";
import type { BenchEdge } from "./bench-edge.ts";
import type { Conditions, Figure } from "./figure.ts";
import { startPipelinesEdge } from "./pipelines-edge.ts";
import { startPipelinesTable, type PipelinesTable } from "./pipelines-table.ts";
import { readText } from "./raw-files.ts";
import { median, takeTurns } from "../measuring/rounds.ts";
import { formatNumber } from "../measuring/table.ts";

const PER_PAGE = 100;
const CONCURRENCY = 5;
const HEADERS = { "PRIVATE-TOKEN": "glpat-developer" };
/** What is quick is asked so many times as often, so that it lasts. */
const CACHED_FACTOR = 10;
const FULL = { pipelines: 1_000_000, requests: 1000, rounds: 5 };
const QUICK = { pipelines: 20_000, requests: 100, rounds: 1 };
const CONTROL_TOKEN = randomBytes(32).toString("hex");
const LEAST_SQL = 2;
const LEAST_CACHED = 20;
/** How many pipelines the forge has when it reads them from its memory. */
const IN_MEMORY = 1000;

/** One way to a list of pipelines, measured once: requests a second. */
type Way = { readonly name: string; readonly run: () => Promise<number> };

/** A page of pipelines rendered row by row by the origin, in SQL through the edge, and cached. */
export async function measureLists(conditions: Conditions): Promise<Figure[]> {
  const { say, isQuick } = conditions;
  const lack = (await programsLack(["ab"])) ?? (await postgresLacks());
  if (lack !== undefined) {
    say(`Not measured: ${lack}`);
    return [];
  }
  await using scope = new AsyncDisposableStack();
  const size = isQuick ? QUICK : FULL;
  const table = await startPipelinesTable(scope, size.pipelines);
  say(
    `${formatNumber(size.pipelines)} pipelines in PostgreSQL ${table.version}${table.isPooled ? "" : "; no pgbouncer to stand for Hyperdrive"}`,
  );
  const origin = table.demo.gitlab;
  const edgeWith = async (vars: Readonly<Record<string, unknown>>) =>
    await startPipelinesEdge(scope, { origin: origin.url, vars, database: table.reader });
  const cold = await edgeWith({ PIPELINES_FRESH_S: 0, CONTROL_TOKEN });
  const cached = await edgeWith({});
  const { signal } = conditions;
  const ask = async (base: string, requests: number, page = 1) =>
    (
      await runAb({
        url: listOf(base, table, page),
        headers: HEADERS,
        requests,
        concurrency: CONCURRENCY,
        signal,
      })
    ).requestsPerS;
  await compareLists(conditions, table, [cold, cached]);
  const ways: Way[] = [
    { name: "row by row", run: () => ask(origin.url, size.requests) },
    { name: "in SQL", run: () => askApart(conditions, table, cold, size.requests) },
    { name: "in SQL, one page for all", run: () => ask(cold.url, size.requests) },
    { name: "cached", run: () => ask(cached.url, size.requests * CACHED_FACTOR) },
    {
      name: "preloaded",
      run: () => readFrom(table, table.sources.preloading, () => ask(origin.url, size.requests)),
    },
    {
      name: "from the forge's memory",
      run: () => readFrom(table, origin.pipelines, () => ask(origin.url, size.requests)),
    },
  ];
  origin.pipelines.addMany(table.project, IN_MEMORY);
  for (const way of ways) await way.run();
  const { requests } = size;
  const apart = await madeEach(conditions, cold, {
    requests,
    work: () => askApart(conditions, table, cold, requests),
  });
  if (apart < 1) throw new Error(`The edge does not make each list of the database: ${apart} a request`);
  const shared = await madeEach(conditions, cold, { requests, work: () => ask(cold.url, requests) });
  const rounds = await takeTurns(
    size.rounds,
    ways.map((way) => async () => await sayRound(conditions, way)),
  );
  conditions.note(
    `\`ab -n ${size.requests} -c ${CONCURRENCY}\` (-n ${size.requests * CACHED_FACTOR} where it is cached) for ${PER_PAGE} of ${formatNumber(size.pipelines)} pipelines; medians of ${size.rounds}. "Row by row" the origin presents each row with statements of its own (2 + 6 a row), as an ORM without preloading does; GitLab's own list preloads, and spends its time in Ruby instead, which no demo has: "preloaded" is the same list with four statements. "In SQL" the edge keeps no list (PIPELINES_FRESH_S=0), and it is ${CONCURRENCY} times \`ab -c 1\`, for a page each, so that each request has a statement of its own. Where all ask for one page at once, those who come while it is made are given what was made last: ${shared.toFixed(2)} statements a request. ${table.isPooled ? "In place of Hyperdrive a PgBouncer lends connections" : "Without a PgBouncer in place of Hyperdrive, each statement costs a connection to PostgreSQL besides"}`,
  );
  return figuresOf(rounds);
}

function listOf(base: string, { project }: PipelinesTable, page: number): string {
  return `${base}/api/v4/projects/${project}/pipelines?per_page=${PER_PAGE}&page=${page}`;
}

/** Makes sure that the edges give the origin's list, or their speed would say nothing. */
async function compareLists(
  { signal }: Conditions,
  table: PipelinesTable,
  edges: readonly BenchEdge[],
): Promise<void> {
  const { gitlab } = table.demo;
  const read = async (base: string) =>
    JSON.stringify(JSON.parse(await readText(listOf(base, table, 1), HEADERS, signal)));
  for (const { url } of edges) {
    gitlab.externalUrl = url; // so that the addresses of pipelines are the same
    if ((await read(url)) !== (await read(gitlab.url)))
      throw new Error(`${url} has another list than its origin`);
  }
}

/** So many clients at once, each with a page of its own. */
async function askApart(
  { signal }: Conditions,
  table: PipelinesTable,
  { url }: BenchEdge,
  requests: number,
): Promise<number> {
  const began = performance.now();
  const each = Array.from({ length: CONCURRENCY }, async (_, index) => {
    const counts = { requests: requests / CONCURRENCY, concurrency: 1 };
    return await runAb({ url: listOf(url, table, index + 1), headers: HEADERS, ...counts, signal });
  });
  const asked = (await Promise.all(each)).reduce((sum, result) => sum + result.requests, 0);
  return (asked * 1000) / (performance.now() - began);
}

async function readFrom(
  { demo: { gitlab } }: PipelinesTable,
  other: PipelineSource,
  work: () => Promise<number>,
): Promise<number> {
  const source = gitlab.pipelineSource;
  gitlab.pipelineSource = other;
  try {
    return await work();
  } finally {
    gitlab.pipelineSource = source;
  }
}

/** How many lists the edge makes of the database for each request. */
async function madeEach(
  conditions: Conditions,
  { url }: BenchEdge,
  { requests, work }: { readonly requests: number; readonly work: () => Promise<unknown> },
): Promise<number> {
  const before = await countMade(conditions, url);
  await work();
  return ((await countMade(conditions, url)) - before) / requests;
}

async function countMade({ signal }: Conditions, url: string): Promise<number> {
  const headers = { Authorization: `Bearer ${CONTROL_TOKEN}` };
  const metrics = await readText(`${url}/-/forgefront/metrics`, headers, signal);
  return Number(/^forgefront_database_lists_total\{outcome="made"\} (\d+)$/m.exec(metrics)?.[1] ?? 0);
}

async function sayRound({ say }: Conditions, { name, run }: Way): Promise<number> {
  const requestsPerS = await run();
  say(`${name}: ${formatNumber(requestsPerS)} requests/s`);
  return requestsPerS;
}

function figuresOf(rounds: readonly (readonly number[])[]): Figure[] {
  const [rows = [], sql = [], shared = [], cached = [], preloaded = [], memory = []] = rounds;
  const figure = (part: string, title: string, ours: readonly number[], least?: number): Figure => ({
    name: `pipelines.lists.${part}`,
    title: `${title} / row by row at the origin`,
    unit: "requests/s",
    ours: median(ours),
    theirs: median(rows),
    rounds: { ours, theirs: rows },
    ...(least === undefined ? {} : { target: { least } }),
  });
  return [
    figure("sql", "A page in SQL", sql, LEAST_SQL),
    figure("sql_shared", "A page in SQL, one for all who ask at once", shared, LEAST_SQL),
    figure("cached", "A page cached", cached, LEAST_CACHED),
    figure("preloaded", "A page that the origin reads with few statements", preloaded),
    figure("memory", `A page of ${formatNumber(IN_MEMORY)} from the forge's memory`, memory),
  ];
}
