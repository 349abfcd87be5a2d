import postgres from "postgres";
import type { ISql, Sql } from "postgres";
import { fromPipelines, orderOf } from "./postgres-filter.ts";
import { readRowByRow } from "./postgres-row-by-row.ts";
import { jobRow, pipelineRow } from "./postgres-rows.ts";
import type { PipelineExtras, StoredJob, StoredPipeline } from "./postgres-rows.ts";
import { COUNT_LIMIT } from "./source.ts";
import type { JobQuery, Page, PageRequest, PipelineQuery, PipelineRow, PipelineSource } from "./source.ts";

/** Pipelines of GitLab's own tables. */
export interface PostgresPipelines extends PipelineSource {
  /** How many statements were sent, but for those that begin and end a transaction. */
  readonly statements: number;
  close(): Promise<void>;
}

export interface PostgresPipelinesOptions {
  /**
   * `per list`: as many statements for a list as GitLab's own takes, however long it is. `per row`: each row of the page is
   * read with statements of its own, as where nothing is preloaded; what GitLab would be without the work that went into its list.
   */
  readonly statements?: "per list" | "per row";
}

const CONNECTIONS = 10;

/**
 * Reads pipelines as Rails does. For a list that is one statement to count, up to one more than 10,000; one for the rows of
 * the page, with all their columns; one for the names of those rows and one for their users. There is none for each row: GitLab has seen
 * to that (`preload_pipeline_metadata`, and the project is the one that was asked for). What is done for each row is to make an
 * object of it, from which whoever shows it makes an entity, and of that JSON.
 *
 * GitLab's own list does without the users; who a pipeline belongs to is a part of `PipelineRow`.
 */
export function createPostgresPipelines(
  url: string,
  { statements = "per list" }: PostgresPipelinesOptions = {},
): PostgresPipelines {
  const readList = statements === "per row" ? readListByRows : readListAtOnce;
  const sent = { count: 0 };
  const sql = postgres(url, {
    max: CONNECTIONS,
    types: { bigint: BIGINT, timestamp: TIMESTAMP },
    debug: (_connection, statement) => {
      if (/^\s*SELECT/.test(statement)) sent.count += 1;
    },
  }) as unknown as Sql;
  /** One snapshot for all of an answer. */
  const read = async <T>(work: (snapshot: ISql) => Promise<T>): Promise<T> =>
    (await sql.begin("ISOLATION LEVEL REPEATABLE READ READ ONLY", work)) as T;
  return {
    get statements() {
      return sent.count;
    },
    list: async (query) => await read(async (snapshot) => await readList(snapshot, query)),
    find: async (projectId, id) =>
      await read(async (snapshot) => {
        const rows = await snapshot<StoredPipeline[]>`
          SELECT * FROM p_ci_pipelines AS p WHERE p.project_id = ${projectId} AND p.id = ${id}`;
        return await readAlone(snapshot, rows);
      }),
    latest: async (projectId, ref, sha) =>
      await read(async (snapshot) => {
        const query = { projectId, filter: { ref, sha } };
        const rows = await snapshot<StoredPipeline[]>`
          SELECT p.* ${fromPipelines(snapshot, query)} ORDER BY p.id DESC LIMIT 1`;
        return await readAlone(snapshot, rows);
      }),
    jobs: async (query) => await read(async (snapshot) => await readJobs(snapshot, query)),
    close: async () => await sql.end({ timeout: 1 }),
  };
}

async function readListAtOnce(sql: ISql, query: PipelineQuery): Promise<Page<PipelineRow>> {
  const total = await count(sql, fromPipelines(sql, query));
  const stored = await sql<StoredPipeline[]>`
    SELECT p.* ${fromPipelines(sql, query)} ${orderOf(sql, query)} ${limit(sql, query, total)}`;
  const rows = stored.slice(0, query.perPage);
  const extras = await readExtras(sql, rows);
  return page(
    query,
    total,
    stored.map((row) => pipelineRow(row, extras(row))),
  );
}

async function readListByRows(sql: ISql, query: PipelineQuery): Promise<Page<PipelineRow>> {
  const total = await count(sql, fromPipelines(sql, query));
  const stored = await sql<{ id: number }[]>`
    SELECT p.id ${fromPipelines(sql, query)} ${orderOf(sql, query)} ${limit(sql, query, total)}`;
  const found = page(query, total, stored);
  return {
    ...found,
    rows: await readRowByRow(
      sql,
      found.rows.map(({ id }) => id),
    ),
  };
}

