import type { ISql } from "postgres";
import { pipelineRow, type StoredPipeline } from "./postgres-rows.ts";
import type { PipelineRow } from "./source.ts";

/** How many statements a row costs. */
export const STATEMENTS_PER_ROW = 6;

/**
 * Reads each pipeline of a page by itself, one statement after the other: its row, its name, its user, and the project, the
 * route and the namespace that its address is made of. So does an ORM where nobody told it to preload, and that does not
 * remember what it has just read for the row before. GitLab's own list is not like that: see `createPostgresPipelines`.
 */
export async function readRowByRow(sql: ISql, ids: readonly number[]): Promise<PipelineRow[]> {
  const rows: PipelineRow[] = [];
  for (const id of ids) rows.push(await readRow(sql, id));
  return rows;
}

async function readRow(sql: ISql, id: number): Promise<PipelineRow> {
  const stored = await one<StoredPipeline>(sql`SELECT * FROM p_ci_pipelines WHERE id = ${id} LIMIT 1`);
  const [metadata] = await sql<{ name: string | null }[]>`
    SELECT * FROM ci_pipeline_metadata WHERE pipeline_id = ${id} LIMIT 1`;
  const [user] = await sql<{ username: string }[]>`SELECT * FROM users WHERE id = ${stored.user_id} LIMIT 1`;
  const project = await one<{ namespace_id: number }>(
    sql`SELECT * FROM projects WHERE id = ${stored.project_id} LIMIT 1`,
  );
  await one(
    sql`SELECT * FROM routes WHERE source_id = ${stored.project_id} AND source_type = 'Project' LIMIT 1`,
  );
  await one(sql`SELECT * FROM namespaces WHERE id = ${project.namespace_id} LIMIT 1`);
  return pipelineRow(stored, { name: metadata?.name ?? undefined, username: user?.username });
}

async function one<Row>(query: PromiseLike<readonly object[]>): Promise<Row> {
  const [row] = await query;
  if (row === undefined) throw new Error("A pipeline of a page has lost what belongs to it");
  return row as Row;
}
