import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccess } from "./access.ts";
import { startArtifactStorage } from "./artifact-storage.ts";
import type { ArtifactStorage } from "./artifact-storage.ts";
import { createGit } from "./git.ts";
import { GITEA_ACCESS } from "./gitea-claims.ts";
import { startGiteaForge } from "./gitea-forge.ts";
import type { GiteaForge } from "./gitea-forge.ts";
import { GITLAB_ACCESS } from "./gitlab-claims.ts";
import { startGitLabForge } from "./gitlab-forge.ts";
import type { GitLabForge } from "./gitlab-forge.ts";
import { addSamplePipelines, addSampleRuns } from "./pipelines/samples.ts";
import { createRepository } from "./repositories.ts";
import { addSampleJobs } from "./sample-jobs.ts";
import type { SampleName } from "./sample-content.ts";

export type { Forge } from "./forge.ts";
export type { GiteaForge } from "./gitea-forge.ts";
export type { GitLabForge } from "./gitlab-forge.ts";
export { PRIVATE_MARKER } from "./sample-content.ts";

export interface DemoOptions {
  /** How long each decision about who may read takes, in milliseconds. */
  readonly authMs?: number;
  /** 0, as is the default, takes any free port. */
  readonly gitlabPort?: number;
  readonly giteaPort?: number;
  /** The size of `big/blob.bin` in the project `hello`. */
  readonly bigFileBytes?: number;
}

/** Two forges over the same repositories, each with its own idea of who may read them. */
export interface Demo {
  readonly gitlab: GitLabForge;
  readonly gitea: GiteaForge;
  /** Where the GitLab-shaped forge keeps the artifacts that it redirects for. */
  readonly storage: ArtifactStorage;
  /** Ends the forges, the storage, their connections and their git processes, and removes the repositories. */
  close(): Promise<void>;
}

const BIG_FILE_BYTES = 50 * 1024 * 1024;

/** Builds the sample repositories in a temporary directory and serves them on 127.0.0.1. */
export async function startDemo(options: DemoOptions = {}): Promise<Demo> {
  const { authMs = 0, gitlabPort = 0, giteaPort = 0, bigFileBytes = BIG_FILE_BYTES } = options;
  const root = await mkdtemp(join(tmpdir(), "forgefront-demo-"));
  const git = createGit(root);
  const servers: { close(): Promise<void> }[] = [];

  async function close() {
    await Promise.all(servers.map((server) => server.close()));
    await git.close();
    await rm(root, { recursive: true, force: true, maxRetries: 3 });
  }

  try {
    const repository = (name: SampleName) => createRepository({ git, root, name, bigFileBytes });
    const [hello, secret, other] = await Promise.all([
      repository("hello"),
      repository("secret"),
      repository("other"),
    ]);
    const projects = (secretName: string) => [
      { id: 1, name: "demo/hello", repository: hello },
      { id: 2, name: secretName, repository: secret },
      { id: 3, name: "demo/other", repository: other },
    ];
    const storage = await startArtifactStorage();
    servers.push(storage);
    const gitlab = await startGitLabForge({
      projects: projects("demo/nested/secret"),
      access: createAccess(GITLAB_ACCESS),
      authMs,
      port: gitlabPort,
      storage,
    });
    servers.push(gitlab);
    addSampleJobs(gitlab.jobs);
    await addSamplePipelines(gitlab);
    const gitea = await startGiteaForge({
      projects: projects("demo/secret"),
      access: createAccess(GITEA_ACCESS),
      authMs,
      port: giteaPort,
    });
    servers.push(gitea);
    await addSampleRuns(gitea);
    return { gitlab, gitea, storage, close };
  } catch (error) {
    await close();
    throw error;
  }
}