async function readJobs(sql: ISql, query: JobQuery): Promise<Page<ReturnType<typeof jobRow>>> {
  const { projectId, pipelineId, scope, includeRetried } = query;
  const from = sql`FROM p_ci_builds AS builds WHERE builds.project_id = ${projectId}
    AND builds.commit_id = ${pipelineId} AND builds.type = 'Ci::Build'
    ${scope === undefined ? sql`` : sql`AND builds.status = ANY (${[...scope]}::text[])`}
    ${includeRetried ? sql`` : sql`AND builds.retried IS NOT TRUE`}`;
  const total = await count(sql, from);
  const stored = await sql<StoredJob[]>`
    SELECT builds.*, stages.name AS stage, users.username
    FROM (SELECT builds.* ${from} ORDER BY builds.id DESC ${limit(sql, query, total)}) AS builds
    LEFT JOIN p_ci_stages AS stages ON stages.id = builds.stage_id
    LEFT JOIN users ON users.id = builds.user_id
    ORDER BY builds.id DESC`;
  return page(query, total, stored.map(jobRow));
}

/** Undefined above the limit. */
async function count(sql: ISql, from: postgres.Fragment): Promise<number | undefined> {
  const [row] = await sql<{ count: number }[]>`
    SELECT count(*)::integer AS count FROM (SELECT 1 ${from} LIMIT ${COUNT_LIMIT + 1}) AS counted`;
  const total = row?.count ?? 0;
  return total > COUNT_LIMIT ? undefined : total;
}

/** Where nothing was counted, one row more tells whether another page follows (Kaminari: `without_count`). */
function limit(
  sql: ISql,
  { page: number, perPage }: PageRequest,
  total: number | undefined,
): postgres.Fragment {
  return sql`LIMIT ${total === undefined ? perPage + 1 : perPage} OFFSET ${(number - 1) * perPage}`;
}

function page<Row>(
  { page: number, perPage }: PageRequest,
  total: number | undefined,
  rows: readonly Row[],
): Page<Row> {
  const hasNext = total === undefined ? rows.length > perPage : total > number * perPage;
  return { rows: rows.slice(0, perPage), total, hasNext };
}

async function readExtras(
  sql: ISql,
  rows: readonly StoredPipeline[],
): Promise<(row: StoredPipeline) => PipelineExtras> {
  if (rows.length === 0) return () => ({ name: undefined, username: undefined });
  const ids = rows.map((row) => row.id);
  const named = await sql<{ pipeline_id: number; name: string | null }[]>`
    SELECT pipeline_id, name FROM ci_pipeline_metadata WHERE pipeline_id = ANY (${ids}::bigint[])`;
  const users = await sql<{ id: number; username: string }[]>`
    SELECT id, username FROM users WHERE id = ANY (${[...new Set(rows.map((row) => row.user_id))]}::bigint[])`;
  const names = new Map(named.map((row) => [row.pipeline_id, row.name ?? undefined]));
  const usernames = new Map(users.map((row) => [row.id, row.username]));
  return (row) => ({ name: names.get(row.id), username: usernames.get(row.user_id) });
}

/** The first of some rows, with the average coverage of its jobs. */
async function readAlone(sql: ISql, rows: readonly StoredPipeline[]): Promise<PipelineRow | undefined> {
  const [row] = rows;
  if (row === undefined) return undefined;
  const extras = await readExtras(sql, [row]);
  const [covered] = await sql<{ coverage: number | null }[]>`
    SELECT avg(coverage) AS coverage FROM p_ci_builds
    WHERE commit_id = ${row.id} AND type = 'Ci::Build' AND retried IS NOT TRUE`;
  return pipelineRow(row, { ...extras(row), coverage: covered?.coverage ?? undefined });
}

/** An id is far from what a number cannot hold. */
const BIGINT = { to: 20, from: [20], serialize: String, parse: Number };

/** A time without a zone is one of UTC; what is finer than a millisecond is cut off. */
const TIMESTAMP = {
  to: 1114,
  from: [1114],
  serialize: (date: Date) => date.toISOString(),
  parse: (text: string) => new Date(`${text.replace(" ", "T").slice(0, "2024-01-01T00:00:00.000".length)}Z`),
};
