import type { Project } from "../gate.ts";
import { DEFAULT_PAGE_SIZE, pageRequest } from "./pagination.ts";
import type { Declarations, ParameterValue } from "./parameters.ts";
import { PIPELINE_ORDERS, PIPELINE_SOURCES, PIPELINE_STATUSES } from "./source.ts";
import type { PipelineFilter, PipelineOrder, PipelineQuery, PipelineScope } from "./source.ts";

const PAGINATION: Declarations = {
  page: { type: "integer", default: "1" },
  per_page: { type: "integer", default: String(DEFAULT_PAGE_SIZE), except: 0 },
};

/** The parameters of a list of pipelines, in the order in which GitLab finds fault with them. */
export const LIST_PARAMETERS: Declarations = {
  ...PAGINATION,
  scope: { type: "text", values: ["running", "pending", "finished", "branches", "tags"] },
  status: { type: "text", values: PIPELINE_STATUSES },
  ref: { type: "text" },
  sha: { type: "text" },
  yaml_errors: { type: "boolean" },
  username: { type: "text" },
  updated_before: { type: "time" },
  updated_after: { type: "time" },
  created_before: { type: "time" },
  created_after: { type: "time" },
  order_by: { type: "text", values: PIPELINE_ORDERS, default: "id" },
  sort: { type: "text", values: ["asc", "desc"], default: "desc" },
  source: { type: "text", values: PIPELINE_SOURCES },
  name: { type: "text" },
};

/** The parameters of a list of a pipeline's jobs; `pipeline_id` comes from the path. */
export const JOB_PARAMETERS: Declarations = {
  pipeline_id: { type: "integer" },
  include_retried: { type: "boolean", default: "false" },
  scope: { type: "texts", values: PIPELINE_STATUSES },
  ...PAGINATION,
};

type Values = (name: string) => ParameterValue | undefined;

/** What a list of pipelines has to be asked of a source, for parameters that were found valid. */
export async function listQuery(
  project: Project,
  value: Values,
  withoutIds: readonly number[],
): Promise<PipelineQuery> {
  return {
    projectId: project.id,
    filter: { ...filterOf(value), ...(await scopeOf(project, value("scope"))), withoutIds },
    orderBy: value("order_by") as PipelineOrder,
    sort: value("sort") === "asc" ? "asc" : "desc",
    ...pageRequest(value("page"), value("per_page")),
  };
}

function filterOf(value: Values): PipelineFilter {
  // A text with nothing but white space in it asks for nothing (`present?` of Rails)
  const of = (name: string) => {
    const one = value(name);
    return typeof one === "string" && /^\p{White_Space}*$/u.test(one) ? undefined : one;
  };
  const given = {
    status: of("status"),
    ref: of("ref"),
    sha: of("sha"),
    source: of("source"),
    name: of("name"),
    username: of("username"),
    yamlErrors: of("yaml_errors"),
    updatedAfter: of("updated_after"),
    updatedBefore: of("updated_before"),
    createdAfter: of("created_after"),
    createdBefore: of("created_before"),
  } satisfies Partial<Record<keyof PipelineFilter, unknown>>;
  // The declarations above have seen to the types.
  return Object.fromEntries(Object.entries(given).filter(([, one]) => one !== undefined)) as PipelineFilter;
}

async function scopeOf(
  project: Project,
  scope: ParameterValue | undefined,
): Promise<{ readonly scope?: PipelineScope }> {
  switch (scope) {
    case "running":
    case "pending":
    case "finished":
      return { scope: { kind: scope } };
    case "branches":
    case "tags":
      return { scope: { kind: scope, refs: await refNames(project, scope === "tags" ? "tags" : "heads") } };
    default:
      return {};
  }
}

async function refNames({ repository }: Project, namespace: "heads" | "tags"): Promise<string[]> {
  const { git, directory } = repository;
  const output = await git.run([
    "-C",
    directory,
    "for-each-ref",
    "--format=%(refname:strip=2)",
    `refs/${namespace}`,
  ]);
  return output.split("\n").filter((name) => name !== "");
}
