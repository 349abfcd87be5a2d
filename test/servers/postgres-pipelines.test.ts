import fc from "fast-check";
import { expect, test } from "vitest";
import { selectPipelines } from "../../scripts/demo/pipelines/selection.ts";
import {
  type PipelineFilter,
  type PipelineQuery,
  type PipelineRow,
  PIPELINE_ORDERS,
  PIPELINE_SOURCES,
  PIPELINE_STATUSES,
} from "../../scripts/demo/pipelines/source.ts";
import { postgresLacks } from "../../scripts/servers/postgres.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { pipelinesDatabase } from "../../src/origin/pipelines-db.ts";
import { postgresRunner } from "../../src/origin/postgres.ts";
import {
  ADDRESS,
  addressOf,
  DATABASE,
  fromDatabase,
  fromForge,
  listOf,
  lockProjects,
  MERGE_REQUEST_BRANCH,
  PIPELINES,
  type Place,
  READER,
  said,
  silentServer,
  usePlace,
} from "./postgres-place.ts";
import { describeWith } from "./presence.ts";

/** What breaks out of a text that is put into a statement, or into JSON. */
const INJECTIONS = [
  "main' OR '1'='1",
  "'; DROP TABLE projects; --",
  "$1",
  "\\'; SELECT pg_sleep(9); --",
  "$$ OR true $$",
  "%",
  'main" OR "a',
  "<script>&amp;\u2028",
  "NULL",
  "::text",
];

const INSTANTS = [
  "2024-01-01",
  "2024-01-05T12:00Z",
  "2024-01-10 06:30:15.5+02:00",
  "2024-01-01T00:12:20.012340Z",
];

const search = fc
  .record(
    {
      page: fc.integer({ min: 1, max: 70 }).map(String),
      per_page: fc.constantFrom("1", "2", "7", "50", "99", "100", "500"),
      scope: fc.constantFrom("running", "pending", "finished"),
      status: fc.constantFrom(...PIPELINE_STATUSES),
      ref: fc.constantFrom(
        "main",
        "release/2024 & <next>",
        "v1.2",
        "feature/17",
        "refs/merge-requests/3/head",
        "x",
      ),
      sha: fc.constantFrom("a".repeat(40), "0"),
      yaml_errors: fc.constantFrom("true", "false", "1", "no"),
      username: fc.constantFrom("developer", "READER", "o'ther", "nobody"),
      source: fc.constantFrom(...PIPELINE_SOURCES),
      name: fc.constantFrom("Nightly", "nightly", "Build & deploy <main>", "Lübeck → München \u2028"),
      updated_after: fc.constantFrom(...INSTANTS),
      updated_before: fc.constantFrom(...INSTANTS),
      created_after: fc.constantFrom(...INSTANTS),
      created_before: fc.constantFrom(...INSTANTS),
      order_by: fc.constantFrom(...PIPELINE_ORDERS),
      sort: fc.constantFrom("asc", "desc"),
    },
    { requiredKeys: [] },
  )
  // Seldom more than a few at once, or there would be no rows left
  .chain((all) => fc.subarray(Object.entries(all), { maxLength: 4 }))
  .map((pairs) => new URLSearchParams(pairs).toString());

const REFS = ["main", "release/2024 & <next>", "v1.2", "feature/17", "gone"];
const DAYS = ["2024-01-01T03:00Z", "2024-01-01T09:30Z"].map((text) => new Date(text));

/** All that a source may be asked for; `unknown` is what GitLab itself never shows. */
const FILTER: fc.Arbitrary<PipelineFilter> = fc.record(
  {
    scope: fc.oneof(
      fc.constantFrom({ kind: "running" } as const, { kind: "finished" } as const),
      fc.record({ kind: fc.constantFrom("branches", "tags"), refs: fc.subarray(REFS, { minLength: 1 }) }),
    ),
    status: fc.constantFrom("success", "failed", "running"),
    ref: fc.constantFrom(...REFS),
    yamlErrors: fc.boolean(),
    username: fc.constantFrom("DEVELOPER", "o'ther"),
    source: fc.constantFrom("push", "parent_pipeline"),
    name: fc.constantFrom("Nightly", "nightly"),
    updatedAfter: fc.constantFrom(...DAYS),
    updatedBefore: fc.constantFrom(...DAYS),
    createdAfter: fc.constantFrom(...DAYS),
    createdBefore: fc.constantFrom(...DAYS),
    withoutIds: fc.constant([10_001_200, 10_001_199]),
  },
  { requiredKeys: [] },
);

