import { randomBytes, randomUUID } from "node:crypto";
import type { Dialect } from "./forge.ts";
import { countDenial, sendHtml, sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate } from "./gate.ts";
import { serveArtifactsApi } from "./gitlab-artifacts-api.ts";
import type { ArtifactSite } from "./gitlab-artifacts.ts";
import { serveArtifactsWeb, serveLatestArtifacts } from "./gitlab-artifacts-web.ts";
import { serveGitLabApi } from "./gitlab-api.ts";
import { gitClaims } from "./gitlab-claims.ts";
import { serveGitLabRaw } from "./gitlab-raw.ts";
import { gitLabKind, routeGitLab } from "./gitlab-routes.ts";
import type { GitLabRoute } from "./gitlab-routes.ts";
import { gitService, serveGit } from "./http-backend.ts";
import { servePage } from "./pages.ts";
import { servePipelines } from "./pipelines/gitlab-pipelines.ts";
import type { PipelineSite } from "./pipelines/site.ts";
import type { Hooks } from "./pipelines/hooks.ts";
import type { GitRoute } from "./smart-http-routes.ts";

const CHALLENGE = { "WWW-Authenticate": 'Basic realm="GitLab"' };

/** A forge shaped as GitLab: its URLs, credentials, headers and refusals. */
export function gitLab(
  artifacts: ArtifactSite,
  pipelines: PipelineSite,
  watchPush: Hooks["watch"],
): Dialect<GitLabRoute> {
  return {
    route: routeGitLab,
    kind: gitLabKind,
    decorate(response) {
      response.setHeader("X-Request-Id", randomUUID());
      // On every answer, public files too: what a cache must never keep.
      response.setHeader(
        "Set-Cookie",
        `_gitlab_session=${randomBytes(16).toString("hex")}; path=/; HttpOnly`,
      );
    },
    async serve(exchange, route, gate) {
      switch (route.kind) {
        case "page":
          return servePage(exchange, route.page, "GitLab");
        case "sign-in":
          return sendHtml(exchange, 200, "Sign in");
        case "missing":
          return sendHtml(exchange, 404, "Not found");
        case "raw":
          return serveGitLabRaw(exchange, route, gate);
        case "git":
          return serveGitLabGit(exchange, route, gate, watchPush);
        case "job-api":
          return serveArtifactsApi(exchange, route, gate, artifacts);
        case "job-web":
          return serveArtifactsWeb(exchange, route, gate, artifacts);
        case "job-web-latest":
          return serveLatestArtifacts(exchange, route, gate, artifacts);
        case "pipelines":
        case "pipeline-latest":
        case "pipeline":
        case "pipeline-jobs":
          return servePipelines(exchange, route, gate, pipelines);
        default:
          return serveGitLabApi(exchange, route, gate);
      }
    },
  };
}

async function serveGitLabGit(
  exchange: Exchange,
  route: GitRoute,
  gate: Gate,
  watchPush: Hooks["watch"],
): Promise<void> {
  const { request, address } = exchange;
  const service = gitService(route.endpoint, address.query);
  if (request.method !== (route.endpoint === "info/refs" ? "GET" : "POST"))
    return sendText(exchange, 405, "Method not allowed\n");
  if (!route.suffixed) return redirectToSuffix(exchange, route);
  const admission = await gate(gitClaims(request), { name: route.project });
  switch (admission.kind) {
    case "rejected":
    case "anonymous":
      return sendText(countDenial(exchange), 401, "HTTP Basic: Access denied\n", CHALLENGE);
    case "hidden":
      return sendText(countDenial(exchange), 404, "The project you were looking for could not be found.\n");
  }
  if (service === undefined)
    return sendText(exchange, 403, "Git access over the dumb protocol is not supported\n");
  if (service === "git-receive-pack" && !admission.isMember) {
    if (request.headers.authorization === undefined)
      return sendText(countDenial(exchange), 401, "HTTP Basic: Access denied\n", CHALLENGE);
    return sendText(countDenial(exchange), 403, "You are not allowed to push code to this project.\n");
  }
  const { project } = admission;
  const serve = () => serveGit(exchange, project.repository, route.endpoint);
  return route.endpoint === "git-receive-pack" ? watchPush(project, serve) : serve();
}

function redirectToSuffix(exchange: Exchange, route: GitRoute): void {
  const { request } = exchange;
  if (route.endpoint !== "info/refs") return sendHtml(exchange, 404, "Not found");
  const query = /\?.*$/s.exec(request.url ?? "")?.[0] ?? "";
  sendText(exchange, 301, "Moved permanently\n", {
    Location: `http://${request.headers.host}/${encodeURI(route.project)}.git/${route.endpoint}${query}`,
  });
}
