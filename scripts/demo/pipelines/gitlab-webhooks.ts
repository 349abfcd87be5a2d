import { createHash, randomUUID } from "node:crypto";
import { statusLabel } from "./detailed-status.ts";
import type { JobRow, PipelineRow } from "./source.ts";
import { FORGE_USERS } from "./users.ts";
import type { ForgeUser } from "./users.ts";
import { NO_OBJECT } from "./webhooks.ts";
import type { Delivery, HookProject, HookSender, PushedRef } from "./webhooks.ts";

/** What happened to a project, as system hooks tell it. */
export type ProjectEvent = "project_update" | "project_destroy" | "project_rename" | "project_transfer";

const EVENT_TIME = "2026-01-05T10:00:00Z";
const PUBLIC_LEVEL = 20;
const PRIVATE_LEVEL = 0;

/** A push of a branch (`Push Hook`) or of a tag (`Tag Push Hook`). */
export function gitLabPush(
  sender: HookSender,
  project: HookProject,
  pushed: PushedRef,
  options: {
    readonly username?: string;
    /** The commit that an annotated tag stands for. */
    readonly commit?: string;
    readonly commitsCount?: number;
  } = {},
): Delivery {
  const isTag = pushed.ref.startsWith("refs/tags/");
  const kind = isTag ? "tag_push" : "push";
  const user = userNamed(options.username);
  const { commit = pushed.after } = options;
  const attributes = projectAttributes(sender, project);
  const { name, url, description, homepage, git_http_url, git_ssh_url, visibility_level } = attributes;
  return gitLabDelivery(sender, isTag ? "Tag Push Hook" : "Push Hook", {
    object_kind: kind,
    event_name: kind,
    before: pushed.before,
    after: pushed.after,
    ref: pushed.ref,
    ref_protected: pushed.ref === `refs/heads/${project.defaultBranch}`,
    checkout_sha: pushed.after === NO_OBJECT ? null : commit,
    message: null,
    user_id: user.id,
    user_name: user.name,
    user_username: user.username,
    user_email: "",
    user_avatar: avatar(user),
    project_id: project.id,
    project: attributes,
    commits: [],
    total_commits_count: options.commitsCount ?? 0,
    push_options: {},
    repository: { name, url, description, homepage, git_http_url, git_ssh_url, visibility_level },
  });
}

/** Another status of a pipeline (`Pipeline Hook`), with its latest jobs. */
export function gitLabPipeline(
  sender: HookSender,
  project: HookProject,
  pipeline: PipelineRow,
  jobs: readonly JobRow[] = [],
): Delivery {
  const {
    homepage: _,
    url: __,
    ssh_url: ___,
    http_url: ____,
    ...attributes
  } = projectAttributes(sender, project);
  return gitLabDelivery(sender, "Pipeline Hook", {
    object_kind: "pipeline",
    object_attributes: {
      id: pipeline.id,
      iid: pipeline.iid,
      name: pipeline.name ?? null,
      ref: pipeline.ref,
      tag: pipeline.tag,
      sha: pipeline.sha,
      before_sha: pipeline.beforeSha,
      source: pipeline.source,
      status: pipeline.status,
      detailed_status: statusLabel(pipeline.status),
      stages: [...new Set(jobs.toSorted((a, b) => a.id - b.id).map(({ stage }) => stage))],
      created_at: hookTime(pipeline.createdAt),
      finished_at: hookTime(pipeline.finishedAt),
      duration: pipeline.duration ?? null,
      queued_duration: pipeline.queuedDuration ?? null,
      protected_ref: pipeline.ref === project.defaultBranch,
      variables: [],
      url: `${sender.externalUrl}/${project.path}/-/pipelines/${pipeline.id}`,
    },
    merge_request: null,
    user: userAttributes(userNamed(pipeline.username)),
    project: attributes,
    commit: null,
    builds: jobs.map((job) => ({
      id: job.id,
      stage: job.stage,
      name: job.name,
      status: job.status,
      created_at: hookTime(job.createdAt),
      started_at: hookTime(job.startedAt),
      finished_at: hookTime(job.finishedAt),
      duration: job.duration ?? null,
      queued_duration: job.queuedDuration ?? null,
      failure_reason: job.status === "failed" ? (job.failureReason ?? null) : null,
      when: "on_success",
      manual: false,
      allow_failure: job.allowFailure,
      user: userAttributes(userNamed(job.username)),
      runner: null,
      artifacts_file: { filename: null, size: null },
      environment: null,
    })),
  });
}

