import { createHash } from "node:crypto";
import type { Project } from "../gate.ts";
import { isDone } from "./actions.ts";
import type { ActionRun, ActionStatus, ActionTask } from "./actions.ts";

/** Of which project an entity is, and what the forge takes for its own URL. */
export interface GiteaShowing {
  readonly externalUrl: string;
  readonly project: Project;
  readonly isPublic: boolean;
}

const USER_IDS: Readonly<Record<string, number>> = { demo: 1, reader: 2, other: 3 };
const USER_CREATED_AT = "2025-11-03T08:30:00Z";

/** A run in a list (`ToActionWorkflowRun` of Gitea, keys in the order of its structure). */
export function runInList(run: ActionRun, showing: GiteaShowing) {
  const { externalUrl, project } = showing;
  const user = giteaUser(run.username, externalUrl);
  const [, branch] = /^refs\/heads\/(.+)$/.exec(run.ref) ?? [];
  return {
    id: run.id,
    url: `${externalUrl}/api/v1/repos/${project.name}/actions/runs/${run.id}`,
    html_url: `${externalUrl}/${project.name}/actions/runs/${run.runNumber}`,
    display_title: run.title,
    path: `${run.workflowId}@${run.ref}`,
    event: run.event,
    run_attempt: 0,
    run_number: run.runNumber,
    head_sha: run.sha,
    ...(branch === undefined ? {} : { head_branch: branch }),
    status: publicStatus(run.status),
    actor: user,
    trigger_actor: user,
    repository: giteaRepository(showing),
    ...(isDone(run.status) ? { conclusion: run.status } : {}),
    started_at: giteaTime(run.startedAt),
    completed_at: giteaTime(run.stoppedAt),
  };
}

/** A task in a list (`ToActionTask`). */
export function taskInList(task: ActionTask, run: ActionRun, { externalUrl, project }: GiteaShowing) {
  return {
    id: task.id,
    name: task.name,
    head_branch: run.ref.replace(/^refs\/(heads|tags)\//, ""),
    head_sha: run.sha,
    run_number: run.runNumber,
    event: run.event,
    display_title: run.title,
    status: task.status,
    workflow_id: run.workflowId,
    url: `${externalUrl}/${project.name}/actions/runs/${run.runNumber}`,
    created_at: giteaTime(task.createdAt),
    updated_at: giteaTime(task.updatedAt),
    run_started_at: giteaTime(task.startedAt),
  };
}

/** What the API calls a status, which is GitHub's word for it. */
export function publicStatus(status: ActionStatus): string {
  if (isDone(status)) return "completed";
  if (status === "waiting") return "queued";
  return status === "blocked" ? "waiting" : "in_progress";
}

/** In whole seconds; what never happened, happened in 1970. */
export function giteaTime(instant: Date | undefined): string {
  return (instant ?? new Date(0)).toISOString().replace(/\.\d+Z$/, "Z");
}

/** Whether there is a user of that name. */
export function isGiteaUser(login: string): boolean {
  return login in USER_IDS;
}

/** A user as anybody sees one (`ToUser`). */
export function giteaUser(login: string, externalUrl: string) {
  const avatar = createHash("sha256").update(`${login}@example.com`).digest("hex");
  return {
    id: USER_IDS[login] ?? 0,
    login,
    login_name: "",
    source_id: 0,
    full_name: "",
    email: `${login}@noreply.localhost`,
    avatar_url: `${externalUrl}/avatars/${avatar}`,
    html_url: `${externalUrl}/${login}`,
    language: "",
    is_admin: false,
    last_login: "0001-01-01T00:00:00Z",
    created: USER_CREATED_AT,
    restricted: false,
    active: false,
    prohibit_login: false,
    location: "",
    website: "",
    description: "",
    visibility: "public",
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
    username: login,
  };
}

/** A repository as it is shown beside something else (`ToRepo`), without what its units add. */
export function giteaRepository({ externalUrl, project, isPublic }: GiteaShowing) {
  const [owner = "", name = ""] = project.name.split("/");
  const url = `${externalUrl}/${project.name}`;
  return {
    id: project.id,
    owner: giteaUser(owner, externalUrl),
    name,
    full_name: project.name,
    description: "",
    empty: false,
    private: !isPublic,
    fork: false,
    template: false,
    mirror: false,
    size: 0,
    language: "",
    languages_url: `${externalUrl}/api/v1/repos/${project.name}/languages`,
    html_url: url,
    url: `${externalUrl}/api/v1/repos/${project.name}`,
    link: "",
    ssh_url: `git@localhost:${project.name}.git`,
    clone_url: `${url}.git`,
    default_branch: project.repository.defaultBranch,
    archived: false,
    permissions: { admin: false, push: false, pull: false },
  };
}
