import { randomBytes } from "node:crypto";
import type { Dialect } from "./forge.ts";
import { countDenial, sendHtml, sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate } from "./gate.ts";
import { serveGiteaApi } from "./gitea-api.ts";
import { giteaGitClaims } from "./gitea-claims.ts";
import { serveGiteaRaw } from "./gitea-raw.ts";
import { giteaKind, routeGitea } from "./gitea-routes.ts";
import type { GiteaRoute } from "./gitea-routes.ts";
import { gitService, serveGit } from "./http-backend.ts";
import { servePage } from "./pages.ts";
import type { ActionsSite } from "./pipelines/actions-settings.ts";
import { serveGiteaActions } from "./pipelines/gitea-actions.ts";
import type { Hooks } from "./pipelines/hooks.ts";
import type { GitRoute } from "./smart-http-routes.ts";

/** A forge shaped as Gitea: its URLs, credentials, headers and refusals. */
export function gitea(actions: ActionsSite, watchPush: Hooks["watch"]): Dialect<GiteaRoute> {
  return {
    route: routeGitea,
    kind: giteaKind,
    decorate(response) {
      // On every answer, public files too: what a cache must never keep.
      response.setHeader(
        "Set-Cookie",
        `i_like_gitea=${randomBytes(8).toString("hex")}; Path=/; HttpOnly; SameSite=Lax`,
      );
      response.setHeader("X-Frame-Options", "SAMEORIGIN");
    },
    async serve(exchange, route, gate) {
      switch (route.kind) {
        case "page":
          return servePage(exchange, route.page, "Gitea");
        case "missing":
          return sendHtml(exchange, 404, "Not found");
        case "raw":
          return serveGiteaRaw(exchange, route, gate);
        case "git":
          return serveGiteaGit(exchange, route, gate, watchPush);
        case "api-actions":
          return serveGiteaActions(exchange, route, gate, actions);
        default:
          return serveGiteaApi(exchange, route, gate);
      }
    },
  };
}

async function serveGiteaGit(
  exchange: Exchange,
  route: GitRoute,
  gate: Gate,
  watchPush: Hooks["watch"],
): Promise<void> {
  const { request, address } = exchange;
  if (request.method !== (route.endpoint === "info/refs" ? "GET" : "POST"))
    return sendText(exchange, 405, "Method not allowed\n");
  const service = gitService(route.endpoint, address.query);
  const claims = giteaGitClaims(request);
  const admission = await gate(claims, { name: route.project });
  const challenged =
    admission.kind === "rejected" ||
    admission.kind === "anonymous" ||
    (service === "git-receive-pack" && claims.length === 0);
  if (challenged)
    return sendText(countDenial(exchange), 401, "Unauthorized\n", {
      "WWW-Authenticate": 'Basic realm="Gitea"',
    });
  if (admission.kind === "hidden" || (service === "git-receive-pack" && !admission.isMember)) {
    return sendText(countDenial(exchange), 404, "Repository not found\n");
  }
  if (service === undefined) return sendText(exchange, 403, "The dumb protocol is not supported\n");
  const { project } = admission;
  const serve = () => serveGit(exchange, project.repository, route.endpoint);
  return route.endpoint === "git-receive-pack" ? watchPush(project, serve) : serve();
}
