import { isProjectNumber } from "../core/project-number.ts";
import { COUNT_LIMIT } from "../core/offset-pagination.ts";
import { SOURCES } from "../core/pipelines/sources.ts";
import type { PipelinesTarget } from "../core/target.ts";
import { type Bind, conditions } from "./pipelines-conditions.ts";
import { type ListParameters, presentText, readListParameters } from "./pipelines-parameters.ts";

/** One statement; a value stands in it only by its number (`$1`). */
export type SqlQuery = { readonly text: string; readonly values: readonly (string | number)[] };

/** The one row that the query answers with. */
export type PipelinesRow = {
  /** Whether there is such a project. */
  readonly is_found: boolean;
  /** Whether GitLab's answer depends on a setting of its own, which no table tells. */
  readonly is_ambiguous: boolean;
  /** Whether every source has a name here. */
  readonly is_known: boolean;
  /** How many rows there are on all pages, up to one more than `COUNT_LIMIT`. */
  readonly total: number;
  /** How many there are on this page; one more than fit, where another page follows. */
  readonly rows: number;
  /** The JSON array. */
  readonly body: string;
};

export type PipelinesQuery =
  | { readonly kind: "query"; readonly query: SqlQuery; readonly parameters: ListParameters }
  /** The database alone cannot answer. */
  | { readonly kind: "unsupported" }
  /** There can be no such project. */
  | { readonly kind: "absent" };

const LARGEST_ID = 2n ** 63n - 1n;

/** The query that answers a list of a project's pipelines with the bytes GitLab sends; `address` is that of the site, without a slash at its end. */
export function pipelinesQuery(target: PipelinesTarget, address: string): PipelinesQuery {
  const parameters = target.resource.kind === "list" ? readListParameters(target.query) : undefined;
  if (parameters === undefined) return { kind: "unsupported" };
  const values: (string | number)[] = [];
  const bind: Bind = (value) => `$${values.push(value)}`;
  const project = findProject(target.project, bind);
  if (project === undefined) return { kind: "absent" };
  const filters = conditions(parameters, bind);
  if (filters === undefined) return { kind: "unsupported" };
  const text = statement({ project, filters, parameters, bind, address: bind(address) });
  return { kind: "query", query: { text, values }, parameters };
}

type Project = {
  /** Selects its id and its path, if there is one. */
  readonly select: string;
  /** Stands for its id. */
  readonly id: string;
};

/** By its number, or by its path, where the one in the very same case comes first (GitLab: `find_by_full_path`). */
function findProject(project: string, bind: Bind): Project | undefined {
  const isShown = "projects.pending_delete = false AND projects.hidden = false";
  const joined = `SELECT projects.id, routes.path FROM projects
    JOIN routes ON routes.source_type = 'Project' AND routes.source_id = projects.id WHERE ${isShown}`;
  if (isProjectNumber(project)) {
    if (BigInt(project) > LARGEST_ID) return undefined;
    const id = `${bind(project)}::bigint`;
    return { select: `${joined} AND projects.id = ${id}`, id };
  }
  if (!project.includes("/")) return undefined;
  const path = `${bind(project)}::text`;
  const select = `${joined} AND lower(routes.path) = lower(${path}) ORDER BY routes.path <> ${path} LIMIT 1`;
  return { select, id: FOUND_ID };
}

/** PostgreSQL plans without knowing which project that will be. */
const FOUND_ID = "(SELECT id FROM project)";

type Parts = {
  readonly project: Project;
  readonly filters: readonly string[];
  readonly parameters: ListParameters;
  readonly bind: Bind;
  readonly address: string;
};

