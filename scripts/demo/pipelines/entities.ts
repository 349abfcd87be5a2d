import { createHash } from "node:crypto";
import type { Job } from "../jobs.ts";
import type { CommitFacts } from "./commits.ts";
import { detailedStatus } from "./detailed-status.ts";
import type { JobRow, PipelineRow } from "./source.ts";
import { FORGE_USERS } from "./users.ts";
import type { ForgeUser } from "./users.ts";

/** Whom an entity is shown to, and of which project it is. */
export interface Showing {
  readonly externalUrl: string;
  /** The project's path. */
  readonly project: string;
  readonly isSignedIn: boolean;
  /** Whether anybody may read the project's pipelines. */
  readonly isOpen: boolean;
  /** What a job that still runs has run until. */
  readonly now: Date;
}

const USER_CREATED_AT = "2025-11-03T08:30:00.000Z";

/** A pipeline in a list (`PipelineBasicWithMetadata` of GitLab, with its keys in its order). */
export function pipelineInList(row: PipelineRow, showing: Showing) {
  return { ...pipelineBasic(row, showing), name: row.name ?? null };
}

/** A pipeline alone (`PipelineWithMetadata`). */
export function pipelineAlone(row: PipelineRow, showing: Showing) {
  return {
    ...pipelineBasic(row, showing),
    before_sha: row.beforeSha,
    tag: row.tag,
    yaml_errors: row.yamlErrors ?? null,
    user: basicUser(row, showing),
    started_at: row.startedAt ?? null,
    finished_at: row.finishedAt ?? null,
    committed_at: row.committedAt ?? null,
    duration: row.duration ?? null,
    queued_duration: row.queuedDuration ?? null,
    coverage: row.coverage?.toFixed(2) ?? null,
    // GitLab asks on nobody's behalf whether there are details to see.
    detailed_status: detailedStatus(row.status, `/${showing.project}/-/pipelines/${row.id}`, showing.isOpen),
    name: row.name ?? null,
  };
}

/** A job of a pipeline (`Job`), with what `artifacts` it left. */
export function pipelineJob(
  row: JobRow,
  {
    pipeline,
    commit,
    artifacts,
  }: { readonly pipeline: PipelineRow; readonly commit?: CommitFacts; readonly artifacts?: Job },
  showing: Showing,
) {
  const failure = row.status === "failed" ? { failure_reason: row.failureReason ?? "unknown_failure" } : {};
  return {
    id: row.id,
    status: row.status,
    stage: row.stage,
    name: row.name,
    ref: row.ref,
    tag: row.tag,
    coverage: row.coverage ?? null,
    allow_failure: row.allowFailure,
    created_at: row.createdAt,
    started_at: row.startedAt ?? null,
    finished_at: row.finishedAt ?? null,
    erased_at: row.erasedAt ?? null,
    duration: row.duration ?? elapsed(row, showing.now),
    queued_duration: row.queuedDuration ?? null,
    user: { ...basicUser(row, showing), ...profile(showing) },
    commit: commit === undefined ? null : commitEntity(commit, showing),
    pipeline: pipelineBasic(pipeline, showing),
    ...failure,
    web_url: `${showing.externalUrl}/${showing.project}/-/jobs/${row.id}`,
    project: { ci_job_token_scope_enabled: false },
    ...artifactsOf(artifacts),
    runner: null,
    runner_manager: null,
    artifacts_expire_at: null,
    archived: false,
    tag_list: [],
  };
}

function pipelineBasic(row: PipelineRow, { externalUrl, project }: Showing) {
  return {
    id: row.id,
    iid: row.iid,
    project_id: row.projectId,
    sha: row.sha,
    ref: row.ref,
    status: row.status,
    source: row.source,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    web_url: `${externalUrl}/${project}/-/pipelines/${row.id}`,
  };
}

/** How long a job that runs has run so far, in seconds: different each time that GitLab is asked. */
function elapsed({ startedAt, finishedAt }: JobRow, now: Date): number | null {
  if (startedAt === undefined) return null;
  return ((finishedAt ?? now).getTime() - startedAt.getTime()) / 1000;
}

function basicUser({ userId, username }: PipelineRow | JobRow, { externalUrl }: Showing) {
  const users: readonly ForgeUser[] = FORGE_USERS;
  const email = createHash("sha256").update(`${username}@example.com`).digest("hex");
  return {
    id: userId,
    username,
    public_email: "",
    name: users.find((user) => user.username === username)?.name ?? username,
    state: "active",
    locked: false,
    avatar_url: `https://www.gravatar.com/avatar/${email}?s=80&d=identicon`,
    web_url: `${externalUrl}/${username}`,
  };
}

/** The rest of `User`; whether one follows a user is told only those who are somebody. */
function profile({ isSignedIn }: Showing) {
  return {
    created_at: USER_CREATED_AT,
    bio: "",
    location: "",
    linkedin: "",
    twitter: "",
    discord: "",
    website_url: "",
    github: "",
    job_title: "",
    pronouns: "",
    organization: "",
    bot: false,
    work_information: null,
    followers: 0,
    following: 0,
    ...(isSignedIn ? { is_followed: false } : {}),
    local_time: null,
  };
}

function commitEntity(commit: CommitFacts, { externalUrl, project }: Showing) {
  const { author, committer } = commit;
  return {
    id: commit.id,
    short_id: commit.id.slice(0, 8),
    created_at: withMilliseconds(committer.date),
    parent_ids: commit.parents,
    title: commit.title,
    message: commit.message,
    author_name: author.name,
    author_email: author.email,
    authored_date: withMilliseconds(author.date),
    committer_name: committer.name,
    committer_email: committer.email,
    committed_date: withMilliseconds(committer.date),
    trailers: {},
    extended_trailers: {},
    web_url: `${externalUrl}/${project}/-/commit/${commit.id}`,
  };
}

/** Rails writes three digits of a second, and a zone by its distance. */
function withMilliseconds(date: string): string {
  return date.replace(
    /(:\d\d)(Z|[+-]\d\d:\d\d)$/,
    (_, seconds: string, zone: string) => `${seconds}.000${zone === "Z" ? "+00:00" : zone}`,
  );
}

function artifactsOf(job: Job | undefined) {
  const { archive } = job ?? {};
  const reports = [...(job?.reports ?? [])].map(([type, report]) => ({
    file_type: type,
    size: report.bytes.size,
    filename: report.fileName,
    file_format: "gzip",
  }));
  if (archive === undefined) return { artifacts: reports };
  const { fileName: filename } = archive;
  const { size } = archive.bytes;
  return {
    artifacts_file: { filename, size },
    artifacts: [{ file_type: "archive", size, filename, file_format: "zip" }, ...reports],
  };
}
