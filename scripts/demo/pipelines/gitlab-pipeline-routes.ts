import type { CountKind } from "../counts.ts";

/** What a URL asks for of a project's pipelines; ids are as they stand in it. */
export type PipelineRoute =
  | { readonly kind: "pipelines"; readonly project: string }
  | { readonly kind: "pipeline-latest"; readonly project: string }
  | { readonly kind: "pipeline"; readonly project: string; readonly id: string }
  | { readonly kind: "pipeline-jobs"; readonly project: string; readonly id: string };

/** `pipelines/...` of a project in the API. */
export function routeApiPipelines(project: string, segments: readonly string[]): PipelineRoute | undefined {
  const [id, jobs, ...rest] = segments;
  if (rest.length > 0) return undefined;
  if (id === undefined) return { kind: "pipelines", project };
  if (jobs === "jobs") return { kind: "pipeline-jobs", project, id };
  if (jobs !== undefined) return undefined;
  return id === "latest" ? { kind: "pipeline-latest", project } : { kind: "pipeline", project, id };
}

/** What a request for pipelines counts as. */
export function pipelineKind(kind: PipelineRoute["kind"]): CountKind {
  if (kind === "pipelines") return "api:pipelines";
  return kind === "pipeline-jobs" ? "api:pipeline-jobs" : "api:pipeline";
}

export function isPipelineKind(kind: string): kind is PipelineRoute["kind"] {
  return ["pipelines", "pipeline-latest", "pipeline", "pipeline-jobs"].includes(kind);
}
