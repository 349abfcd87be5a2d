import type { Access } from "./access.ts";
import type { ArtifactStorage } from "./artifact-storage.ts";
import { startForge } from "./forge.ts";
import type { Forge } from "./forge.ts";
import type { Project } from "./gate.ts";
import { gitLab } from "./gitlab.ts";
import { createJobs } from "./jobs.ts";
import type { Jobs } from "./jobs.ts";

/** The GitLab-shaped forge, which alone has jobs. */
export interface GitLabForge extends Forge {
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
  const dialect = gitLab({ jobs, storage, expiresS: () => forge.storageExpiresS });
  const started = await startForge({ ...rest, dialect });
  // The very same object, since what tests set on it is read from there.
  const forge: GitLabForge = Object.assign(started, { jobs, storageExpiresS: STORAGE_EXPIRES_S });
  return forge;
}
