import { createHash } from "node:crypto";
import { afterEach, describe, expect, it, test } from "vitest";
import { createMemoryPipelines } from "../../scripts/demo/pipelines/memory-source.ts";
import { useDemo } from "./running-demo.ts";

const running = useDemo();
const forge = () => running.demo.gitlab;
const get = (path: string, init?: RequestInit) => fetch(`${forge().url}/api/v4/projects/${path}`, init);
const READER = { "PRIVATE-TOKEN": "glpat-reader" };
const DEVELOPER = { "PRIVATE-TOKEN": "glpat-developer" };
const clock = () => new Date(Date.UTC(2026, 10, 21, 10, 0, 0));

afterEach(() => {
  forge().setPipelinesAccess("demo/hello", "everyone");
  forge().externalUrl = forge().url;
});

async function keys(path: string, headers = {}): Promise<string[]> {
  const value = (await (await get(path, { headers })).json()) as object | object[];
  return Object.keys(Array.isArray(value) ? (value[0] as object) : value);
}

async function ids(path: string, headers = {}): Promise<number[]> {
  return ((await (await get(path, { headers })).json()) as { id: number }[]).map(({ id }) => id);
}

const BASIC = [
  "id",
  "iid",
  "project_id",
  "sha",
  "ref",
  "status",
  "source",
  "created_at",
  "updated_at",
  "web_url",
];

describe("pipelines", () => {
  it("lists pipelines in GitLab's form", async () => {
    const [pipeline] = (await (await get("1/pipelines?ref=main")).json()) as object[];
    expect(pipeline).toEqual({
      id: 11,
      iid: 1,
      project_id: 1,
      sha: await forge().objectId("demo/hello", "main"),
      ref: "main",
      status: "success",
      source: "push",
      created_at: "2026-01-05T10:00:00.000Z",
      updated_at: expect.stringMatching(/^2026-01-05T10:40:00\.\d{3}Z$/),
      web_url: `${forge().url}/demo/hello/-/pipelines/11`,
      name: "Build of hello",
    });
    expect(await keys("1/pipelines")).toEqual([...BASIC, "name"]);
    expect(forge().counts()).toMatchObject({ total: 2, "api:pipelines": 2 });
  });

  it("says where the list goes on, with every parameter in the order of Rails", async () => {
    forge().externalUrl = "https://forge.example/git";
    const path = "demo%2Fhello/pipelines?per_page=1&page=2&updated_after=2026-01-01&x=a%20b~&sort=asc";
    const { headers } = await get(path);
    const link = (page: number, relation: string) =>
      `<https://forge.example/git/api/v4/projects/demo%2Fhello/pipelines?id=demo%2Fhello&order_by=id&page=${page}&per_page=1` +
      `&sort=asc&updated_after=2026-01-01T00%3A00%3A00%2B00%3A00&x=a+b~>; rel="${relation}"`;
    expect(headers.get("link")).toBe(
      [link(1, "prev"), link(3, "next"), link(1, "first"), link(3, "last")].join(", "),
    );
    const names = ["page", "per-page", "next-page", "prev-page", "total", "total-pages"];
    expect(names.map((name) => headers.get(`x-${name}`))).toEqual(["2", "1", "3", "1", "3", "3"]);
  });

  test.for<[string, (string | null)[]]>([
    ["per_page=1000", ["1", "100", "", ""]],
    ["per_page=-1&page=-3", ["1", "20", "", ""]],
    ["page=9&per_page=1", ["9", "1", "", ""]],
    ["page=&per_page=", ["1", "20", "", ""]],
    ["ref=none", ["1", "20", "", ""]],
  ])("pages by %s", async ([query, expected]) => {
    const { headers } = await get(`1/pipelines?${query}`);
    const names = ["page", "per-page", "next-page", "prev-page"];
    expect(names.map((name) => headers.get(`x-${name}`))).toEqual(expected);
    expect(headers.get("x-total-pages")).toBe(
      query.includes("per_page=1&") || query.endsWith("per_page=1") ? "3" : "1",
    );
  });

  it("counts no further than 10,000", async () => {
    const { pipelines } = forge();
    const own = forge().pipelineSource;
    const many = createMemoryPipelines(clock);
    many.addMany(1, 10_001);
    forge().pipelineSource = many;
    const { headers } = await get("1/pipelines");
    forge().pipelineSource = own;
    expect([headers.get("x-total"), headers.get("x-total-pages"), headers.get("x-next-page")]).toEqual([
      null,
      null,
      "2",
    ]);
    expect(headers.get("link")).not.toContain('rel="last"');
    expect(own).toBe(pipelines);
  });

  test.for<[string, string]>([
    ["created_after=yesterday", "created_after is invalid"],
    ["updated_before=2026-02-31", "updated_before is invalid"],
    ["yaml_errors=maybe", "yaml_errors is invalid"],
    ["page=two&status=green", "page is invalid, status does not have a valid value"],
    ["per_page=0", "per_page has a value not allowed"],
    ["scope=all", "scope does not have a valid value"],
    ["order_by=sha", "order_by does not have a valid value"],
    ["status[]=failed", "status is invalid"],
  ])("refuses %s", async ([query, error]) => {
    // Before anybody's right to ask is looked at.
    for (const project of [1, 2, 99]) {
      const response = await get(`${project}/pipelines?${query}`);
      expect([response.status, await response.json()]).toEqual([400, { error }]);
    }
  });

  test.for<[string, number[]]>([
    ["status=failed", [12]],
    ["scope=tags", [13]],
    ["scope=branches", [12, 11]],
    ["scope=finished&sort=asc", [11, 12]],
    ["username=reader", [12]],
    ["name=Build+of+hello", [11]],
    ["created_after=2026-01-05T11:09:59%2B01:00", [13, 12]],
    ["created_after=2026-01-05T11:10:00%2B01:00", [13]],
    ["updated_before=2026-01-05 10:39:59Z", []],
    ["yaml_errors=1", []],
    ["ref=&status=running", [13]],
    ["ref=%20%E2%80%83&status=running", [13]],
  ])("filters by %s", async ([query, expected]) => {
    expect(await ids(`1/pipelines?${query}`)).toEqual(expected);
  });
});

