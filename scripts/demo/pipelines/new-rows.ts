import { createHash } from "node:crypto";
import { FINISHED_STATUSES } from "./source.ts";
import type { JobRow, PipelineRow, PipelineStatus } from "./source.ts";
import { FORGE_USERS, forgeUser } from "./users.ts";
import { NO_OBJECT } from "./webhooks.ts";

type Given<Row, Needed extends keyof Row> = Pick<Row, Needed> & Partial<Omit<Row, "iid" | "userId">>;

/** A pipeline to add; what is left out is what a push to `main` just made. */
export type NewPipeline = Given<PipelineRow, "projectId">;

/** A job to add; what is left out comes from its pipeline. */
export type NewPipelineJob = Given<JobRow, "pipelineId" | "name">;

/** What a change may be about: everything but what says which pipeline it is. */
export type PipelineUpdate = Partial<Omit<PipelineRow, "id" | "iid" | "projectId" | "updatedAt">>;

const UNSTARTED: ReadonlySet<PipelineStatus> = new Set([
  "created",
  "waiting_for_resource",
  "preparing",
  "waiting_for_callback",
  "pending",
  "skipped",
  "manual",
  "scheduled",
]);

/** A pipeline as it was given, and as it comes to be for the rest. */
export function newPipeline(
  given: NewPipeline,
  { id, iid, at }: { readonly id: number; readonly iid: number; readonly at: Date },
): PipelineRow {
  const { status = "pending", username = FORGE_USERS[0].username, createdAt = at } = given;
  const blank: PipelineRow = {
    id,
    iid,
    projectId: given.projectId,
    sha: createHash("sha1").update(`pipeline ${id}`).digest("hex"),
    beforeSha: NO_OBJECT,
    ref: "main",
    tag: false,
    status,
    source: "push",
    name: undefined,
    userId: forgeUser(username).id,
    username,
    yamlErrors: undefined,
    createdAt,
    updatedAt: createdAt,
    startedAt: undefined,
    finishedAt: undefined,
    committedAt: undefined,
    duration: undefined,
    queuedDuration: undefined,
    coverage: undefined,
  };
  return { ...blank, ...progress(blank, status, createdAt), ...given };
}

/** The same of a job. */
export function newJob(given: NewPipelineJob, id: number, pipeline: PipelineRow, at: Date): JobRow {
  const { status = "pending", username = pipeline.username, createdAt = at } = given;
  const blank: JobRow = {
    id,
    pipelineId: pipeline.id,
    projectId: pipeline.projectId,
    name: given.name,
    stage: "test",
    status,
    ref: pipeline.ref,
    tag: pipeline.tag,
    allowFailure: false,
    retried: false,
    userId: forgeUser(username).id,
    username,
    createdAt,
    startedAt: undefined,
    finishedAt: undefined,
    erasedAt: undefined,
    duration: undefined,
    queuedDuration: undefined,
    coverage: undefined,
    failureReason: status === "failed" ? "script_failure" : undefined,
  };
  return { ...blank, ...jobProgress(blank, status, createdAt), ...given };
}

interface Instants {
  readonly createdAt: Date;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
}

/** When something with a status started and finished, if that status was reached at an instant. */
function instants(row: Instants, status: PipelineStatus, at: Date): Omit<Instants, "createdAt"> {
  const startedAt = UNSTARTED.has(status) ? row.startedAt : (row.startedAt ?? at);
  return { startedAt, finishedAt: FINISHED_STATUSES.includes(status) ? at : undefined };
}

/** What comes with a pipeline's status that was reached at an instant. */
export function progress(row: PipelineRow, status: PipelineStatus, at: Date): PipelineUpdate {
  const { startedAt, finishedAt } = instants(row, status, at);
  const whole = (from?: Date, to?: Date) =>
    from === undefined || to === undefined ? undefined : Math.trunc(seconds(from, to));
  return {
    startedAt,
    finishedAt,
    duration: whole(startedAt, finishedAt),
    // GitLab says nothing rather than zero.
    queuedDuration: whole(row.createdAt, startedAt) || undefined,
  };
}

/** The same of a job's status. */
export function jobProgress(job: JobRow, status: PipelineStatus, at: Date): Partial<JobRow> {
  const { startedAt, finishedAt } = instants(job, status, at);
  return {
    startedAt,
    finishedAt,
    duration: startedAt && finishedAt && seconds(startedAt, finishedAt),
    queuedDuration: startedAt && seconds(job.createdAt, startedAt),
  };
}

function seconds(from: Date, to: Date): number {
  return (to.getTime() - from.getTime()) / 1000;
}