/** Another status of a job (`Job Hook`). */
export function gitLabJob(
  sender: HookSender,
  project: HookProject,
  job: JobRow,
  pipeline: PipelineRow,
): Delivery {
  const attributes = projectAttributes(sender, project);
  const { name, url, description, homepage, git_http_url, git_ssh_url, visibility_level } = attributes;
  return gitLabDelivery(sender, "Job Hook", {
    object_kind: "build",
    ref: job.ref,
    tag: job.tag,
    before_sha: pipeline.beforeSha,
    sha: pipeline.sha,
    build_id: job.id,
    build_name: job.name,
    build_stage: job.stage,
    build_status: job.status,
    build_created_at: hookTime(job.createdAt),
    build_started_at: hookTime(job.startedAt),
    build_finished_at: hookTime(job.finishedAt),
    build_duration: job.duration ?? null,
    build_queued_duration: job.queuedDuration ?? null,
    build_allow_failure: job.allowFailure,
    build_failure_reason: job.failureReason ?? "unknown_failure",
    pipeline_id: pipeline.id,
    runner: null,
    project_id: project.id,
    project_name: project.path.replaceAll("/", " / "),
    user: userAttributes(userNamed(job.username)),
    commit: {
      // GitLab puts the pipeline's number here.
      id: pipeline.id,
      name: pipeline.name ?? null,
      sha: pipeline.sha,
      message: null,
      author_name: null,
      author_email: null,
      author_url: "mailto:",
      status: pipeline.status,
      duration: pipeline.duration ?? null,
      started_at: hookTime(pipeline.startedAt),
      finished_at: hookTime(pipeline.finishedAt),
    },
    repository: { name, url, description, homepage, git_http_url, git_ssh_url, visibility_level },
    project: attributes,
    environment: null,
    retries_count: 0,
  });
}

/** What happened to a project as a whole (`System Hook`); a move tells where it was. */
export function gitLabProjectEvent(
  sender: HookSender,
  project: HookProject,
  event: ProjectEvent,
  oldPath?: string,
): Delivery {
  const owner = FORGE_USERS[0];
  return gitLabDelivery(sender, "System Hook", {
    event_name: event,
    created_at: EVENT_TIME,
    updated_at: EVENT_TIME,
    name: baseName(project.path),
    path: baseName(project.path),
    path_with_namespace: project.path,
    project_id: project.id,
    project_namespace_id: project.id + 1000,
    owners: [{ name: owner.name, email: `${owner.username}@example.com` }],
    project_visibility: project.isPublic ? "public" : "private",
    ...(oldPath === undefined ? {} : { old_path_with_namespace: oldPath }),
  });
}

/** Somebody is no longer a member of a project (`System Hook`, `user_remove_from_team`). */
export function gitLabMemberRemoved(sender: HookSender, project: HookProject, username: string): Delivery {
  const user = userNamed(username);
  return gitLabDelivery(sender, "System Hook", {
    event_name: "user_remove_from_team",
    created_at: EVENT_TIME,
    updated_at: EVENT_TIME,
    project_name: baseName(project.path),
    project_path: baseName(project.path),
    project_path_with_namespace: project.path,
    project_id: project.id,
    user_username: user.username,
    user_name: user.name,
    user_email: `${user.username}@example.com`,
    user_id: user.id,
    access_level: "Reporter",
    project_visibility: project.isPublic ? "public" : "private",
  });
}

function gitLabDelivery({ externalUrl, secret }: HookSender, event: string, payload: object): Delivery {
  return {
    headers: {
      "Content-Type": "application/json",
      "User-Agent": "GitLab/18.5.1",
      "Idempotency-Key": randomUUID(),
      "X-Gitlab-Event": event,
      "X-Gitlab-Webhook-UUID": randomUUID(),
      "X-Gitlab-Instance": externalUrl,
      ...(secret === undefined ? {} : { "X-Gitlab-Token": secret }),
      "X-Gitlab-Event-UUID": randomUUID(),
    },
    body: JSON.stringify(payload),
  };
}

function projectAttributes({ externalUrl }: HookSender, project: HookProject) {
  const url = `${externalUrl}/${project.path}`;
  const ssh = `git@${new URL(externalUrl).hostname}:${project.path}.git`;
  return {
    id: project.id,
    name: baseName(project.path),
    description: null,
    web_url: url,
    avatar_url: null,
    git_ssh_url: ssh,
    git_http_url: `${url}.git`,
    namespace: project.path.split("/").at(-2) ?? "",
    visibility_level: project.isPublic ? PUBLIC_LEVEL : PRIVATE_LEVEL,
    path_with_namespace: project.path,
    default_branch: project.defaultBranch,
    ci_config_path: null,
    homepage: url,
    url: ssh,
    ssh_url: ssh,
    http_url: `${url}.git`,
  };
}

function baseName(path: string): string {
  return path.split("/").at(-1) ?? "";
}

function userNamed(username: string = FORGE_USERS[0].username): ForgeUser {
  const users: readonly ForgeUser[] = FORGE_USERS;
  return users.find((user) => user.username === username) ?? { id: 0, username, name: username };
}

function userAttributes(user: ForgeUser) {
  const { id, name, username } = user;
  return { id, name, username, avatar_url: avatar(user), email: "[REDACTED]" };
}

function avatar({ username }: ForgeUser): string {
  const email = createHash("sha256").update(`${username}@example.com`).digest("hex");
  return `https://www.gravatar.com/avatar/${email}?s=80&d=identicon`;
}

/** Hooks carry times as Ruby prints them, not as the API does. */
function hookTime(instant: Date | undefined): string | null {
  return instant?.toISOString().replace(/^(.+)T(.+)\.\d+Z$/, "$1 $2 UTC") ?? null;
}