describe("a pipeline", () => {
  it("is written so that nothing in it can be taken for HTML", async () => {
    const name = "<b> & \u2028\u2029";
    const { id } = await forge().addPipeline("demo/hello", { name, status: "success" });
    const text = await (await get(`1/pipelines/${id}`)).text();
    forge().pipelines.remove(id);
    expect(text).toContain(String.raw`"name":"\u003cb\u003e \u0026 \u2028\u2029"`);
    expect(JSON.parse(text)).toMatchObject({ name });
  });

  it("has GitLab's keys, in its order", async () => {
    expect(await keys("1/pipelines/11")).toEqual([
      ...BASIC,
      "before_sha",
      "tag",
      "yaml_errors",
      "user",
      "started_at",
      "finished_at",
      "committed_at",
      "duration",
      "queued_duration",
      "coverage",
      "detailed_status",
      "name",
    ]);
  });

  it("is the latest of a ref only at the commit that the ref is at", async () => {
    const latest = async (ref: string) => {
      const response = await get(`1/pipelines/latest?ref=${ref}`);
      return [response.status, ((await response.json()) as { id?: number }).id];
    };
    expect(await latest("")).toEqual([200, 11]);
    expect(await latest("v1.0")).toEqual([200, 13]);
    expect(await latest("feature%2Flogin")).toEqual([200, 12]);
    expect(await latest("feature%2Flogin-page")).toEqual([403, undefined]);
    expect(await latest("none")).toEqual([403, undefined]);
    await forge().commit("demo/hello", "feature/login-page", { "a.txt": "a" });
    const { id } = await forge().addPipeline("demo/hello", { ref: "feature/login-page" });
    expect(await latest("feature%2Flogin-page")).toEqual([200, id]);
    await forge().commit("demo/hello", "feature/login-page", { "a.txt": "b" });
    expect(await latest("feature%2Flogin-page")).toEqual([403, undefined]);
    forge().pipelines.remove(id);
  });

  test.for<[string, number, object]>([
    ["1/pipelines/99", 404, { message: "404 Not found" }],
    ["1/pipelines/21", 404, { message: "404 Not found" }],
    ["1/pipelines/99/jobs", 404, { message: "404 Not found" }],
    ["1/pipelines/x", 400, { error: "pipeline_id is invalid" }],
    [
      "1/pipelines/x/jobs?scope=y",
      400,
      { error: "pipeline_id is invalid, scope does not have a valid value" },
    ],
    ["1/pipelines/11/bridges", 404, { error: "404 Not Found" }],
    ["2/pipelines", 404, { message: "404 Project Not Found" }],
    ["9/pipelines/11", 404, { message: "404 Project Not Found" }],
  ])("%s: %i", async ([path, status, body]) => {
    const response = await get(path);
    expect([response.status, await response.json()]).toEqual([status, body]);
  });
});

describe("jobs", () => {
  it("are shown with their commit, their pipeline and what they left", async () => {
    const [job] = (await (
      await get("1/pipelines/11/jobs?scope[]=success&scope[]=failed&per_page=1")
    ).json()) as object[];
    expect(job).toMatchObject({
      id: 1002,
      stage: "test",
      coverage: 87.5,
      duration: 120,
      commit: {
        id: await forge().objectId("demo/hello", "main"),
        created_at: "2026-01-05T09:01:00.000+00:00",
      },
      pipeline: { id: 11 },
      artifacts_file: { filename: "artifacts.zip" },
      artifacts: [{ file_type: "archive" }, { file_type: "junit" }],
    });
    expect(await ids("1/pipelines/13/jobs?scope=created")).toEqual([1202]);
    expect((await get("1/pipelines/11/jobs?scope[]=failed&scope[]=success")).headers.get("link")).toContain(
      "&pipeline_id=11&scope%5B%5D=failed&scope%5B%5D=success>",
    );
    expect(forge().counts()["api:pipeline-jobs"]).toBe(3);
  });

  it("have run until now, where they still run", async () => {
    const tag = async () => (await get("1/pipelines/13/jobs")).headers.get("etag");
    const own = forge().now;
    forge().now = clock;
    const first = await tag();
    expect(await tag()).toBe(first);
    forge().now = () => new Date(clock().getTime() + 1);
    expect(await tag()).not.toBe(first);
    forge().now = own;
  });
});

