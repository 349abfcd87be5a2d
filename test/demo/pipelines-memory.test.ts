import { expect, it, test } from "vitest";
import { createMemoryPipelines } from "../../scripts/demo/pipelines/memory-source.ts";
import type { MemoryPipelines } from "../../scripts/demo/pipelines/memory-source.ts";
import type { NewPipeline } from "../../scripts/demo/pipelines/new-rows.ts";
import type { PipelineFilter, PipelineQuery } from "../../scripts/demo/pipelines/source.ts";

const START = Date.UTC(2026, 10, 21, 10, 0, 0);
const at = (minutes: number) => new Date(START + minutes * 60_000);

/** Pipelines 1 to 6 and 8 of the project 1, and one of another. */
function sample(): MemoryPipelines {
  const pipelines = createMemoryPipelines(() => at(0));
  const add = (id: number, more: Partial<NewPipeline>) =>
    pipelines.add({ projectId: 1, id, createdAt: at(id), status: "success", ...more });
  add(1, { ref: "main", sha: "a".repeat(40), name: "Build" });
  add(2, { ref: "dev", status: "failed", username: "reader", sha: "a".repeat(40) });
  add(3, { ref: "v1", tag: true, status: "running", source: "web" });
  add(4, { ref: "main", status: "pending", yamlErrors: "jobs config is missing" });
  add(5, { ref: "main", source: "parent_pipeline" });
  add(6, { ref: "gone", status: "canceled", updatedAt: at(60) });
  pipelines.add({ projectId: 2, id: 7 });
  add(8, { source: "unknown" }); // no list shows it
  return pipelines;
}

async function ids(pipelines: MemoryPipelines, filter: PipelineFilter, more: Partial<PipelineQuery> = {}) {
  const query = { projectId: 1, filter, orderBy: "id", sort: "desc", page: 1, perPage: 20, ...more } as const;
  return (await pipelines.list(query)).rows.map(({ id }) => id);
}

test.for<[PipelineFilter, number[]]>([
  [{}, [6, 4, 3, 2, 1]],
  [{ source: "parent_pipeline" }, [5]],
  [{ source: "web" }, [3]],
  [{ status: "failed" }, [2]],
  [{ ref: "main" }, [4, 1]],
  [{ sha: "a".repeat(40) }, [2, 1]],
  [{ sha: "a".repeat(40), ref: "dev" }, [2]],
  [{ name: "Build" }, [1]],
  [{ name: "build" }, []],
  [{ username: "READER" }, [2]],
  [{ yamlErrors: true }, [4]],
  [{ yamlErrors: false }, [6, 3, 2, 1]],
  [{ source: "unknown" }, []],
  [{ createdAfter: at(3) }, [6, 4]], // without the instant itself
  [{ createdBefore: at(3) }, [2, 1]],
  [{ updatedAfter: at(60) }, [6]],
  [{ updatedBefore: at(59) }, [4, 3, 2, 1]],
  [{ withoutIds: [6, 1] }, [4, 3, 2]],
  [{ scope: { kind: "running" } }, [3]],
  [{ scope: { kind: "pending" } }, [4]],
  [{ scope: { kind: "finished" } }, [6, 2, 1]],
  [{ scope: { kind: "branches", refs: ["main", "dev", "new"] } }, [4, 2]],
  [{ scope: { kind: "tags", refs: ["v1", "main"] } }, [3]],
  // The newest of a ref is taken before it is asked what became of it.
  [{ scope: { kind: "branches", refs: ["main", "dev"] }, status: "success" }, []],
  [{ scope: { kind: "branches", refs: ["main"] }, withoutIds: [4] }, [1]],
])("list() of %j", async ([filter, expected]) => {
  expect(await ids(sample(), filter)).toEqual(expected);
});

