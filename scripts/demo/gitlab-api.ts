import { buffer } from "node:stream/consumers";
import { sendBlob } from "./blob-response.ts";
import { sendJson } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate, Project } from "./gate.ts";
import { apiClaims } from "./gitlab-claims.ts";
import { serveGitLabFile } from "./gitlab-files.ts";
import { projectKey } from "./gitlab-project-key.ts";
import { refuseApi } from "./gitlab-refusals.ts";
import type { GitLabRoute } from "./gitlab-routes.ts";

type ApiRoute = Extract<GitLabRoute, { kind: `api-${string}` }>;

const DEFAULT_PAGE_SIZE = 20;
const LARGEST_PAGE_SIZE = 100;

/** The parts of GitLab's REST API that a repository's files are read by. */
export async function serveGitLabApi(exchange: Exchange, route: ApiRoute, gate: Gate): Promise<void> {
  if (route.kind === "api-missing") return sendJson(exchange, 404, { error: "404 Not Found" });
  const { request, address } = exchange;
  const admission = await gate(apiClaims(request, address.query), projectKey(route.project));
  if (admission.kind !== "admitted") return refuseApi(exchange, admission);
  const { project } = admission;
  switch (route.kind) {
    case "api-file":
      return serveGitLabFile(exchange, project.repository, route);
    case "api-blob":
      return serveBlob(exchange, project, route);
    case "api-branches":
      return serveBranches(exchange, project);
    case "api-project":
      return sendJson(exchange, 200, describeProject(exchange, project, admission.isPublic));
  }
}

async function serveBlob(
  exchange: Exchange,
  project: Project,
  route: Extract<ApiRoute, { kind: "api-blob" }>,
): Promise<void> {
  const { repository } = project;
  const blob = /^[0-9a-f]{40}$/.test(route.oid) ? await repository.describe(route.oid) : undefined;
  if (blob?.type !== "blob") return sendJson(exchange, 404, { message: "404 Blob Not Found" });
  if (route.raw) {
    const headers = {
      "Content-Type": "text/plain",
      "X-Content-Type-Options": "nosniff",
      "Content-Disposition": "inline",
    };
    return sendBlob(exchange, { repository, blob, headers: () => headers });
  }
  const child = repository.git.start(["-C", repository.directory, "cat-file", "blob", blob.oid]);
  const content = await buffer(child.stdout);
  sendJson(exchange, 200, {
    size: blob.size,
    encoding: "base64",
    content: content.toString("base64"),
    sha: blob.oid,
  });
}

async function serveBranches(exchange: Exchange, project: Project): Promise<void> {
  const { git, directory, defaultBranch } = project.repository;
  const output = await git.run([
    "-C",
    directory,
    "for-each-ref",
    "--format=%(objectname) %(refname:strip=2)",
    "refs/heads",
  ]);
  const lines = output.split("\n").filter((line) => line !== "");
  const { query } = exchange.address;
  const size = Math.min(Number(query.get("per_page")) || DEFAULT_PAGE_SIZE, LARGEST_PAGE_SIZE);
  const page = Number(query.get("page")) || 1;
  const branches = lines.slice((page - 1) * size, page * size).map((line) => {
    const name = line.slice(41);
    return {
      name,
      commit: { id: line.slice(0, 40), short_id: line.slice(0, 8) },
      default: name === defaultBranch,
      protected: name === defaultBranch,
    };
  });
  const pages = Math.ceil(lines.length / size);
  sendJson(exchange, 200, branches, {
    "X-Page": page,
    "X-Per-Page": size,
    "X-Next-Page": page < pages ? page + 1 : "",
    "X-Prev-Page": page > 1 ? page - 1 : "",
    "X-Total": lines.length,
    "X-Total-Pages": pages,
  });
}

function describeProject(exchange: Exchange, project: Project, isPublic: boolean) {
  const url = `http://${exchange.request.headers.host}/${project.name}`;
  return {
    id: project.id,
    name: project.name.split("/").at(-1),
    path_with_namespace: project.name,
    default_branch: project.repository.defaultBranch,
    visibility: isPublic ? "public" : "private",
    web_url: url,
    http_url_to_repo: `${url}.git`,
  };
}
