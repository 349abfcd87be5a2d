import type { Fragment, ISql } from "postgres";
import { sourceNumber } from "./postgres-rows.ts";
import { FINISHED_STATUSES } from "./source.ts";
import type { PipelineFilter, PipelineQuery } from "./source.ts";

/** The pipelines of a project that a filter leaves, as `p` (GitLab: `Ci::PipelinesFinder`); what stands before comes after `SELECT`. */
export function fromPipelines(
  sql: ISql,
  { projectId, filter }: Pick<PipelineQuery, "projectId" | "filter">,
): Fragment {
  const named =
    filter.name === undefined ? sql`` : sql`JOIN ci_pipeline_metadata AS named ON named.pipeline_id = p.id`;
  return sql`FROM ${pipelinesInScope(sql, projectId, filter)} ${named}
    WHERE ${allOf(sql, [...shown(sql, projectId, filter), ...matching(sql, filter)])}`;
}

/** By the order asked for, and by the id where that says nothing. */
export function orderOf(sql: ISql, { orderBy, sort }: Pick<PipelineQuery, "orderBy" | "sort">): Fragment {
  const direction = sort === "asc" ? sql`ASC` : sql`DESC`;
  return sql`ORDER BY p.${sql(orderBy)} ${direction}, p.id ${direction}`;
}

/** For `branches` and `tags` the newest pipeline of each, which are looked up one after the other. */
function pipelinesInScope(sql: ISql, projectId: number, filter: PipelineFilter): Fragment {
  const { scope } = filter;
  if (scope === undefined || !("refs" in scope)) return sql`p_ci_pipelines AS p`;
  return sql`unnest(${[...new Set(scope.refs)]}::text[]) AS refs (ref), LATERAL (
    SELECT p.* FROM p_ci_pipelines AS p
    WHERE ${allOf(sql, shown(sql, projectId, filter))} AND p.ref = refs.ref AND p.tag = ${scope.kind === "tags"}
    ORDER BY p.id DESC LIMIT 1
  ) AS p`;
}

function shown(sql: ISql, projectId: number, { source, withoutIds = [] }: PipelineFilter): Fragment[] {
  return [
    sql`p.project_id = ${projectId}`,
    ...(source === "parent_pipeline" ? [] : [sql`p.source <> ${sourceNumber("parent_pipeline")}`]),
    ...(withoutIds.length === 0 ? [] : [sql`p.id <> ALL (${[...withoutIds]}::bigint[])`]),
  ];
}

function matching(sql: ISql, filter: PipelineFilter): Fragment[] {
  const { scope, status, ref, sha, yamlErrors, username, source, name } = filter;
  const { updatedAfter, updatedBefore, createdAfter, createdBefore } = filter;
  const found: (Fragment | undefined)[] = [
    scope?.kind === "finished" ? sql`p.status IN ${sql([...FINISHED_STATUSES])}` : undefined,
    scope?.kind === "running" || scope?.kind === "pending" ? sql`p.status = ${scope.kind}` : undefined,
    status && sql`p.status = ${status}`,
    ref && sql`p.ref = ${ref}`,
    sha && sql`p.sha = ${sha}`,
    yamlErrors === true ? sql`p.yaml_errors IS NOT NULL` : undefined,
    yamlErrors === false ? sql`p.yaml_errors IS NULL` : undefined,
    username &&
      sql`p.user_id = (SELECT users.id FROM users WHERE lower(users.username) = lower(${username}) LIMIT 1)`,
    source === "unknown" ? sql`p.source IS NULL` : undefined,
    source && source !== "unknown" ? sql`p.source = ${sourceNumber(source)}` : undefined,
    name && sql`named.name = ${name}`,
    updatedAfter && sql`p.updated_at >= ${updatedAfter.toISOString()}::text::timestamp`,
    updatedBefore && sql`p.updated_at <= ${updatedBefore.toISOString()}::text::timestamp`,
    // Of these two GitLab leaves out the instant itself (`Ci::Pipeline.created_after`).
    createdAfter && sql`p.created_at > ${createdAfter.toISOString()}::text::timestamp`,
    createdBefore && sql`p.created_at < ${createdBefore.toISOString()}::text::timestamp`,
  ] as (Fragment | undefined)[];
  return found.filter((fragment) => fragment !== undefined);
}

function allOf(sql: ISql, conditions: readonly Fragment[]): Fragment {
  return conditions.reduce((all, condition) => sql`${all} AND ${condition}`, sql`true`);
}
