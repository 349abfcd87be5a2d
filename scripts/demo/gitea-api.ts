import { countDenial, sendJson } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate, Project } from "./gate.ts";
import { giteaClaims } from "./gitea-claims.ts";
import { sendGiteaFile } from "./gitea-files.ts";
import type { GiteaRoute } from "./gitea-routes.ts";
import { resolveRevision } from "./revisions.ts";

type ApiRoute = Extract<GiteaRoute, { kind: "api-raw" | "api-project" | "api-missing" }>;

/** The parts of Gitea's REST API that a repository's files are read by. */
export async function serveGiteaApi(exchange: Exchange, route: ApiRoute, gate: Gate): Promise<void> {
  if (route.kind === "api-missing") return sendFault(exchange, 404, "The target couldn't be found.");
  const { request, address } = exchange;
  const admission = await gate(giteaClaims(request, address.query), { name: route.project });
  if (admission.kind === "rejected")
    return sendFault(countDenial(exchange), 401, "invalid username, password or token");
  if (admission.kind !== "admitted")
    return sendFault(countDenial(exchange), 404, "The target couldn't be found.");
  const { project, isPublic } = admission;
  if (route.kind === "api-project")
    return sendJson(exchange, 200, describeProject(exchange, project, isPublic));
  const { repository } = project;
  const ref = address.query.get("ref") || repository.defaultBranch;
  const commit = await resolveRevision(repository, ref, ["refs/heads/", "refs/tags/"]);
  const sent = commit && (await sendGiteaFile(exchange, { repository, commit, path: route.path, isPublic }));
  if (!sent) sendFault(exchange, 404, `object does not exist [id: , rel_path: ${route.path}]`);
}

function sendFault(exchange: Exchange, status: number, message: string): void {
  sendJson(exchange, status, {
    message,
    url: `http://${exchange.request.headers.host}/api/swagger`,
  });
}

function describeProject(exchange: Exchange, project: Project, isPublic: boolean) {
  const [owner, name] = project.name.split("/");
  const url = `http://${exchange.request.headers.host}/${project.name}`;
  return {
    id: project.id,
    owner: { login: owner },
    name,
    full_name: project.name,
    private: !isPublic,
    default_branch: project.repository.defaultBranch,
    html_url: url,
    clone_url: `${url}.git`,
  };
}
