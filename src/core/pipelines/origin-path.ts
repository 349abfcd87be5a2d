import { encodePath } from "../request-path.ts";
import type { ForgeKind } from "../site.ts";
import type { PipelinesResource, PipelinesTarget } from "../target.ts";

/** The path and query by which the origin is asked; routed, it is the same target again. Throws on what the forge has not. */
export function pipelinesPath(kind: ForgeKind, { project, resource, query }: PipelinesTarget): string {
  const path =
    kind === "gitlab"
      ? `/api/v4/projects/${encodeURIComponent(project)}/pipelines${gitlabPart(resource)}`
      : `/api/v1/repos/${encodePath(project)}/actions/${giteaPart(resource)}`;
  return query === "" ? path : `${path}?${query}`;
}

function gitlabPart(resource: PipelinesResource): string {
  if (resource.kind === "list") return "";
  if (resource.kind === "latest") return "/latest";
  if (resource.kind === "pipeline") return `/${resource.id}`;
  if (resource.kind === "jobs") return `/${resource.pipeline}/jobs`;
  throw new TypeError(`GitLab has no ${resource.kind} of a project`);
}

function giteaPart({ kind }: PipelinesResource): string {
  if (kind === "list") return "runs";
  if (kind === "tasks") return "tasks";
  throw new TypeError(`Gitea has no ${kind} of a project`);
}
