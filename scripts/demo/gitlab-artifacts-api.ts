import { countDenial, sendJson } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import type { Gate } from "./gate.ts";
import { serveArtifactFile } from "./gitlab-artifact-files.ts";
import { mayReadArtifacts, serveArtifact } from "./gitlab-artifacts.ts";
import type { ArtifactSite } from "./gitlab-artifacts.ts";
import { apiClaims } from "./gitlab-claims.ts";
import type { JobRoute, JobSelector } from "./gitlab-job-routes.ts";
import { projectKey } from "./gitlab-project-key.ts";
import { refuseApi } from "./gitlab-refusals.ts";
import type { Job, Jobs } from "./jobs.ts";

type ApiJobRoute = Extract<JobRoute, { kind: "job-api" }>;

/** Artifacts by the API: parameters first, then the project, the job, its own permission, and at last whether there is anything. */
export async function serveArtifactsApi(
  exchange: Exchange,
  route: ApiJobRoute,
  gate: Gate,
  site: ArtifactSite,
): Promise<void> {
  const { request, address } = exchange;
  const fault = parameterFault(route.job, address.query);
  if (fault !== undefined) return sendJson(exchange, 400, { error: fault });
  const admission = await gate(apiClaims(request, address.query), projectKey(route.project));
  if (admission.kind !== "admitted") return refuseApi(exchange, admission);
  const job = findJob(site.jobs, admission.project.name, route.job, address.query);
  if (job === undefined) return sendJson(exchange, 404, { message: "404 Not found" });
  if (!mayReadArtifacts(job.access, admission))
    return sendJson(countDenial(exchange), 403, { message: "403 Forbidden" });
  if (job.archive === undefined) return sendJson(exchange, 404, { message: "404 Not Found" });
  if (route.path === undefined) return serveArtifact(exchange, site, job.archive, "api");
  // By its name alone where the job has an id, by what is in it where the ref has one: GitLab's two ways.
  const typeBy = route.job.kind === "id" ? "name" : "content";
  await serveArtifactFile(exchange, job.archive, route.path, typeBy);
}

function parameterFault(job: JobSelector, query: URLSearchParams): string | undefined {
  if (job.kind === "id") return /^-?\d+$/.test(job.id) ? undefined : "job_id is invalid";
  return query.has("job") ? undefined : "job is missing";
}

function findJob(jobs: Jobs, project: string, job: JobSelector, query: URLSearchParams): Job | undefined {
  if (job.kind === "id") return jobs.find(project, Number(job.id));
  const latest = jobs.findLatest(project, job.ref, query.get("job") ?? "");
  // Of the latest pipeline GitLab asks for a job that has artifacts.
  return latest?.archive === undefined ? undefined : latest;
}
