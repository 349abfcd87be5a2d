import { jobProgress, newJob, newPipeline, progress } from "./new-rows.ts";
import type { NewPipeline, NewPipelineJob, PipelineUpdate } from "./new-rows.ts";
import { selectPipelines } from "./selection.ts";
import { COUNT_LIMIT } from "./source.ts";
import type { JobRow, Page, PageRequest, PipelineRow, PipelineSource, PipelineStatus } from "./source.ts";

/** What was changed, after it was; a job's change is told before that of its pipeline. */
export type PipelineChange =
  | { readonly kind: "pipeline"; readonly pipeline: PipelineRow }
  | { readonly kind: "job"; readonly job: JobRow; readonly pipeline: PipelineRow };

/** Pipelines in memory; the setters are for tests, and every change moves `updatedAt` on by at least a millisecond. */
export interface MemoryPipelines extends PipelineSource {
  /** Tells of every change but those of `addMany` and `remove`, of which GitLab tells nobody either; gives the way to stop. */
  onChange(listener: (change: PipelineChange) => void): () => void;
  add(pipeline: NewPipeline): PipelineRow;
  /** So many finished pipelines of a project's `main`, a second apart, and the newest an instant ago. */
  addMany(projectId: number, count: number): void;
  update(id: number, change: PipelineUpdate): PipelineRow;
  /** Another status, with the instants that come with it. */
  setStatus(id: number, status: PipelineStatus): PipelineRow;
  addJob(job: NewPipelineJob): JobRow;
  /** Moves its pipeline's `updatedAt` too. */
  setJobStatus(jobId: number, status: PipelineStatus, failureReason?: string): JobRow;
  /** Puts a new job in the place of one, which only `include_retried` shows from now on; the pipeline runs again. */
  retryJob(jobId: number): JobRow;
  /** Removes a pipeline with its jobs. */
  remove(id: number): void;
}

const FIRST_PIPELINE_ID = 101;
const FIRST_JOB_ID = 10_001;
/** A source without pipelines; `now` is what a change happens at. */
export function createMemoryPipelines(now: () => Date): MemoryPipelines {
  const pipelines = new Map<number, PipelineRow>();
  const jobs = new Map<number, JobRow>();
  const lastIids = new Map<number, number>();
  const listeners = new Set<(change: PipelineChange) => void>();
  const lastIds = { pipeline: FIRST_PIPELINE_ID - 1, job: FIRST_JOB_ID - 1 };

  function insert(given: NewPipeline): PipelineRow {
    const { id = lastIds.pipeline + 1, projectId } = given;
    if (pipelines.has(id)) throw new Error(`Cannot add the pipeline ${id}: there is one already`);
    const iid = (lastIids.get(projectId) ?? 0) + 1;
    lastIids.set(projectId, iid);
    lastIds.pipeline = Math.max(lastIds.pipeline, id);
    const row = newPipeline(given, { id, iid, at: now() });
    pipelines.set(id, row);
    return row;
  }

  function touch(row: PipelineRow, change: PipelineUpdate): PipelineRow {
    const updatedAt = new Date(Math.max(now().getTime(), row.updatedAt.getTime() + 1));
    const changed = { ...row, ...change, updatedAt };
    pipelines.set(row.id, changed);
    return changed;
  }

  function tell(pipeline: PipelineRow): PipelineRow {
    for (const listener of listeners) listener({ kind: "pipeline", pipeline });
    return pipeline;
  }

  function putJob(job: JobRow): JobRow {
    jobs.set(job.id, job);
    const pipeline = touch(known(pipelines, job.pipelineId), {});
    for (const listener of listeners) listener({ kind: "job", job, pipeline });
    return job;
  }

  const source: MemoryPipelines = {
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    list: async (query) => {
      const rows = [...pipelines.values()].filter((row) => row.projectId === query.projectId);
      return pageOf(selectPipelines(rows, query), query);
    },
    find: async (projectId, id) => [pipelines.get(id)].find((row) => row?.projectId === projectId),
    latest: async (projectId, ref, sha) =>
      [...pipelines.values()]
        .filter((row) => row.projectId === projectId && row.ref === ref && row.sha === sha)
        .filter((row) => row.source !== "parent_pipeline")
        .toSorted((a, b) => b.id - a.id)
        .at(0),
    jobs: async (query) => {
      const rows = [...jobs.values()].filter(
        (job) =>
          job.projectId === query.projectId &&
          job.pipelineId === query.pipelineId &&
          (query.includeRetried || !job.retried) &&
          (query.scope?.includes(job.status) ?? true),
      );
      const sorted = rows.toSorted((a, b) => b.id - a.id);
      return pageOf(sorted, query);
    },
    add: (given) => tell(insert(given)),
    addMany(projectId, count) {
      const end = now().getTime();
      for (let left = count; left > 0; left--)
        insert({ projectId, status: "success", createdAt: new Date(end - left * 1000) });
    },
    update: (id, change) => tell(touch(known(pipelines, id), change)),
    setStatus(id, status) {
      const row = known(pipelines, id);
      return tell(touch(row, { status, ...progress(row, status, now()) }));
    },
    addJob(given) {
      const { id = lastIds.job + 1, pipelineId } = given;
      if (jobs.has(id)) throw new Error(`Cannot add the job ${id}: there is one already`);
      lastIds.job = Math.max(lastIds.job, id);
      return putJob(newJob(given, id, known(pipelines, pipelineId), now()));
    },
    setJobStatus(jobId, status, failureReason) {
      const job = known(jobs, jobId);
      return putJob({ ...job, status, ...jobProgress(job, status, now()), failureReason });
    },
    retryJob(jobId) {
      const job = known(jobs, jobId);
      jobs.set(jobId, { ...job, retried: true });
      const { pipelineId, name, stage, allowFailure } = job;
      const again = source.addJob({ pipelineId, name, stage, allowFailure, status: "pending" });
      source.setStatus(pipelineId, "running");
      return again;
    },
    remove(id) {
      known(pipelines, id);
      pipelines.delete(id);
      for (const job of jobs.values()) if (job.pipelineId === id) jobs.delete(job.id);
    },
  };
  return source;
}

function pageOf<Row>(rows: readonly Row[], { page, perPage }: PageRequest): Page<Row> {
  const end = page * perPage;
  return {
    rows: rows.slice(end - perPage, end),
    total: rows.length > COUNT_LIMIT ? undefined : rows.length,
    hasNext: rows.length > end,
  };
}

function known<Row>(rows: ReadonlyMap<number, Row>, id: number): Row {
  const row = rows.get(id);
  if (row === undefined) throw new Error(`Cannot find ${id}`);
  return row;
}