async function expectSame(place: Place, project: string, text: string): Promise<string> {
  const target = listOf(project, text);
  const [forge, database] = [await fromForge(place, target), said(await fromDatabase(place, target))];
  expect(database).toEqual(forge);
  return database.body;
}

async function reasonOf(place: Place, project: string, text: string): Promise<string> {
  const answer = await fromDatabase(place, listOf(project, text));
  return answer.kind === "answer" ? "answer" : answer.reason;
}

describeWith("PostgreSQL", await postgresLacks())("PostgreSQL's own answer", () => {
  const running = usePlace();

  test("is byte for byte what the forge says that reads row by row", async () => {
    const seen = { rows: 0 };
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("1", "demo/hello", "2"), search, async (project, text) => {
        const body = await expectSame(running.place, project, text);
        seen.rows += (JSON.parse(body) as readonly unknown[]).length;
      }),
      { numRuns: 400 },
    );
    expect(seen.rows).toBeGreaterThan(400);
  }, 60_000);

  test("is of the rows that the forge's memory would select", async () => {
    const { place } = running;
    const list = async (query: Partial<PipelineQuery>) =>
      await place.source.list({
        projectId: 1,
        filter: {},
        orderBy: "id",
        sort: "desc",
        page: 1,
        perPage: 100,
        ...query,
      });
    const rows: PipelineRow[] = [];
    for (let page = 1; page <= PIPELINES / 100; page += 1)
      for (const filter of [{}, { source: "parent_pipeline" } as const])
        rows.push(...(await list({ filter, page })).rows);
    await fc.assert(
      fc.asyncProperty(FILTER, fc.constantFrom(...PIPELINE_ORDERS), async (filter, orderBy) => {
        const expected = selectPipelines(rows, { filter, orderBy, sort: "asc" });
        const found = await list({ filter, orderBy, sort: "asc" });
        expect(found.rows).toEqual(expected.slice(0, 100));
        expect(found).toMatchObject({ total: expected.length, hasNext: expected.length > 100 });
      }),
    );
  });

  test("has every filter, order and page at least once", async () => {
    const { place } = running;
    const filters = [
      ...PIPELINE_ORDERS.flatMap((order) => [`order_by=${order}`, `order_by=${order}&sort=asc&page=3`]),
      ...PIPELINE_STATUSES.map((status) => `status=${status}`),
      ...PIPELINE_SOURCES.map((source) => `source=${source}`),
      ...["running", "pending", "finished"].map((scope) => `scope=${scope}`),
      "yaml_errors=true",
      "yaml_errors=off",
      "username=reader",
      "name=Nightly",
      "per_page=100&page=12",
      "per_page=100&page=13",
      "per_page=1&page=999999999",
    ];
    for (const filter of filters) await expectSame(place, "1", filter);
    const all = await expectSame(place, "1", "per_page=100");
    expect(JSON.parse(all)).toHaveLength(100);
  });

  test("has what JSON and HTML have to escape", async () => {
    const named = await expectSame(running.place, "1", "per_page=100&name=Build+%26+deploy+%3Cmain%3E");
    expect(named).toContain(String.raw`"name":"Build \u0026 deploy \u003cmain\u003e"`);
    const all = await expectSame(running.place, "1", "per_page=100");
    expect(all).toContain(String.raw`"name":"Two\nlines\t\"quoted\" \\"`);
    expect(all).toContain(String.raw`Lübeck → München \u2028`);
  });

  test("leaves out the instant itself of creation, and not that of a change", async () => {
    const { place } = running;
    const { body } = said(await fromDatabase(place, listOf("1", "per_page=1&page=500&sort=asc")));
    const [{ id }] = JSON.parse(body) as readonly [{ readonly id: number }];
    await place.postgres.execute(
      DATABASE,
      `UPDATE p_ci_pipelines SET created_at = '2023-05-05 05:05:05.125', updated_at = '2023-06-06 06:06:06.125' WHERE id = ${id}`,
    );
    const count = async (text: string) =>
      (JSON.parse(await expectSame(place, "1", text)) as readonly unknown[]).length;
    expect(await count("created_before=2023-05-05T05:05:05.125Z")).toBe(0);
    expect(await count("created_before=2023-05-05T05:05:05.126Z")).toBe(1);
    expect(await count("updated_before=2023-06-06T06:06:06.125Z")).toBe(1);
    expect(await count("updated_before=2023-06-06T06:06:06.124Z")).toBe(0);
  });

  test("takes a text for nothing but a text", async () => {
    const { place } = running;
    for (const text of INJECTIONS) {
      for (const name of ["ref", "sha", "username", "name"]) {
        const body = await expectSame(place, "1", String(new URLSearchParams({ [name]: text })));
        expect(body).toBe("[]");
      }
      expect(await reasonOf(place, `demo/${text}`, "")).toBe("absent");
    }
    expect(await reasonOf(place, "1", "")).toBe("answer");
  });

  test("leaves a filter aside that is nothing but white space", async () => {
    const { place } = running;
    const all = said(await fromDatabase(place, listOf("1", "")));
    const blank = await expectSame(place, "1", "ref=%20&name=%E2%80%83&sha=%C2%A0");
    expect(blank).toBe(all.body);
  });

  test("finds a project by its number and by its path in any case, unless it is being deleted", async () => {
    const { place } = running;
    const byNumber = said(await fromDatabase(place, listOf("2", ""))).body;
    expect(byNumber).toContain(`"web_url":"${ADDRESS}/demo/nested/secret/-/pipelines/`);
    expect(said(await fromDatabase(place, listOf("Demo/Nested/SECRET", ""))).body).toBe(byNumber);
    for (const none of ["4", "9".repeat(30), "secret", "demo/nested"])
      expect(await reasonOf(place, none, "")).toBe("absent");
    await place.postgres.execute(
      DATABASE,
      "INSERT INTO projects (id, namespace_id) VALUES (8, 1), (9, 1);" +
        "INSERT INTO routes (source_id, source_type, path) VALUES (8, 'Project', 'demo/Twin'), (9, 'Project', 'Demo/twin');" +
        "INSERT INTO p_ci_pipelines (partition_id, project_id, source) VALUES (100, 8, 1), (100, 9, 1)",
    );
    for (const twin of ["demo/Twin", "Demo/twin"])
      expect(said(await fromDatabase(place, listOf(twin, ""))).body).toContain(
        `${ADDRESS}/${twin}/-/pipelines/`,
      );
    await place.postgres.execute(DATABASE, "UPDATE projects SET pending_delete = true WHERE id = 2");
    expect(await reasonOf(place, "2", "")).toBe("absent");
    await place.postgres.execute(DATABASE, "UPDATE projects SET pending_delete = false WHERE id = 2");
  });

  test("is none where only the repository or a setting of GitLab's could tell", async () => {
    const { place } = running;
    expect(await reasonOf(place, "1", "scope=branches")).toBe("unsupported");
    expect(await reasonOf(place, "1", "scope=tags")).toBe("unsupported");
    expect(await reasonOf(place, "1", `ref=${MERGE_REQUEST_BRANCH}`)).toBe("ambiguous");
    expect(await reasonOf(place, "1", `ref=${MERGE_REQUEST_BRANCH}&source=push`)).toBe("answer");
    expect(await reasonOf(place, "2", `ref=${MERGE_REQUEST_BRANCH}`)).toBe("answer");
  });

  test("counts up to 10,000 rows and no further", async () => {
    const { place } = running;
    const add = async (first: number, last: number) =>
      await place.postgres.execute(
        DATABASE,
        `INSERT INTO p_ci_pipelines (partition_id, id, iid, project_id, sha, ref, status, source, user_id, created_at, updated_at)
         SELECT 103, 30000000 + n, n, 3, repeat('c', 40), 'main', 'success', 1, 1, '2024-02-03', '2024-02-03'
         FROM generate_series(${first}, ${last}) AS n`,
      );
    const headersOf = async (text: string) => {
      await expectSame(place, "3", text);
      return said(await fromDatabase(place, listOf("3", text))).headers;
    };
    expect(await headersOf("")).toMatchObject({ "x-total": "0", "x-total-pages": "1", "x-next-page": "" });
    await add(1, 10_000);
    expect(await headersOf("page=500")).toMatchObject({ "x-total": "10000", "x-next-page": "" });
    expect((await headersOf(""))["link"]).toContain('rel="last"');
    await add(10_001, 10_001);
    expect(await headersOf("page=500")).toMatchObject({ "x-next-page": "501" });
    expect(await headersOf("")).not.toHaveProperty("x-total");
    expect((await headersOf(""))["link"]).not.toContain('rel="last"');
    expect(await headersOf("page=501")).toMatchObject({ "x-next-page": "", "x-prev-page": "500" });
    expect(await headersOf("page=502")).toMatchObject({ "x-next-page": "", "x-prev-page": "" });
  });

  test("is none where a source has a number that is not known here", async () => {
    const { place } = running;
    const set = async (source: number) =>
      await place.postgres.execute(
        DATABASE,
        `UPDATE p_ci_pipelines SET source = ${source} WHERE id = 20000040`,
      );
    await set(99);
    expect(await reasonOf(place, "2", "")).toBe("schema");
    await set(1);
    expect(await reasonOf(place, "2", "")).toBe("answer");
  });

  test("is read by a role that can do nothing else", async () => {
    const { place } = running;
    const run = postgresRunner(() => addressOf(place.reader), 2000);
    const attempt = async (text: string) =>
      await run({ text, values: [] }, () => {}).then(
        () => "done",
        (error: unknown) => String((error as Error).cause),
      );
    expect(await attempt("UPDATE projects SET hidden = true")).toMatch(
      /read-only transaction|permission denied/,
    );
    expect(await attempt("SET TRANSACTION READ WRITE; UPDATE projects SET hidden = true")).toMatch(
      /permission denied/,
    );
    expect(await attempt("SELECT email FROM users")).toMatch(/permission denied/);
    expect(await attempt("SELECT username FROM users")).toBe("done");
  });

  test("is none, with a reason, where the database is slow, silent, gone, closed or another", async () => {
    const { place } = running;
    const { postgres } = place;
    const reasonAt = async (url: string, timeoutMs = 3000) =>
      await fromDatabase({ ...place, reader: url }, listOf("1", ""), timeoutMs).then((answer) =>
        answer.kind === "answer" ? "answer" : answer.reason,
      );
    expect(await reasonAt(place.reader)).toBe("answer");
    expect(await reasonAt(`postgres://a:b@127.0.0.1:${await quietPort()}/x`)).toBe("unreachable");
    expect(await reasonAt(postgres.url(DATABASE, { ...READER, password: "wrong" }))).toBe("error");
    expect(await reasonAt(postgres.url("template1", READER))).toBe("schema");

    await using silent = await silentServer();
    expect(await reasonAt(`postgres://a:b@127.0.0.1:${silent.port}/x`, 200)).toBe("timeout");

    await using _lock = await lockProjects(place);
    await postgres.execute(DATABASE, "ALTER ROLE forgefront SET statement_timeout = 50");
    expect(await reasonAt(place.reader)).toBe("timeout");
    await postgres.execute(DATABASE, "ALTER ROLE forgefront SET statement_timeout = 1000");
    expect(await reasonAt(place.reader, 100)).toBe("timeout");
  });

  test("leaves a database alone that does not answer", async () => {
    const { place } = running;
    const clock = { ms: 0 };
    let url = `postgres://a:b@127.0.0.1:${await quietPort()}/x`;
    const asked: string[] = [];
    const database = pipelinesDatabase({
      run: async (query, defer) => {
        asked.push(url);
        return await postgresRunner(() => addressOf(url), 2000)(query, defer);
      },
      restMs: 5000,
      now: () => clock.ms,
    });
    const reason = async () => {
      const answer = await database.list(listOf("1", ""), ADDRESS, () => {});
      return answer.kind === "answer" ? "answer" : answer.reason;
    };
    expect(await reason()).toBe("unreachable");
    expect(await reason()).toBe("resting");
    clock.ms = 5000;
    url = place.reader;
    expect(await Promise.all([reason(), reason(), reason()])).toEqual(["answer", "resting", "resting"]);
    expect(await reason()).toBe("answer");
    expect(asked).toHaveLength(3);
  });
});
