import { countDenial, HTML, send, sendHtml } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate } from "./gate.ts";
import { serveArtifactFile } from "./gitlab-artifact-files.ts";
import { serveArtifactPage } from "./gitlab-artifact-pages.ts";
import { mayReadArtifacts, serveArtifact } from "./gitlab-artifacts.ts";
import type { ArtifactSite } from "./gitlab-artifacts.ts";
import { pageClaims } from "./gitlab-claims.ts";
import { isAction } from "./gitlab-job-routes.ts";
import type { JobRoute } from "./gitlab-job-routes.ts";
import { refuseWeb } from "./gitlab-refusals.ts";
import { splitLongestRef } from "./ref-path.ts";

type WebJobRoute = Extract<JobRoute, { kind: "job-web" }>;
type LatestRoute = Extract<JobRoute, { kind: "job-web-latest" }>;

/** Artifacts on the web, where a job that one may not read is one that is missing. */
export async function serveArtifactsWeb(
  exchange: Exchange,
  route: WebJobRoute,
  gate: Gate,
  site: ArtifactSite,
): Promise<void> {
  const admission = await gate(pageClaims(exchange.request), { name: route.project });
  if (admission.kind !== "admitted") return refuseWeb(exchange, admission);
  const job = site.jobs.find(route.project, route.id);
  if (job === undefined) return sendHtml(exchange, 404, "Not found");
  if (!mayReadArtifacts(job.access, admission)) return sendHtml(countDenial(exchange), 404, "Not found");
  if (route.action === "download") {
    const type = exchange.address.query.get("file_type") ?? "archive";
    const artifact = type === "archive" ? job.archive : job.reports.get(type);
    if (artifact === undefined) return sendHtml(exchange, 404, "Not found");
    return serveArtifact(exchange, site, artifact, "web");
  }
  if (job.archive === undefined) return sendHtml(exchange, 404, "Not found");
  if (route.action === "raw") return serveArtifactFile(exchange, job.archive, route.path, "content");
  await serveArtifactPage(exchange, job.archive, route);
}

/** The latest job of a ref: a redirect to the same action of that very job, without the query. */
export async function serveLatestArtifacts(
  exchange: Exchange,
  route: LatestRoute,
  gate: Gate,
  site: ArtifactSite,
): Promise<void> {
  const { request, address } = exchange;
  const admission = await gate(pageClaims(request), { name: route.project });
  if (admission.kind !== "admitted") return refuseWeb(exchange, admission);
  const cut = await splitLongestRef(admission.project.repository, route.refAndPath);
  const [action] = cut?.path.split("/", 1) ?? [];
  const name = address.query.get("job") ?? "";
  const job = cut && site.jobs.findLatest(route.project, cut.ref, name);
  if (cut === undefined || job?.archive === undefined || !isAction(action))
    return sendHtml(exchange, 404, "Not found");
  const path = `/${route.project}/-/jobs/${job.id}/artifacts/${cut.path}`;
  const location = `http://${request.headers.host}${path.split("/").map(encodeURIComponent).join("/")}`;
  send(
    exchange,
    302,
    { "Content-Type": HTML, Location: location, "Cache-Control": "no-cache" },
    `<html><body>You are being <a href="${location}">redirected</a>.</body></html>`,
  );
}
