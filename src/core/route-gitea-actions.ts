import { canonicalQuery } from "./pipelines/list-query.ts";
import { PASS, type PipelinesResource, type PipelinesTarget, type Route } from "./target.ts";

/** Reads what follows `repos/:owner/:repo/actions/` in the API (Gitea, Forgejo: `routers/api/v1/repo/action.go`). */
export function routeGiteaActions(
  { project, scheme }: Pick<PipelinesTarget, "project" | "scheme">,
  rest: readonly string[],
  search: string,
): Route {
  const resource = rest.length === 1 ? readResource(rest[0]) : undefined;
  const query = resource && canonicalQuery("gitea", resource.kind, search);
  if (resource === undefined || query === undefined) return PASS;
  return { kind: "target", target: { lane: "pipelines", project, resource, query, scheme } };
}

function readResource(name: string | undefined): PipelinesResource | undefined {
  if (name === "runs") return { kind: "list" };
  return name === "tasks" ? { kind: "tasks" } : undefined;
}