/** Hyperdrive keeps answers for a minute, but none of a query whose functions change: thus the clock. */
function statement({ project, filters, parameters, bind, address }: Parts): string {
  const { page, perPage } = parameters;
  const isNamed = presentText(parameters, "name") !== undefined;
  const named = isNamed ? "JOIN ci_pipeline_metadata AS named ON named.pipeline_id = p.id" : "";
  const matching = `FROM p_ci_pipelines AS p ${named}
    WHERE ${[`p.project_id = ${project.id}`, ...filters].join(" AND ")}`;
  const size = `${bind(perPage)}::bigint`;
  return `
WITH project AS MATERIALIZED (${project.select}),
page AS MATERIALIZED (
  SELECT p.id, p.iid, p.project_id, p.sha, p.ref, p.status, p.source, p.created_at, p.updated_at, p.user_id
  ${matching}
  ORDER BY ${order(parameters)} LIMIT ${size} + 1 OFFSET ${bind((page - 1) * perPage)}::bigint
),
shown AS MATERIALIZED (SELECT * FROM page AS p ORDER BY ${order(parameters)} LIMIT ${size})
SELECT
  EXISTS (SELECT FROM project) AS is_found,
  ${ambiguity(project, parameters, bind)} AS is_ambiguous,
  (SELECT count(*)::integer FROM (SELECT ${matching} ${countOrder(project, parameters)} LIMIT ${COUNT_LIMIT + 1}) AS counted) AS total,
  (SELECT count(*)::integer FROM page) AS rows,
  listed.is_known,
  ${escaped("listed.items")} AS body,
  clock_timestamp()::text AS at
FROM (
  SELECT
    '[' || coalesce(string_agg(row_to_json(item)::text, ',' ORDER BY ${order(parameters)}), '') || ']' AS items,
    coalesce(bool_and(p.source IS NULL OR item.source IS NOT NULL), true) AS is_known
  FROM shown AS p
  CROSS JOIN project
  LEFT JOIN ci_pipeline_metadata AS metadata ON metadata.pipeline_id = p.id
  CROSS JOIN LATERAL (
    SELECT p.id, p.iid, p.project_id, p.sha, p.ref, p.status, ${sourceName()} AS source,
      ${instant("p.created_at")} AS created_at, ${instant("p.updated_at")} AS updated_at,
      ${address}::text || '/' || project.path || '/-/pipelines/' || p.id AS web_url, metadata.name
  ) AS item
) AS listed`;
}

/** Rows that are equal come by their id: GitLab leaves their order to chance, and an order that changes would be a change of the list. */
function order({ order: column, direction }: ListParameters): string {
  return column === "id" ? `p.id ${direction}` : `p.${column} ${direction}, p.id ${direction}`;
}

/**
 * What is counted has no order. But for a project that is not known yet PostgreSQL takes few rows for granted, and gathers all of an index
 * before it counts the first; where nothing else narrows them, there is an index that has them in order.
 */
function countOrder(project: Project, { texts }: ListParameters): string {
  const isPlain = [...texts.keys()].every((name) => UNFILTERED.has(name));
  return isPlain && project.id === FOUND_ID ? "ORDER BY p.id DESC" : "";
}

const UNFILTERED = new Set(["ref", "page", "per_page", "order_by", "sort"]);

/**
 * A branch may stand for pipelines of its merge requests too, or may not, by a feature flag (GitLab 17.11:
 * `include_reserved_refs_in_pipeline_refs_filter`).
 */
function ambiguity(project: Project, parameters: ListParameters, bind: Bind): string {
  const ref = presentText(parameters, "ref");
  const source = presentText(parameters, "source") ?? "merge_request_event";
  if (ref === undefined || source !== "merge_request_event") return "false";
  return `EXISTS (
    SELECT FROM merge_requests
    CROSS JOIN (VALUES ('head'), ('merge'), ('train')) AS reserved (kind)
    JOIN p_ci_pipelines AS p ON p.project_id = merge_requests.source_project_id
      AND p.ref = 'refs/merge-requests/' || merge_requests.iid || '/' || reserved.kind
    WHERE merge_requests.source_project_id = ${project.id}
      AND merge_requests.source_branch = ${bind(ref)}::text
  )`;
}

function sourceName(): string {
  const names = SOURCES.map((name) => `'${name}'`).join(", ");
  return `CASE WHEN p.source IS NULL THEN 'unknown' ELSE (ARRAY[${names}])[p.source] END`;
}

/** As Rails writes a time: in UTC, with three digits of a second, the rest cut off. */
function instant(column: string): string {
  return `to_char(${column}, 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
}

/** Rails lets no text of JSON be taken for HTML, or for the end of a line of JavaScript; outside of texts there are no such characters. */
function escaped(json: string): string {
  const replacements = [
    ["'&'", String.raw`'\u0026'`],
    ["'<'", String.raw`'\u003c'`],
    ["'>'", String.raw`'\u003e'`],
    ["chr(8232)", String.raw`'\u2028'`],
    ["chr(8233)", String.raw`'\u2029'`],
  ] as const;
  return replacements.reduce(
    (text, [character, escape]) => `replace(${text}, ${character}, ${escape})`,
    json,
  );
}
