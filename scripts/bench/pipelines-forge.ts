import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccess } from "../demo/access.ts";
import { startArtifactStorage } from "../demo/artifact-storage.ts";
import { createGit } from "../demo/git.ts";
import { startGitLabForge, type GitLabForge } from "../demo/gitlab-forge.ts";
import { PIPELINE_STATUSES } from "../demo/pipelines/source.ts";
import { createRepository } from "../demo/repositories.ts";
import { createTimeline, type Timeline } from "./pipelines-timeline.ts";

/** A project whose pipelines change, and when they did. */
export type WatchedProject = {
  readonly id: number;
  readonly pipelines: readonly number[];
  readonly timeline: Timeline;
};

/** A GitLab-shaped forge with many private projects, and people who may read all of them. */
export type PollingForge = {
  readonly forge: GitLabForge;
  readonly projects: readonly WatchedProject[];
  readonly tokens: readonly string[];
};

export type PollingForgeOptions = {
  readonly projects: number;
  readonly people: number;
  /** How many pipelines each project has; as many are on a page. */
  readonly pipelines: number;
  readonly authMs: number;
};

/** Starts it; all projects have one repository, since nobody looks at their files. */
export async function startPollingForge(
  scope: AsyncDisposableStack,
  { projects: count, people, pipelines, authMs }: PollingForgeOptions,
): Promise<PollingForge> {
  const root = await mkdtemp(join(tmpdir(), "forgefront-bench-"));
  scope.defer(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));
  const git = scope.adopt(createGit(root), (started) => started.close());
  const repository = await createRepository({ git, root, name: "other", bigFileBytes: 1024 });
  const storage = scope.adopt(await startArtifactStorage(), (started) => started.close());
  const projects = numbers(count).map((id) => ({ id, name: `bench/project-${id}`, repository }));
  const users = numbers(people).map((number) => ({
    user: `person-${number}`,
    secret: `glpat-person-${number}`,
  }));
  const names = projects.map(({ name }) => name);
  const access = createAccess({
    accounts: users.map(({ user, secret }) => ({ form: "token", secret, user })),
    members: Object.fromEntries(users.map(({ user }) => [user, names])),
    publicProjects: [],
  });
  const forge = scope.adopt(
    await startGitLabForge({ projects, access, authMs, port: 0, storage }),
    (started) => started.close(),
  );
  forge.now = distinctInstants();
  const watched = projects.map(({ id }) => addPipelines(forge, id, pipelines));
  forge.pipelines.onChange(({ pipeline }) => {
    const project = watched.find(({ id }) => id === pipeline.projectId);
    project?.timeline.changed(pipeline.updatedAt.getTime(), performance.now());
  });
  return { forge, projects: watched, tokens: users.map(({ secret }) => secret) };
}

/** The version of a project that a list of all of its pipelines shows. */
export function versionOf(body: string): number {
  const pipelines = JSON.parse(body) as readonly { readonly updated_at: string }[];
  return Math.max(...pipelines.map((pipeline) => Date.parse(pipeline.updated_at)));
}

/** Gives a pipeline another status, so that its list is another one. */
export function changePipeline(forge: GitLabForge, id: number, step: number): void {
  const status = PIPELINE_STATUSES[step % PIPELINE_STATUSES.length];
  if (status !== undefined) forge.pipelines.setStatus(id, status);
}

function addPipelines({ pipelines, now }: GitLabForge, projectId: number, count: number): WatchedProject {
  const rows = numbers(count).map(() => pipelines.add({ projectId, createdAt: now(), status: "running" }));
  const version = Math.max(...rows.map((row) => row.updatedAt.getTime()));
  const timeline = createTimeline({ version, sentMs: performance.now() });
  return { id: projectId, pipelines: rows.map(({ id }) => id), timeline };
}

/** A clock that never says the same millisecond twice, so that each change can be told from the one before. */
function distinctInstants(): () => Date {
  let lastMs = 0;
  return () => new Date((lastMs = Math.max(Date.now(), lastMs + 1)));
}

function numbers(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
