import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAccess } from "../demo/access.ts";
import { startArtifactStorage } from "../demo/artifact-storage.ts";
import { createGit, type Git } from "../demo/git.ts";
import { startGitLabForge, type GitLabForge } from "../demo/gitlab-forge.ts";
import { smallArchive } from "../demo/sample-archive.ts";
import { createRepository, type Repository } from "../demo/repositories.ts";
import { startS3Store, type S3Store } from "../demo/s3.ts";
import { KEYS, PEOPLE } from "./askers.ts";
import {
  BUCKETS,
  entryContent,
  ENTRIES,
  entryPath,
  fileAt,
  fileContent,
  FILES,
  isOpenProject,
  JOB_NAME,
  jobId,
  JOBS,
  objectContent,
  objectKey,
  OBJECTS,
  PIPELINES,
  projectId,
  projectName,
  PROJECTS,
} from "./catalogue.ts";
import { contentOf } from "./content.ts";

/** A forge and a store that hold what the catalogue says. */
export type Origins = {
  readonly forge: GitLabForge;
  readonly store: S3Store;
  /** The numbers of each project's pipelines. */
  readonly pipelines: readonly (readonly number[])[];
};

/** Makes the repositories and starts the servers; `authMs` is how long each decides who may read. */
export async function startOrigins(scope: AsyncDisposableStack, authMs: number): Promise<Origins> {
  const root = await mkdtemp(join(tmpdir(), "forgefront-load-"));
  scope.defer(() => rm(root, { recursive: true, force: true, maxRetries: 3 }));
  const git = scope.adopt(createGit(root), (started) => started.close());
  const projects = await Promise.all(
    range(PROJECTS).map(async (project) => ({
      id: projectId(project),
      name: projectName(project),
      repository: await makeRepository(git, root, project),
    })),
  );
  const storage = scope.adopt(await startArtifactStorage(), (started) => started.close());
  const forge = scope.adopt(
    await startGitLabForge({ projects, access: accessOf(), authMs, port: 0, storage }),
    (started) => started.close(),
  );
  for (const project of range(JOBS)) addArtifacts(forge, project);
  const pipelines = range(PROJECTS).map((project) => addPipelines(forge, project));
  const store = scope.adopt(
    await startS3Store({
      authMs,
      keys: Object.values(KEYS),
      buckets: { closed: {}, open: { visibility: "public-objects" } },
    }),
    (started) => started.close(),
  );
  addObjects(store);
  return { forge, store, pipelines };
}

async function makeRepository(git: Git, root: string, project: number): Promise<Repository> {
  const repository = await createRepository({
    git,
    root: join(root, `project-${project}`),
    name: "other",
    bigFileBytes: 1024,
  });
  const files = range(FILES)
    .map(fileAt)
    .filter((file) => file.project === project);
  await repository.commit(
    repository.defaultBranch,
    Object.fromEntries(files.map((file) => [file.path, contentOf(fileContent(file, 0))])),
  );
  return repository;
}

function accessOf() {
  return createAccess({
    accounts: PEOPLE.map(({ account }) => account),
    members: Object.fromEntries(
      PEOPLE.map(({ account, projects }) => [account.user, projects.map(projectName)]),
    ),
    publicProjects: range(PROJECTS).filter(isOpenProject).map(projectName),
  });
}

function addArtifacts(forge: GitLabForge, project: number): void {
  const files = range(ENTRIES).map((index) => [entryPath(index), contentOf(entryContent(project, index))]);
  forge.jobs.addJob({
    project: projectName(project),
    id: jobId(project),
    name: JOB_NAME,
    ref: "main",
    archive: smallArchive(Object.fromEntries(files)),
    storage: project % 4 < 2 ? "local" : "object",
  });
}

function addPipelines({ pipelines, now }: GitLabForge, project: number): number[] {
  return range(PIPELINES).map(
    () => pipelines.add({ projectId: projectId(project), createdAt: now(), status: "running" }).id,
  );
}

function addObjects(store: S3Store): void {
  for (const bucket of BUCKETS)
    for (const index of range(OBJECTS))
      store.put(bucket, objectKey(index), contentOf(objectContent(bucket, index)), {
        "Content-Type": "text/plain; charset=utf-8",
      });
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
