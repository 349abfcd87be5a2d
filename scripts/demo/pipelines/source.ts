/** Every status that a pipeline or a job can have (GitLab, `Ci::HasStatus::AVAILABLE_STATUSES`). */
export const PIPELINE_STATUSES = [
  "created",
  "waiting_for_resource",
  "preparing",
  "waiting_for_callback",
  "pending",
  "running",
  "success",
  "failed",
  "canceling",
  "canceled",
  "skipped",
  "manual",
  "scheduled",
] as const;

export type PipelineStatus = (typeof PIPELINE_STATUSES)[number];

/** What `scope=finished` means. */
export const FINISHED_STATUSES: readonly PipelineStatus[] = ["success", "failed", "canceled"];

/** What can start a pipeline (GitLab, `Enums::Ci::Pipeline.sources`). */
export const PIPELINE_SOURCES = [
  "unknown",
  "push",
  "web",
  "trigger",
  "schedule",
  "api",
  "external",
  "pipeline",
  "chat",
  "webide",
  "merge_request_event",
  "external_pull_request_event",
  "parent_pipeline",
  "ondemand_dast_scan",
  "ondemand_dast_validation",
  "security_orchestration_policy",
  "container_registry_push",
  "duo_workflow",
  "pipeline_execution_policy_schedule",
] as const;

export type PipelineSourceName = (typeof PIPELINE_SOURCES)[number];

/** What a list may be ordered by (GitLab, `Ci::PipelinesFinder::ALLOWED_INDEXED_COLUMNS`). */
export const PIPELINE_ORDERS = ["id", "status", "ref", "updated_at", "user_id"] as const;

export type PipelineOrder = (typeof PIPELINE_ORDERS)[number];

/** One pipeline as it is stored; whoever shows it adds addresses and users. */
export interface PipelineRow {
  readonly id: number;
  /** Its number within the project, from 1. */
  readonly iid: number;
  readonly projectId: number;
  readonly sha: string;
  /** Forty zeros where there was nothing before. */
  readonly beforeSha: string;
  /** A branch's or a tag's name, without `refs/`. */
  readonly ref: string;
  readonly tag: boolean;
  readonly status: PipelineStatus;
  readonly source: PipelineSourceName;
  readonly name: string | undefined;
  readonly userId: number;
  readonly username: string;
  readonly yamlErrors: string | undefined;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly committedAt: Date | undefined;
  /** In whole seconds. */
  readonly duration: number | undefined;
  /** In whole seconds. */
  readonly queuedDuration: number | undefined;
  /** In percent. */
  readonly coverage: number | undefined;
}

/** One job of a pipeline as it is stored. */
export interface JobRow {
  readonly id: number;
  readonly pipelineId: number;
  readonly projectId: number;
  readonly name: string;
  readonly stage: string;
  readonly status: PipelineStatus;
  readonly ref: string;
  readonly tag: boolean;
  readonly allowFailure: boolean;
  /** Whether another job took its place, so that only `include_retried` shows it. */
  readonly retried: boolean;
  readonly userId: number;
  readonly username: string;
  readonly createdAt: Date;
  readonly startedAt: Date | undefined;
  readonly finishedAt: Date | undefined;
  readonly erasedAt: Date | undefined;
  /** In seconds, with a fraction. */
  readonly duration: number | undefined;
  /** In seconds, with a fraction. */
  readonly queuedDuration: number | undefined;
  /** In percent. */
  readonly coverage: number | undefined;
  /** Such as `script_failure`; shown only of a job that failed. */
  readonly failureReason: string | undefined;
}

/** `scope`; the last two keep, for each ref that exists, only its newest pipeline, before any other filter but `withoutIds`. */
export type PipelineScope =
  | { readonly kind: "running" }
  | { readonly kind: "pending" }
  | { readonly kind: "finished" }
  | { readonly kind: "branches" | "tags"; readonly refs: readonly string[] };

/** GitLab's list parameters; one that is absent leaves nothing out. Pipelines of `parent_pipeline` show only where asked for by `source`, those of `unknown` nowhere. */
export interface PipelineFilter {
  readonly scope?: PipelineScope;
  readonly status?: PipelineStatus;
  readonly ref?: string;
  readonly sha?: string;
  /** Whether there have to be such errors, or none. */
  readonly yamlErrors?: boolean;
  /** Compared without regard to case. */
  readonly username?: string;
  readonly source?: PipelineSourceName;
  /** The whole name. */
  readonly name?: string;
  /** Both include the instant itself (`UpdatedAtFilterable`). */
  readonly updatedAfter?: Date;
  readonly updatedBefore?: Date;
  /** Both leave it out (`Ci::Pipeline.created_after`). */
  readonly createdAfter?: Date;
  readonly createdBefore?: Date;
  /** Pipelines that this asker is not shown: no parameter of GitLab's, but what tests hide. */
  readonly withoutIds?: readonly number[];
}

/** A page of a list: `page` from 1, `perPage` from 1 to 100. */
export interface PageRequest {
  readonly page: number;
  readonly perPage: number;
}

export interface PipelineQuery extends PageRequest {
  readonly projectId: number;
  readonly filter: PipelineFilter;
  readonly orderBy: PipelineOrder;
  /** Rows that are equal by `orderBy` come by their id, in the same direction; texts compare by their bytes. */
  readonly sort: "asc" | "desc";
}

export interface JobQuery extends PageRequest {
  readonly projectId: number;
  readonly pipelineId: number;
  /** Any of these; every status, where it is absent. */
  readonly scope?: readonly PipelineStatus[];
  readonly includeRetried: boolean;
}

/** Above so many rows GitLab stops to count (`Kaminari::ActiveRecordRelationMethods::MAX_COUNT_LIMIT`). */
export const COUNT_LIMIT = 10_000;

export interface Page<Row> {
  readonly rows: readonly Row[];
  /** Of all pages; undefined above `COUNT_LIMIT`. */
  readonly total: number | undefined;
  /** Whether there is a row after this page. */
  readonly hasNext: boolean;
}

/** Where pipelines are kept: in memory, or in a database. Every answer is what is true at one instant. */
export interface PipelineSource {
  list(query: PipelineQuery): Promise<Page<PipelineRow>>;
  find(projectId: number, id: number): Promise<PipelineRow | undefined>;
  /** The newest pipeline, by its id, of a ref at one commit; never one of `parent_pipeline`. */
  latest(projectId: number, ref: string, sha: string): Promise<PipelineRow | undefined>;
  /** The jobs of a pipeline, by their ids from the highest; an empty page where there is no such pipeline. */
  jobs(query: JobQuery): Promise<Page<JobRow>>;
}
