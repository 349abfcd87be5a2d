import { PIPELINE_SOURCES } from "./source.ts";
import type { JobRow, PipelineRow, PipelineSourceName, PipelineStatus } from "./source.ts";

/** A row of `p_ci_pipelines`, by the names of its columns. */
export interface StoredPipeline {
  readonly id: number;
  readonly iid: number;
  readonly project_id: number;
  readonly sha: string;
  readonly before_sha: string | null;
  readonly ref: string;
  readonly tag: boolean;
  readonly status: PipelineStatus;
  readonly source: number | null;
  readonly user_id: number;
  readonly yaml_errors: string | null;
  readonly created_at: Date;
  readonly updated_at: Date;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly committed_at: Date | null;
  readonly duration: number | null;
}

/** What of other tables belongs to a pipeline. */
export interface PipelineExtras {
  readonly name: string | undefined;
  readonly username: string | undefined;
  /** Of its jobs; a list does not show it. */
  readonly coverage?: number | undefined;
}

/** A row of `p_ci_builds` with the name of its stage and of its user. */
export interface StoredJob {
  readonly id: number;
  readonly commit_id: number;
  readonly project_id: number;
  readonly name: string;
  readonly stage: string;
  readonly status: PipelineStatus;
  readonly ref: string;
  readonly tag: boolean;
  readonly allow_failure: boolean;
  readonly retried: boolean | null;
  readonly user_id: number;
  readonly username: string;
  readonly created_at: Date;
  readonly queued_at: Date | null;
  readonly started_at: Date | null;
  readonly finished_at: Date | null;
  readonly erased_at: Date | null;
  readonly coverage: number | null;
  readonly failure_reason: number | null;
}

/** The number that stands for a source; none stands for `unknown`, as does 0 here. */
export function sourceNumber(name: PipelineSourceName): number {
  return PIPELINE_SOURCES.indexOf(name);
}

/** The object that each row of the database becomes, as an ActiveRecord does. */
export function pipelineRow(
  stored: StoredPipeline,
  { name, username, coverage }: PipelineExtras,
): PipelineRow {
  const queued = wholeSeconds(stored.created_at, stored.started_at ?? undefined);
  return {
    id: stored.id,
    iid: stored.iid,
    projectId: stored.project_id,
    sha: stored.sha,
    beforeSha: stored.before_sha ?? "0".repeat(40),
    ref: stored.ref,
    tag: stored.tag,
    status: stored.status,
    source: sourceName(stored.source),
    name,
    userId: stored.user_id,
    username: username ?? "",
    yamlErrors: stored.yaml_errors ?? undefined,
    createdAt: stored.created_at,
    updatedAt: stored.updated_at,
    startedAt: stored.started_at ?? undefined,
    finishedAt: stored.finished_at ?? undefined,
    committedAt: stored.committed_at ?? undefined,
    duration: stored.duration ?? undefined,
    // GitLab says nothing rather than zero.
    queuedDuration: queued === 0 ? undefined : queued,
    coverage,
  };
}

export function jobRow(stored: StoredJob): JobRow {
  const { started_at: started, finished_at: finished, queued_at: queued } = stored;
  return {
    id: stored.id,
    pipelineId: stored.commit_id,
    projectId: stored.project_id,
    name: stored.name,
    stage: stored.stage,
    status: stored.status,
    ref: stored.ref,
    tag: stored.tag,
    allowFailure: stored.allow_failure,
    retried: stored.retried ?? false,
    userId: stored.user_id,
    username: stored.username,
    createdAt: stored.created_at,
    startedAt: started ?? undefined,
    finishedAt: finished ?? undefined,
    erasedAt: stored.erased_at ?? undefined,
    duration: seconds(started, finished),
    queuedDuration: seconds(queued, started),
    coverage: stored.coverage ?? undefined,
    failureReason: stored.failure_reason === null ? undefined : FAILURE_REASONS[stored.failure_reason - 1],
  };
}

/** GitLab: `Enums::Ci::CommitStatus.failure_reasons`, by their numbers from 1. */
const FAILURE_REASONS = [
  "script_failure",
  "api_failure",
  "stuck_or_timeout_failure",
  "runner_system_failure",
  "missing_dependency_failure",
  "runner_unsupported",
  "stale_schedule",
  "job_execution_timeout",
  "archived_failure",
  "unmet_prerequisites",
  "scheduler_failure",
  "data_integrity_failure",
  "forward_deployment_failure",
  "user_blocked",
  "project_deleted",
];

function sourceName(number: number | null): PipelineSourceName {
  const name = PIPELINE_SOURCES[number ?? 0];
  if (name === undefined) throw new Error(`There is no source ${number}`);
  return name;
}

function wholeSeconds(from: Date, to: Date | undefined): number | undefined {
  return to && Math.trunc((to.getTime() - from.getTime()) / 1000);
}

function seconds(from: Date | null, to: Date | null): number | undefined {
  return from === null || to === null ? undefined : (to.getTime() - from.getTime()) / 1000;
}
