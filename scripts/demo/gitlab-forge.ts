import type { Access } from "./access.ts";
import type { ArtifactStorage } from "./artifact-storage.ts";
import { startForge } from "./forge.ts";
import type { Forge } from "./forge.ts";
import type { Project } from "./gate.ts";
import { gitLab } from "./gitlab.ts";
import { createJobs } from "./jobs.ts";
import type { Jobs } from "./jobs.ts";
import { createGitLabHooks } from "./pipelines/gitlab-hooks.ts";
import type { HookSettings } from "./pipelines/hooks.ts";
import { createPipelineSettings } from "./pipelines/pipeline-settings.ts";
import type { PipelineSettings } from "./pipelines/pipeline-settings.ts";

/** The GitLab-shaped forge, which alone has jobs and pipelines. */
export interface GitLabForge extends Forge, PipelineSettings, HookSettings {
  readonly jobs: Jobs;
  /** How long the URLs are good for that it redirects to for artifacts in the object storage, in seconds. */
  storageExpiresS: number;
}

export interface GitLabForgeOptions {
  readonly projects: readonly Project[];
  readonly access: Access;
  readonly authMs: number;
  /** 0 takes any free port. */
  readonly port: number;
  readonly storage: ArtifactStorage;
}

const STORAGE_EXPIRES_S = 600;

export async function startGitLabForge(options: GitLabForgeOptions): Promise<GitLabForge> {
  const { storage, ...rest } = options;
  const jobs = createJobs(options.projects, storage);
  const { settings, site, bind } = createPipelineSettings(options.projects, jobs);
  const hooks = createGitLabHooks(options.projects, options.access, settings.pipelines);
  const artifacts = { jobs, storage, expiresS: () => forge.storageExpiresS };
  const dialect = gitLab(artifacts, site, hooks.watch);
  const started = await startForge({ ...rest, dialect });
  // The very same object, since what tests set on it is read from there.
  const forge: GitLabForge = Object.assign(started, settings, hooks.settings, {
    jobs,
    storageExpiresS: STORAGE_EXPIRES_S,
    externalUrl: started.url,
  });
  bind(forge);
  hooks.bind(forge);
  return forge;
}