describe("validators", () => {
  it("are of the body, and are compared as whole texts", async () => {
    const response = await get("1/pipelines");
    const etag = response.headers.get("etag") ?? "";
    const digest = createHash("sha256")
      .update(await response.text())
      .digest("hex");
    expect(etag).toBe(`W/"${digest.slice(0, 32)}"`);
    const again = await get("1/pipelines", { headers: { "If-None-Match": etag } });
    expect(again.status).toBe(304);
    expect(again.headers.get("content-type")).toBeNull();
    for (const name of ["etag", "link", "x-total", "cache-control"])
      expect(again.headers.get(name)).toBe(response.headers.get(name));
    for (const given of ["*", `${etag}, "b"`, etag.slice(2)])
      expect((await get("1/pipelines", { headers: { "If-None-Match": given } })).status).toBe(200);
  });

  it("HEAD answers as GET, without the body", async () => {
    const [head, whole] = [await get("1/pipelines/11", { method: "HEAD" }), await get("1/pipelines/11")];
    expect(await head.text()).toBe("");
    for (const name of ["etag", "content-length", "cache-control"])
      expect(head.headers.get(name)).toBe(whole.headers.get(name));
    expect(head.headers.get("cache-control")).toBe("max-age=0, private, must-revalidate");
    expect(whole.headers.get("x-runtime")).toMatch(/^0\.\d{6}$/);
  });

  it("change with the pipeline", async () => {
    const { id } = await forge().addPipeline("demo/hello", { ref: "dev" });
    const read = async () => (await get(`1/pipelines/${id}`)).headers.get("etag");
    const first = await read();
    forge().pipelines.setStatus(id, "running");
    expect(await read()).not.toBe(first);
    forge().pipelines.remove(id);
  });
});

describe("who may see pipelines", () => {
  const statuses = (headers = {}) =>
    Promise.all(
      ["pipelines", "pipelines/11", "pipelines/latest", "pipelines/11/jobs"].map(
        async (path) => (await get(`1/${path}`, { headers })).status,
      ),
    );

  it("is decided for a project", async () => {
    forge().setPipelinesAccess("demo/hello", "members");
    expect(await statuses()).toEqual([403, 403, 403, 403]);
    expect(await statuses({ "PRIVATE-TOKEN": "glpat-other" })).toEqual([403, 403, 403, 403]);
    expect(await statuses(READER)).toEqual([200, 200, 200, 200]);
    expect(forge().counts().denied).toBe(8);
    forge().setPipelinesAccess("demo/hello", "disabled");
    expect(await statuses(DEVELOPER)).toEqual([403, 403, 403, 403]);
    expect(await statuses({ "PRIVATE-TOKEN": "glpat-unknown" })).toEqual([401, 401, 401, 401]);
  });

  test.for<[string, Record<string, string>, number, number]>([
    ["a member's token", READER, 200, 200],
    ["a session", { Cookie: "_gitlab_session=session-reader" }, 200, 200],
    ["a job's token", { "JOB-TOKEN": "job-reader" }, 404, 200],
    ["a deploy token", { "Deploy-Token": "gldt-secret" }, 404, 404],
    ["somebody else", { "PRIVATE-TOKEN": "glpat-other" }, 404, 404],
  ])("%s, in a private project", async ([, headers, list, jobs]) => {
    expect((await get("2/pipelines", { headers })).status).toBe(list);
    expect((await get("2/pipelines/21/jobs", { headers })).status).toBe(jobs);
  });

  it("lists what is hidden to developers alone", async () => {
    forge().setHidden(12, true);
    expect(await ids("1/pipelines", READER)).toEqual([13, 11]);
    expect(await ids("1/pipelines", DEVELOPER)).toEqual([13, 12, 11]);
    expect((await get("1/pipelines/12", { headers: READER })).status).toBe(200);
    forge().setHidden(12, false);
    expect(await ids("1/pipelines")).toEqual([13, 12, 11]);
  });

  it("shows more of a user to those who are somebody", async () => {
    const user = async (headers = {}) => {
      const jobs = (await (await get("1/pipelines/11/jobs", { headers })).json()) as { user: object }[];
      return Object.keys(jobs[0]?.user ?? {});
    };
    expect(await user()).not.toContain("is_followed");
    expect(await user(READER)).toContain("is_followed");
  });
});
