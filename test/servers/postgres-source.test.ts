import { beforeAll, expect, test } from "vitest";
import { STATEMENTS_PER_ROW } from "../../scripts/demo/pipelines/postgres-row-by-row.ts";
import { createPostgresPipelines } from "../../scripts/demo/pipelines/postgres-source.ts";
import { postgresLacks } from "../../scripts/servers/postgres.ts";
import { DATABASE, usePlace } from "./postgres-place.ts";
import { describeWith } from "./presence.ts";

const ID = 70_000_001;
const SHA = "e".repeat(40);

describeWith("PostgreSQL", await postgresLacks())("createPostgresPipelines()", () => {
  const running = usePlace();
  beforeAll(async () => {
    await running.place.postgres.execute(
      DATABASE,
      `INSERT INTO p_ci_pipelines (partition_id, id, iid, project_id, sha, before_sha, ref, tag, status, source, user_id,
         created_at, updated_at, started_at, finished_at, duration)
       VALUES (102, ${ID}, 7001, 1, '${SHA}', NULL, 'topic', false, 'failed', 6, 2,
         '2024-05-01 10:00:00.1239', '2024-05-01 10:09:00', '2024-05-01 10:00:07.9', '2024-05-01 10:08:00', 472),
         (102, ${ID + 1}, 7002, 1, '${SHA}', NULL, 'topic', false, 'success', 12, 2,
         '2024-05-01 11:00:00', '2024-05-01 11:00:00', NULL, NULL, NULL);
       INSERT INTO ci_pipeline_metadata (project_id, pipeline_id, name, partition_id) VALUES (1, ${ID}, 'Named', 102);
       INSERT INTO p_ci_stages (id, project_id, pipeline_id, partition_id, name) VALUES (5, 1, ${ID}, 102, 'check');
       INSERT INTO p_ci_builds (id, partition_id, type, project_id, commit_id, stage_id, user_id, name, status, ref, tag, retried,
         allow_failure, failure_reason, coverage, created_at, queued_at, started_at, finished_at)
       SELECT 900 + n, 102, CASE n WHEN 9 THEN 'Ci::Bridge' ELSE 'Ci::Build' END, 1, ${ID}, 5, 3, 'job ' || n,
         CASE n % 2 WHEN 0 THEN 'success' ELSE 'failed' END, 'topic', false, n = 1, n = 3,
         CASE n % 2 WHEN 1 THEN 1 END, CASE WHEN n IN (1, 2, 4) THEN n * 10 END,
         '2024-05-01 10:00:00', '2024-05-01 10:00:01', '2024-05-01 10:00:03.5', '2024-05-01 10:00:10'
       FROM generate_series(1, 9) AS n;`,
    );
  });

  test("finds a pipeline with all that belongs to it, of its own project alone", async () => {
    const { source } = running.place;
    expect(await source.find(1, ID)).toEqual({
      id: ID,
      iid: 7001,
      projectId: 1,
      sha: SHA,
      beforeSha: "0".repeat(40),
      ref: "topic",
      tag: false,
      status: "failed",
      source: "external",
      name: "Named",
      userId: 2,
      username: "Reader",
      yamlErrors: undefined,
      createdAt: new Date("2024-05-01T10:00:00.123Z"),
      updatedAt: new Date("2024-05-01T10:09:00Z"),
      startedAt: new Date("2024-05-01T10:00:07.900Z"),
      finishedAt: new Date("2024-05-01T10:08:00Z"),
      committedAt: undefined,
      duration: 472,
      queuedDuration: 7,
      coverage: 30, // of those that were not retried
    });
    expect(await source.find(2, ID)).toBeUndefined();
    expect(await source.find(1, 1)).toBeUndefined();
  });

  test("finds the latest pipeline of a commit on a ref, but none of another pipeline", async () => {
    const { source } = running.place;
    expect((await source.latest(1, "topic", SHA))?.id).toBe(ID);
    expect(await source.latest(1, "main", SHA)).toBeUndefined();
    expect(await source.latest(1, "topic", "f".repeat(40))).toBeUndefined();
  });

  test("lists the jobs of a pipeline from the newest, page by page", async () => {
    const { source } = running.place;
    const jobs = async (more: object = {}) =>
      await source.jobs({
        projectId: 1,
        pipelineId: ID,
        includeRetried: false,
        page: 1,
        perPage: 3,
        ...more,
      });
    const first = await jobs();
    expect(first).toMatchObject({ total: 7, hasNext: true });
    expect(first.rows.map((job) => job.id)).toEqual([908, 907, 906]);
    expect(first.rows[1]).toEqual({
      id: 907,
      pipelineId: ID,
      projectId: 1,
      name: "job 7",
      stage: "check",
      status: "failed",
      ref: "topic",
      tag: false,
      allowFailure: false,
      retried: false,
      userId: 3,
      username: "o'ther",
      createdAt: new Date("2024-05-01T10:00:00Z"),
      startedAt: new Date("2024-05-01T10:00:03.500Z"),
      finishedAt: new Date("2024-05-01T10:00:10Z"),
      erasedAt: undefined,
      duration: 6.5,
      queuedDuration: 2.5,
      coverage: undefined,
      failureReason: "script_failure",
    });
    const last = await jobs({ page: 3 });
    expect(last).toMatchObject({ total: 7, hasNext: false });
    expect(last.rows.map((job) => job.id)).toEqual([902]);
    expect(await jobs({ includeRetried: true })).toMatchObject({ total: 8 });
    expect(await jobs({ scope: ["success"] })).toMatchObject({ total: 4 });
    expect(await jobs({ projectId: 2 })).toEqual({ rows: [], total: 0, hasNext: false });
  });

  test("asks four statements for a list, however long it is", async () => {
    const { source } = running.place;
    const list = async (perPage: number) => {
      const before = source.statements;
      await source.list({ projectId: 1, filter: {}, orderBy: "id", sort: "desc", page: 1, perPage });
      return source.statements - before;
    };
    expect([await list(1), await list(100)]).toEqual([4, 4]);
  });

  test("asks some for each row where it is to read row by row, and finds the same", async () => {
    const { source, postgres } = running.place;
    const byRows = createPostgresPipelines(postgres.url(DATABASE), { statements: "per row" });
    try {
      for (const [more, rows] of [
        [{ perPage: 100 }, 100],
        [{ perPage: 7, page: 3, orderBy: "updated_at", sort: "asc", filter: { ref: "main" } }, 7],
        [{ page: 9999 }, 0],
      ] as const) {
        const query = {
          ...({ projectId: 1, filter: {}, orderBy: "id", sort: "desc", page: 1, perPage: 20 } as const),
          ...more,
        };
        const before = byRows.statements;
        expect(await byRows.list(query)).toEqual(await source.list(query));
        expect(byRows.statements - before).toBe(2 + rows * STATEMENTS_PER_ROW);
      }
    } finally {
      await byRows.close();
    }
  });

  test("is what the forge shows a pipeline and its jobs from", async () => {
    const { demo } = running.place;
    const get = async (path: string) => {
      const response = await fetch(`${demo.gitlab.url}/api/v4/projects/1/pipelines/${path}`);
      return (await response.json()) as unknown;
    };
    expect(await get(String(ID))).toMatchObject({ id: ID, name: "Named", coverage: "30.00" });
    expect(await get(`${ID}/jobs?scope[]=success`)).toHaveLength(4);
  });
});
