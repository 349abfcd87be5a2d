import type { CountKind } from "./counts.ts";

/** A job by its id, or the latest of a name that succeeded on a ref; the name is in the query. */
export type JobSelector =
  | { readonly kind: "id"; readonly id: string }
  | { readonly kind: "ref"; readonly ref: string };

export type WebArtifactAction = "download" | "browse" | "file" | "raw";

/** What a URL asks for of a job's artifacts; `project` is a path or, in the API, a numeric id. */
export type JobRoute =
  | {
      readonly kind: "job-api";
      readonly project: string;
      readonly job: JobSelector;
      /** One file of the archive; the whole archive where there is none. */
      readonly path: string | undefined;
    }
  | {
      readonly kind: "job-web";
      readonly project: string;
      readonly id: number;
      readonly action: WebArtifactAction;
      readonly path: string;
    }
  | { readonly kind: "job-web-latest"; readonly project: string; readonly refAndPath: string };

/**
 * `jobs/...` of a project in the API. As in GitLab's own routes a ref takes all that it can: `jobs/artifacts/a/raw/b/raw/c` asks for
 * `c` of the ref `a/raw/b`, and what ends with `/download` is never one file.
 */
export function routeApiJob(project: string, segments: readonly string[]): JobRoute | undefined {
  const [job = "", artifacts, ...path] = segments;
  if (job === "artifacts") return routeApiRef(project, segments.slice(1));
  if (artifacts !== "artifacts") return undefined;
  const whole = path.length === 0;
  return { kind: "job-api", project, job: { kind: "id", id: job }, path: whole ? undefined : path.join("/") };
}

function routeApiRef(project: string, segments: readonly string[]): JobRoute | undefined {
  const of = (until: number) => ({ kind: "ref", ref: segments.slice(0, until).join("/") }) as const;
  const last = segments.length - 1;
  if (last > 0 && segments[last] === "download")
    return { kind: "job-api", project, job: of(last), path: undefined };
  const raw = segments.lastIndexOf("raw", last - 1);
  if (raw < 1) return undefined;
  return { kind: "job-api", project, job: of(raw), path: segments.slice(raw + 1).join("/") };
}

/** `<project>/-/jobs/...` on the web, after the dash. */
export function routeWebJob(project: string, segments: readonly string[]): JobRoute | undefined {
  const [jobs, id = "", artifacts, action, ...path] = segments;
  if (jobs !== "jobs") return undefined;
  if (id === "artifacts" && segments.length > 2)
    return { kind: "job-web-latest", project, refAndPath: segments.slice(2).join("/") };
  if (!/^\d+$/.test(id) || artifacts !== "artifacts" || !isAction(action)) return undefined;
  const needsPath = action === "file" || action === "raw";
  if (needsPath ? path.length === 0 : action === "download" && path.length > 0) return undefined;
  return { kind: "job-web", project, id: Number(id), action, path: path.join("/") };
}

export function isAction(text: string | undefined): text is WebArtifactAction {
  return text === "download" || text === "browse" || text === "file" || text === "raw";
}

/** What a request for artifacts counts as. */
export function jobKind(route: JobRoute): CountKind {
  if (route.kind === "job-web-latest") return "web:artifact-latest";
  if (route.kind === "job-api") return route.path === undefined ? "api:artifacts" : "api:artifact-file";
  if (route.action === "download") return "web:artifacts";
  return route.action === "raw" ? "web:artifact-file" : "web:artifact-page";
}
