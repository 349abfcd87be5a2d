import type { IncomingMessage } from "node:http";
import type { Address } from "./address.ts";
import type { CountKind } from "./counts.ts";
import { jobKind, routeApiJob, routeWebJob } from "./gitlab-job-routes.ts";
import type { JobRoute } from "./gitlab-job-routes.ts";
import { findPage } from "./pages.ts";
import type { Page } from "./pages.ts";
import { isPipelineKind, pipelineKind, routeApiPipelines } from "./pipelines/gitlab-pipeline-routes.ts";
import type { PipelineRoute } from "./pipelines/gitlab-pipeline-routes.ts";
import { gitKind, routeGit } from "./smart-http-routes.ts";
import type { GitRoute } from "./smart-http-routes.ts";

/** What a URL of the GitLab-shaped forge asks for; `project` is a path or, in the API, a numeric id. */
export type GitLabRoute =
  | { readonly kind: "page"; readonly page: Page }
  | { readonly kind: "sign-in" }
  | { readonly kind: "raw"; readonly project: string; readonly refAndPath: string }
  | {
      readonly kind: "api-file";
      readonly project: string;
      readonly path: string;
      readonly raw: boolean;
    }
  | {
      readonly kind: "api-blob";
      readonly project: string;
      readonly oid: string;
      readonly raw: boolean;
    }
  | { readonly kind: "api-branches"; readonly project: string }
  | { readonly kind: "api-project"; readonly project: string }
  | { readonly kind: "api-missing" }
  | GitRoute
  | JobRoute
  | PipelineRoute
  | { readonly kind: "missing" };

export function routeGitLab(request: IncomingMessage, { segments }: Address): GitLabRoute {
  const page = findPage(segments);
  if (page !== undefined) return { kind: "page", page };
  if (segments.join("/") === "users/sign_in") return { kind: "sign-in" };
  if (segments[0] === "api") return reads(request) ? routeApi(segments) : { kind: "api-missing" };
  const read = reads(request) ? (routeJob(segments) ?? routeRaw(segments)) : undefined;
  return routeGit(segments) ?? read ?? { kind: "missing" };
}

/** What a request counts as. */
export function gitLabKind(
  route: GitLabRoute,
  request: IncomingMessage,
  command: string | undefined,
): CountKind {
  if (route.kind === "git") return gitKind(route.endpoint, command);
  if (route.kind === "job-api" || route.kind === "job-web" || route.kind === "job-web-latest")
    return jobKind(route);
  if (isPipelineKind(route.kind)) return pipelineKind(route.kind);
  if (route.kind === "raw") return request.method === "HEAD" ? "web:head" : "web:raw";
  if (route.kind === "api-blob") return "api:blob";
  if (route.kind === "api-file" && request.method === "HEAD") return "api:head-file";
  if (route.kind === "api-file" && route.raw) return "api:raw";
  return route.kind.startsWith("api-") ? "api:other" : "other";
}

function routeJob(segments: readonly string[]): GitLabRoute | undefined {
  const dash = segments.findIndex((segment, index) => index >= 2 && segment === "-");
  return dash < 0 ? undefined : routeWebJob(segments.slice(0, dash).join("/"), segments.slice(dash + 1));
}

function routeRaw(segments: readonly string[]): GitLabRoute | undefined {
  const dash = segments.findIndex((segment, index) => index >= 2 && segment === "-");
  // The old form has no dash, so the project ends where the first `raw` stands.
  const raw = dash >= 0 ? dash + 1 : segments.indexOf("raw", 2);
  if (raw < 0 || segments[raw] !== "raw" || segments.length < raw + 3) return undefined;
  const project = segments.slice(0, dash >= 0 ? dash : raw).join("/");
  return { kind: "raw", project, refAndPath: segments.slice(raw + 1).join("/") };
}

function routeApi(segments: readonly string[]): GitLabRoute {
  const [, version, projects, project, repository, collection, name, last, ...rest] = segments;
  if (version !== "v4" || projects !== "projects" || project === undefined) return { kind: "api-missing" };
  if (repository === "jobs") return routeApiJob(project, segments.slice(5)) ?? { kind: "api-missing" };
  if (repository === "pipelines")
    return routeApiPipelines(project, segments.slice(5)) ?? { kind: "api-missing" };
  if (rest.length > 0) return { kind: "api-missing" };
  if (repository === undefined) return { kind: "api-project", project };
  if (repository !== "repository" || (last !== undefined && last !== "raw")) return { kind: "api-missing" };
  const raw = last === "raw";
  if (collection === "branches" && name === undefined) return { kind: "api-branches", project };
  if (collection === "files" && name !== undefined) return { kind: "api-file", project, path: name, raw };
  if (collection === "blobs" && name !== undefined) return { kind: "api-blob", project, oid: name, raw };
  return { kind: "api-missing" };
}

function reads(request: IncomingMessage): boolean {
  return request.method === "GET" || request.method === "HEAD";
}
