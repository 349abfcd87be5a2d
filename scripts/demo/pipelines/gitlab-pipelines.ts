import type { Claim } from "../access.ts";
import type { Exchange } from "../exchange.ts";
import type { Admitted, Gate } from "../gate.ts";
import { apiClaims } from "../gitlab-claims.ts";
import { projectKey } from "../gitlab-project-key.ts";
import { refuseApi } from "../gitlab-refusals.ts";
import { resolveRevision } from "../revisions.ts";
import { pipelineAlone, pipelineInList, pipelineJob } from "./entities.ts";
import type { Showing } from "./entities.ts";
import type { PipelineRoute } from "./gitlab-pipeline-routes.ts";
import { JOB_PARAMETERS, LIST_PARAMETERS, listQuery } from "./list-query.ts";
import { pageRequest, paginationHeaders } from "./pagination.ts";
import type { Listing } from "./pagination.ts";
import { readParameters } from "./parameters.ts";
import type { Declarations, Parameters } from "./parameters.ts";
import { answerJson, refuseJson } from "./rack-answer.ts";
import { mayReadPipelines } from "./site.ts";
import type { PipelineSite } from "./site.ts";
import type { JobQuery, JobRow, PipelineRow, PipelineStatus } from "./source.ts";

interface Question {
  readonly exchange: Exchange;
  readonly site: PipelineSite;
  readonly admission: Admitted;
  readonly showing: Showing;
  readonly parameters: Extract<Parameters, { kind: "read" }>;
}

const FORBIDDEN = { message: "403 Forbidden" };
const NOT_FOUND = { message: "404 Not found" };

/** Pipelines by the API: parameters first, then the project, whether the asker may see its pipelines, and at last the pipeline. */
export async function servePipelines(
  exchange: Exchange,
  route: PipelineRoute,
  gate: Gate,
  site: PipelineSite,
): Promise<void> {
  const parameters = readParameters(queryOf(exchange, route), declarationsOf(route));
  if (parameters.kind === "refused") return refuseJson(exchange, 400, { error: parameters.error });
  const admission = await gate(pipelineClaims(exchange, route), projectKey(route.project));
  if (admission.kind !== "admitted") return refuseApi(exchange, admission);
  const access = site.access(admission.project.name);
  if (!mayReadPipelines(access, admission)) return refuseJson(exchange, 403, FORBIDDEN);
  const showing: Showing = {
    externalUrl: site.externalUrl(),
    project: admission.project.name,
    isSignedIn: admission.user !== undefined,
    isOpen: admission.isPublic && access === "everyone",
    now: site.now(),
  };
  const question: Question = { exchange, site, admission, showing, parameters };
  switch (route.kind) {
    case "pipelines":
      return serveList(question);
    case "pipeline-latest":
      return serveLatest(question);
    case "pipeline":
      return servePipeline(question, Number(route.id));
    case "pipeline-jobs":
      return serveJobs(question, Number(route.id));
  }
}

/** The query with what the path says, which to Grape is one with it. */
function queryOf({ address }: Exchange, route: PipelineRoute): URLSearchParams {
  const query = new URLSearchParams(address.query);
  query.set("id", route.project);
  if ("id" in route) query.set("pipeline_id", route.id);
  return query;
}

function declarationsOf(route: PipelineRoute): Declarations {
  if (route.kind === "pipelines") return LIST_PARAMETERS;
  if (route.kind === "pipeline-jobs") return JOB_PARAMETERS;
  return route.kind === "pipeline" ? { pipeline_id: { type: "integer" } } : { ref: { type: "text" } };
}

/** Deploy tokens are nobody here, and a job's token is somebody only for a list of jobs. */
function pipelineClaims({ request, address }: Exchange, route: PipelineRoute): Claim[] {
  return apiClaims(request, address.query).filter(
    ({ form }) => form !== "deploy" && (form !== "job" || route.kind === "pipeline-jobs"),
  );
}

async function serveList({ exchange, site, admission, showing, parameters }: Question): Promise<void> {
  const withoutIds = admission.isDeveloper ? [] : site.hidden();
  const query = await listQuery(admission.project, parameters.value, withoutIds);
  const page = await site.source().list(query);
  const rows = page.rows.map((row) => pipelineInList(row, showing));
  answerJson(exchange, rows, paginationHeaders(listingOf(exchange, showing, parameters), query, page));
}

async function serveLatest({ exchange, site, admission, showing, parameters }: Question): Promise<void> {
  const { repository, id } = admission.project;
  const ref = String(parameters.value("ref") ?? "") || repository.defaultBranch;
  const sha = await resolveRevision(repository, ref, ["refs/tags/", "refs/heads/"]);
  const row = sha === undefined ? undefined : await site.source().latest(id, ref, sha);
  // GitLab asks whether one may read what is not there.
  if (row === undefined) return refuseJson(exchange, 403, FORBIDDEN);
  answerJson(exchange, pipelineAlone(row, showing));
}

async function servePipeline({ exchange, site, admission, showing }: Question, id: number): Promise<void> {
  const row = await site.source().find(admission.project.id, id);
  if (row === undefined) return refuseJson(exchange, 404, NOT_FOUND);
  answerJson(exchange, pipelineAlone(row, showing));
}

async function serveJobs(question: Question, id: number): Promise<void> {
  const { exchange, site, admission, showing, parameters } = question;
  const { value } = parameters;
  const pipeline = await site.source().find(admission.project.id, id);
  if (pipeline === undefined) return refuseJson(exchange, 404, NOT_FOUND);
  const scope = value("scope") as readonly PipelineStatus[] | undefined;
  const query: JobQuery = {
    projectId: admission.project.id,
    pipelineId: id,
    ...(scope === undefined ? {} : { scope }),
    includeRetried: value("include_retried") === true,
    ...pageRequest(value("page"), value("per_page")),
  };
  const page = await site.source().jobs(query);
  const rows = await Promise.all(page.rows.map((row) => describeJob(question, row, pipeline)));
  answerJson(exchange, rows, paginationHeaders(listingOf(exchange, showing, parameters), query, page));
}

async function describeJob({ site, admission, showing }: Question, row: JobRow, pipeline: PipelineRow) {
  const commit = await site.readCommit(admission.project, pipeline.sha);
  const artifacts = site.jobs.find(admission.project.name, row.id);
  const known = { ...(commit && { commit }), ...(artifacts && { artifacts }) };
  return pipelineJob(row, { pipeline, ...known }, showing);
}

function listingOf(
  { request }: Exchange,
  { externalUrl }: Showing,
  { texts }: Extract<Parameters, { kind: "read" }>,
): Listing {
  return { externalUrl, path: (request.url ?? "").replace(/\?.*$/s, ""), texts };
}
