import { FINISHED_STATUSES } from "./source.ts";
import type { PipelineFilter, PipelineOrder, PipelineQuery, PipelineRow } from "./source.ts";

/** The pipelines of a project that a filter leaves, in the order asked for; what `Ci::PipelinesFinder` of GitLab selects. */
export function selectPipelines(
  rows: readonly PipelineRow[],
  { filter, orderBy, sort }: Pick<PipelineQuery, "filter" | "orderBy" | "sort">,
): PipelineRow[] {
  const hidden = new Set(filter.withoutIds);
  const shown = rows.filter((row) => !hidden.has(row.id) && isShown(row, filter));
  const direction = sort === "asc" ? 1 : -1;
  return byScope(shown, filter)
    .filter((row) => matches(row, filter))
    .toSorted((a, b) => direction * (compare(a, b, orderBy) || a.id - b.id));
}

/** GitLab leaves children out by a comparison, which says nothing of a pipeline that has no source (`Ci::Pipeline.no_child`). */
function isShown(row: PipelineRow, filter: PipelineFilter): boolean {
  if (row.source === "unknown") return false;
  return row.source !== "parent_pipeline" || filter.source === "parent_pipeline";
}

function byScope(rows: readonly PipelineRow[], { scope }: PipelineFilter): readonly PipelineRow[] {
  if (scope === undefined) return rows;
  if (scope.kind === "finished") return rows.filter((row) => FINISHED_STATUSES.includes(row.status));
  if (scope.kind === "running" || scope.kind === "pending")
    return rows.filter((row) => row.status === scope.kind);
  const { refs } = scope;
  const isTag = scope.kind === "tags";
  const newest = new Map<string, PipelineRow>();
  for (const row of rows) {
    if (row.tag === isTag && row.id > (newest.get(row.ref)?.id ?? 0)) newest.set(row.ref, row);
  }
  return [...new Set(refs)].flatMap((ref) => newest.get(ref) ?? []);
}

function matches(row: PipelineRow, filter: PipelineFilter): boolean {
  const { status, ref, sha, source, name, username, yamlErrors } = filter;
  return (
    (status === undefined || row.status === status) &&
    (ref === undefined || row.ref === ref) &&
    (sha === undefined || row.sha === sha) &&
    (source === undefined || row.source === source) &&
    (name === undefined || row.name === name) &&
    (username === undefined || row.username.toLowerCase() === username.toLowerCase()) &&
    (yamlErrors === undefined || (row.yamlErrors !== undefined) === yamlErrors) &&
    isWithin(row.updatedAt, filter.updatedAfter, filter.updatedBefore) &&
    isBetween(row.createdAt, filter.createdAfter, filter.createdBefore)
  );
}

function isWithin(instant: Date, after: Date | undefined, before: Date | undefined): boolean {
  return (after === undefined || instant >= after) && (before === undefined || instant <= before);
}

function isBetween(instant: Date, after: Date | undefined, before: Date | undefined): boolean {
  return (after === undefined || instant > after) && (before === undefined || instant < before);
}

function compare(a: PipelineRow, b: PipelineRow, order: PipelineOrder): number {
  switch (order) {
    case "id":
      return a.id - b.id;
    case "user_id":
      return a.userId - b.userId;
    case "updated_at":
      return a.updatedAt.getTime() - b.updatedAt.getTime();
    case "ref":
    case "status":
      return Buffer.compare(Buffer.from(a[order]), Buffer.from(b[order]));
  }
}
