import { canonicalQuery } from "./pipelines/list-query.ts";
import { PASS, type PipelinesResource, type PipelinesTarget, type Route } from "./target.ts";

const PIPELINE_NUMBER = /^[1-9]\d{0,17}$/;

/** Reads what follows `projects/:id/pipelines` in the API (GitLab: "Pipelines API", "Jobs API"). */
export function routeGitlabPipelines(
  { project, scheme }: Pick<PipelinesTarget, "project" | "scheme">,
  rest: readonly string[],
  search: string,
): Route {
  const resource = readResource(rest);
  const query = resource && canonicalQuery("gitlab", resource.kind, search);
  if (resource === undefined || query === undefined) return PASS;
  return { kind: "target", target: { lane: "pipelines", project, resource, query, scheme } };
}

function readResource([id, part, ...more]: readonly string[]): PipelinesResource | undefined {
  if (id === undefined) return { kind: "list" };
  if (id === "latest" && part === undefined) return { kind: "latest" };
  if (!PIPELINE_NUMBER.test(id) || more.length > 0) return undefined;
  if (part === undefined) return { kind: "pipeline", id };
  return part === "jobs" ? { kind: "jobs", pipeline: id } : undefined;
}
