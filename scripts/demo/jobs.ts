import { createHash } from "node:crypto";
import { openArtifact } from "./artifact-bytes.ts";
import type { ArtifactBytes, ArtifactSource } from "./artifact-bytes.ts";
import { ARTIFACT_BUCKET } from "./artifact-storage.ts";
import type { ArtifactStorage } from "./artifact-storage.ts";
import type { Project } from "./gate.ts";

/**
 * How a forge gives out an artifact: from its own disk, by a redirect to the object storage, or in the way of a proxy that has
 * no ranges, with the length or without it.
 */
export type ArtifactDelivery = "local" | "object" | "rangeless" | "chunked";

/** Who may read a job's artifacts, of those who may read the project (`artifacts:access`). */
export type ArtifactAccess = "all" | "developer" | "none";

/** One file that a job left behind: its archive, or a report. */
export interface Artifact {
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: ArtifactBytes;
  readonly delivery: ArtifactDelivery;
  /** Where it is in the storage, be it there or only on disk. */
  readonly key: string;
}

export interface Job {
  readonly id: number;
  readonly project: string;
  readonly name: string;
  readonly ref: string;
  readonly storage: ArtifactDelivery;
  readonly access: ArtifactAccess;
  /** Undefined once the job was erased. */
  readonly archive: Artifact | undefined;
  /** By file type, such as `junit`. */
  readonly reports: ReadonlyMap<string, Artifact>;
}

export interface NewReport {
  readonly bytes: Uint8Array;
  readonly fileName: string;
  readonly contentType: string;
}

export interface NewJob {
  readonly project: string;
  /** The next free one, where it is left out. */
  readonly id?: number;
  readonly name: string;
  readonly ref: string;
  readonly archive: ArtifactSource;
  readonly storage: ArtifactDelivery;
  readonly access?: ArtifactAccess;
  readonly reports?: Readonly<Record<string, NewReport>>;
  /** When its artifacts were written, in milliseconds since 1970. */
  readonly lastModified?: number;
}

/** The jobs of a forge's projects that succeeded, with their artifacts; the setters are for tests. */
export interface Jobs {
  addJob(job: NewJob): Job;
  /** Puts another archive in the place of a job's own; in the storage it has the same key. */
  replaceArchive(id: number, archive: ArtifactSource, lastModified?: number): Job;
  /** Removes a job's artifacts; the job stays, and stays the latest of its ref. */
  eraseJob(id: number): void;
  setArtifactAccess(id: number, access: ArtifactAccess): void;
  find(project: string, id: number): Job | undefined;
  /** The job of that name that was added last for a ref. */
  findLatest(project: string, ref: string, name: string): Job | undefined;
}

const FIRST_ID = 5001;

export function createJobs(projects: readonly Project[], storage: ArtifactStorage): Jobs {
  const jobs = new Map<number, Job>();
  let artifacts = 0;

  function addJob(given: NewJob): Job {
    const { id = nextId(), project, name, ref, storage: delivery, lastModified } = given;
    if (jobs.has(id)) throw new Error(`Cannot add the job ${id}: there is one already`);
    const add = (fileName: string, contentType: string, source: ArtifactSource) => {
      const bytes = openArtifact(source, lastModified);
      const key = objectKey(projectId(project), id, ++artifacts, fileName, bytes);
      return keep({ fileName, contentType, bytes, delivery, key }, source);
    };
    const reports = Object.entries(given.reports ?? {}).map(
      ([type, report]) => [type, add(report.fileName, report.contentType, report.bytes)] as const,
    );
    const archive = add("artifacts.zip", "application/zip", given.archive);
    const { access = "all" } = given;
    return put({ id, project, name, ref, storage: delivery, access, archive, reports: new Map(reports) });
  }

  function replaceArchive(id: number, source: ArtifactSource, lastModified?: number): Job {
    const job = known(id);
    if (job.archive === undefined)
      throw new Error(`Cannot replace the archive of the job ${id}: it was erased`);
    const bytes = openArtifact(source, lastModified);
    return put({ ...job, archive: keep({ ...job.archive, bytes }, source) });
  }

  function eraseJob(id: number): void {
    const job = known(id);
    for (const artifact of [job.archive, ...job.reports.values()])
      if (artifact?.delivery === "object") storage.remove(ARTIFACT_BUCKET, artifact.key);
    put({ ...job, archive: undefined, reports: new Map() });
  }

  function keep(artifact: Artifact, source: ArtifactSource): Artifact {
    if (artifact.delivery !== "object") return artifact;
    if (!(source instanceof Uint8Array))
      throw new Error(`Cannot keep ${source.path} in the object storage: it holds only what is in memory`);
    storage.put(ARTIFACT_BUCKET, artifact.key, source, {
      "Content-Type": artifact.contentType,
      "Last-Modified": new Date(artifact.bytes.lastModified).toUTCString(),
    });
    return artifact;
  }

  function known(id: number): Job {
    const job = jobs.get(id);
    if (job === undefined) throw new Error(`Cannot find the job ${id}`);
    return job;
  }

  function put(job: Job): Job {
    jobs.set(job.id, job);
    return job;
  }

  function projectId(name: string): number {
    const project = projects.find((candidate) => candidate.name === name);
    if (project === undefined) throw new Error(`Cannot find the project ${name}`);
    return project.id;
  }

  const nextId = () => Math.max(FIRST_ID - 1, ...jobs.keys()) + 1;

  return {
    addJob,
    replaceArchive,
    eraseJob,
    setArtifactAccess: (id, access) => void put({ ...known(id), access }),
    find: (project, id) => [jobs.get(id)].find((job) => job?.project === project),
    findLatest: (project, ref, name) =>
      [...jobs.values()].findLast((job) => job.project === project && job.ref === ref && job.name === name),
  };
}

/** As GitLab spreads artifacts over directories: by the hash of the project's id, the day, the job and the artifact. */
function objectKey(
  projectId: number,
  jobId: number,
  artifactId: number,
  fileName: string,
  bytes: ArtifactBytes,
): string {
  const hash = createHash("sha256").update(String(projectId)).digest("hex");
  const day = new Date(bytes.lastModified).toISOString().slice(0, 10).replaceAll("-", "_");
  return [hash.slice(0, 2), hash.slice(2, 4), hash, day, jobId, artifactId, fileName].join("/");
}
