import type { IncomingMessage } from "node:http";
import type { Address } from "./address.ts";
import type { CountKind } from "./counts.ts";
import { findPage } from "./pages.ts";
import type { Page } from "./pages.ts";
import type { ActionsRoute } from "./pipelines/gitea-actions.ts";
import { gitKind, routeGit } from "./smart-http-routes.ts";
import type { GitRoute } from "./smart-http-routes.ts";

export type GiteaRefKind = "branch" | "tag" | "commit";

/** What a URL of the Gitea-shaped forge asks for; without a `refKind`, the ref has to be guessed. */
export type GiteaRoute =
  | { readonly kind: "page"; readonly page: Page }
  | {
      readonly kind: "raw";
      readonly project: string;
      readonly form: "raw" | "media";
      readonly refKind?: GiteaRefKind;
      readonly refAndPath: string;
    }
  | { readonly kind: "api-raw"; readonly project: string; readonly path: string }
  | { readonly kind: "api-project"; readonly project: string }
  | { readonly kind: "api-missing" }
  | ActionsRoute
  | GitRoute
  | { readonly kind: "missing" };

export function routeGitea(request: IncomingMessage, { segments }: Address): GiteaRoute {
  const page = findPage(segments);
  if (page !== undefined) return { kind: "page", page };
  const reads = request.method === "GET" || request.method === "HEAD";
  if (segments[0] === "api") return reads ? routeApi(segments) : { kind: "api-missing" };
  const git = routeGit(segments);
  if (git !== undefined && git.project.split("/").length === 2) return git;
  return (reads ? routeRaw(segments) : undefined) ?? { kind: "missing" };
}

/** What a request counts as. */
export function giteaKind(
  route: GiteaRoute,
  request: IncomingMessage,
  command: string | undefined,
): CountKind {
  if (route.kind === "git") return gitKind(route.endpoint, command);
  if (route.kind === "raw") return request.method === "HEAD" ? "web:head" : "web:raw";
  if (route.kind === "api-raw") return request.method === "HEAD" ? "api:head-file" : "api:raw";
  if (route.kind === "api-actions") return "api:actions";
  return route.kind.startsWith("api-") ? "api:other" : "other";
}

function routeRaw(segments: readonly string[]): GiteaRoute | undefined {
  const [owner, repository, form, ...rest] = segments;
  if ((form !== "raw" && form !== "media") || rest.length === 0) return undefined;
  const project = `${owner}/${repository}`;
  const [refKind, ...refAndPath] = rest;
  if (refKind === "branch" || refKind === "tag" || refKind === "commit") {
    return { kind: "raw", project, form, refKind, refAndPath: refAndPath.join("/") };
  }
  return { kind: "raw", project, form, refAndPath: rest.join("/") };
}

function routeApi(segments: readonly string[]): GiteaRoute {
  const [, version, repos, owner, repository, raw, ...path] = segments;
  if (version !== "v1" || repos !== "repos" || repository === undefined) return { kind: "api-missing" };
  const project = `${owner}/${repository}`;
  if (raw === undefined) return { kind: "api-project", project };
  const [list] = path;
  if (raw === "actions" && path.length === 1 && (list === "runs" || list === "tasks"))
    return { kind: "api-actions", project, list };
  return raw === "raw" && path.length > 0
    ? { kind: "api-raw", project, path: path.join("/") }
    : { kind: "api-missing" };
}
