import { HTML, send, sendHtml } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { JobRoute } from "./gitlab-job-routes.ts";
import type { Artifact } from "./jobs.ts";
import { readZipDirectory } from "./zip-reader.ts";

type WebJobRoute = Extract<JobRoute, { kind: "job-web" }>;

/** A page about a directory of an archive (`browse`) or about one of its files (`file`); what is not there is missing. */
export async function serveArtifactPage(
  exchange: Exchange,
  archive: Artifact,
  route: WebJobRoute,
): Promise<void> {
  const names = (await readZipDirectory(archive.bytes)).map(({ name }) => name.replace(/^\.\//, ""));
  const path = route.path.replace(/\/+$/, "");
  const base = `/${route.project}/-/jobs/${route.id}/artifacts`;
  if (route.action === "file") {
    if (!names.includes(path)) return sendHtml(exchange, 404, "Not found");
    return sendPage(exchange, path, [link(`${base}/raw/${path}`, "Download")]);
  }
  const prefix = path === "" ? "" : `${path}/`;
  const below = names.filter((name) => name.startsWith(prefix)).map((name) => name.slice(prefix.length));
  if (below.length === 0) return sendHtml(exchange, 404, "Not found");
  const children = new Set(below.map((name) => /^[^/]+\/?/.exec(name)?.[0] ?? ""));
  const links = [...children]
    .filter((name) => name !== "")
    .toSorted()
    .map((name) => {
      const action = name.endsWith("/") ? "browse" : "file";
      return link(`${base}/${action}/${prefix}${name.replace(/\/$/, "")}`, name);
    });
  sendPage(exchange, `Artifacts/${prefix}`, links);
}

function sendPage(exchange: Exchange, title: string, links: readonly string[]): void {
  const items = links.map((item) => `<li>${item}\n`).join("");
  const text = escapeHtml(title);
  const page = `<!doctype html>\n<meta charset="utf-8">\n<title>${text}</title>\n<h1>${text}</h1>\n<ul>\n${items}</ul>\n`;
  send(exchange, 200, { "Content-Type": HTML, "Cache-Control": "max-age=0, private, must-revalidate" }, page);
}

function link(path: string, text: string): string {
  const target = path.split("/").map(encodeURIComponent).join("/");
  return `<a href="${target}">${escapeHtml(text)}</a>`;
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