test.for<[Partial<PipelineQuery>, number[]]>([
  [{ orderBy: "id", sort: "asc" }, [1, 2, 3, 4, 6]],
  [{ orderBy: "ref", sort: "asc" }, [2, 6, 1, 4, 3]],
  [{ orderBy: "ref", sort: "desc" }, [3, 4, 1, 6, 2]],
  [{ orderBy: "status", sort: "asc" }, [6, 2, 4, 3, 1]],
  [{ orderBy: "updated_at", sort: "desc" }, [6, 4, 3, 2, 1]],
  [{ orderBy: "user_id", sort: "desc" }, [2, 6, 4, 3, 1]],
  [{ page: 2, perPage: 2 }, [3, 2]],
  [{ page: 4, perPage: 2 }, []],
])("list() in the order of %j", async ([more, expected]) => {
  expect(await ids(sample(), {}, more)).toEqual(expected);
});

it("stops counting above 10,000 rows, and still knows whether there are more", async () => {
  const pipelines = createMemoryPipelines(() => at(0));
  const page = (number: number) =>
    pipelines.list({ projectId: 1, filter: {}, orderBy: "id", sort: "desc", page: number, perPage: 100 });
  pipelines.addMany(1, 10_000);
  expect(await page(1)).toMatchObject({ total: 10_000, hasNext: true });
  expect(await page(100)).toMatchObject({ hasNext: false });
  pipelines.add({ projectId: 1 });
  expect(await page(1)).toMatchObject({ total: undefined, hasNext: true });
  expect(await page(101)).toMatchObject({ total: undefined, hasNext: false, rows: [{ iid: 1 }] });
});

it("moves updatedAt on with every change, even within one instant, and tells of it", async () => {
  const pipelines = createMemoryPipelines(() => at(0));
  const told: string[] = [];
  pipelines.onChange(({ kind, pipeline }) => {
    told.push(`${kind} ${pipeline.status} ${+pipeline.updatedAt - START}`);
  });
  const { id } = pipelines.add({ projectId: 1 });
  pipelines.setStatus(id, "running");
  const job = pipelines.addJob({ pipelineId: id, name: "test" });
  pipelines.setJobStatus(job.id, "failed", "runner_system_failure");
  pipelines.setStatus(id, "failed");
  expect(told).toEqual([
    "pipeline pending 0",
    "pipeline running 1",
    "job running 2",
    "job running 3",
    "pipeline failed 4",
  ]);
  expect(await pipelines.find(1, id)).toMatchObject({ startedAt: at(0), finishedAt: at(0), duration: 0 });
});

it("shows a job that was retried only where that is asked for", async () => {
  const pipelines = createMemoryPipelines(() => at(0));
  const { id } = pipelines.add({ projectId: 1, status: "failed" });
  const job = pipelines.addJob({ pipelineId: id, name: "test", status: "failed" });
  const again = pipelines.retryJob(job.id);
  const jobs = async (includeRetried: boolean) => {
    const query = { projectId: 1, pipelineId: id, includeRetried, page: 1, perPage: 20 };
    return (await pipelines.jobs(query)).rows.map((row) => [row.id, row.status]);
  };
  expect(await jobs(false)).toEqual([[again.id, "pending"]]);
  expect(await jobs(true)).toEqual([
    [again.id, "pending"],
    [job.id, "failed"],
  ]);
  expect(await pipelines.find(1, id)).toMatchObject({ status: "running", finishedAt: undefined });
});

it("finds the newest of a ref at a commit, and nothing that was removed or is of another project", async () => {
  const pipelines = sample();
  const sha = "b".repeat(40);
  for (const id of [11, 12]) pipelines.add({ projectId: 1, id, sha });
  expect((await pipelines.latest(1, "main", sha))?.id).toBe(12);
  pipelines.remove(12);
  expect((await pipelines.latest(1, "main", sha))?.id).toBe(11);
  expect(await pipelines.latest(1, "dev", sha)).toBeUndefined();
  expect(await pipelines.find(1, 12)).toBeUndefined();
  expect(await pipelines.find(2, 11)).toBeUndefined();
});
