import { describe, expect, it, test } from "vitest";
import { giteaLinks } from "../../scripts/demo/pipelines/gitea-actions.ts";
import { useDemo } from "./running-demo.ts";

const running = useDemo();
const forge = () => running.demo.gitea;
const get = (path: string, init?: RequestInit) => fetch(`${forge().url}/api/v1/repos/${path}`, init);
const READER = { Authorization: "token gitea-reader" };

type Listed = { readonly workflow_runs: { readonly id: number }[]; readonly total_count: number };

async function ids(path: string): Promise<number[]> {
  return ((await (await get(path)).json()) as Listed).workflow_runs.map(({ id }) => id);
}

describe("actions/runs", () => {
  it("lists runs in Gitea's form, without an entity tag", async () => {
    const response = await get("demo/hello/actions/runs?branch=main&status=success");
    const text = await response.text();
    expect(text.endsWith("}\n")).toBe(true);
    expect(JSON.parse(text)).toMatchObject({
      workflow_runs: [
        {
          id: 1,
          url: `${forge().url}/api/v1/repos/demo/hello/actions/runs/1`,
          html_url: `${forge().url}/demo/hello/actions/runs/1`,
          path: "build.yml@refs/heads/main",
          head_sha: await forge().objectId("demo/hello", "main"),
          head_branch: "main",
          status: "completed",
          conclusion: "success",
          started_at: "2026-01-05T10:00:00Z",
          completed_at: "2026-01-05T10:04:00Z",
        },
      ],
      total_count: 1,
    });
    expect(response.headers.get("etag")).toBeNull();
    expect(response.headers.get("x-total-count")).toBe("1");
    expect(response.headers.get("link")).toBeNull();
    expect(response.headers.get("content-type")).toBe("application/json;charset=utf-8");
    expect(forge().counts()["api:actions"]).toBe(1);
  });

  test.for<[string, number[]]>([
    ["", [3, 2, 1]],
    ["event=workflow_dispatch", [3]],
    ["branch=feature/login", [2]],
    ["status=completed", [2, 1]],
    ["status=failure&status=in_progress", [3, 2]],
    ["status=queued", []],
    ["actor=other", []],
    ["actor=reader&limit=1&page=3", [1]],
    ["limit=1&page=4", []],
    ["limit=x&page=0", [3, 2, 1]],
    ["head_sha=0000000000000000000000000000000000000000", []],
  ])("by %s", async ([query, expected]) => {
    expect(await ids(`demo/hello/actions/runs?${query}`)).toEqual(expected);
  });

  it("shows a change", async () => {
    const { id } = await forge().addRun("demo/hello", { ref: "refs/tags/v1.0" });
    expect(await ids("demo/hello/actions/runs?status=queued")).toEqual([id]);
    forge().actions.setRunStatus(id, "running");
    expect(await ids("demo/hello/actions/runs?status=queued")).toEqual([]);
    forge().actions.removeRun(id);
    expect(await ids("demo/hello/actions/runs")).toEqual([3, 2, 1]);
  });

  test.for<[string, object, number, string]>([
    ["demo/hello/actions/runs?status=green", {}, 400, "Invalid status green"],
    ["demo/hello/actions/runs?actor=nobody", {}, 500, ""],
    ["demo/secret/actions/runs", {}, 404, "The target couldn't be found."],
    ["demo/none/actions/tasks", {}, 404, "The target couldn't be found."],
    [
      "demo/hello/actions/runs",
      { Authorization: "token unknown" },
      401,
      "invalid username, password or token",
    ],
  ])("%s", async ([path, headers, status, message]) => {
    const response = await get(path, { headers: { ...headers } });
    expect([response.status, await response.json()]).toEqual([
      status,
      { message, url: `${forge().url}/api/swagger` },
    ]);
  });

  it("may be off for some, or for all", async () => {
    const statuses = async () => [
      (await get("demo/hello/actions/runs")).status,
      (await get("demo/hello/actions/tasks", { headers: READER })).status,
    ];
    forge().setActionsAccess("demo/hello", "members");
    expect(await statuses()).toEqual([403, 200]);
    forge().setActionsAccess("demo/hello", "disabled");
    expect(await statuses()).toEqual([403, 403]);
    forge().setActionsAccess("demo/hello", "everyone");
    expect((await get("demo/secret/actions/runs", { headers: READER })).status).toBe(200);
  });
});

it("lists tasks under the name of runs", async () => {
  const response = await get("demo/hello/actions/tasks?limit=1");
  const { workflow_runs: tasks, total_count: total } = (await response.json()) as Listed;
  expect(total).toBe(2);
  expect(tasks).toEqual([
    {
      id: 2,
      name: "build",
      head_branch: "feature/login",
      head_sha: await forge().objectId("demo/hello", "feature/login"),
      run_number: 2,
      event: "push",
      display_title: "Work on the login",
      status: "failure",
      workflow_id: "build.yml",
      url: `${forge().url}/demo/hello/actions/runs/2`,
      created_at: "2026-01-05T10:00:00Z",
      updated_at: "2026-01-05T10:04:00Z",
      run_started_at: "2026-01-05T10:00:00Z",
    },
  ]);
});

test.for<[number, string]>([
  [1, '<http://g/a?limit=2&page=2>; rel="next",<http://g/a?limit=2&page=3>; rel="last"'],
  [
    2,
    '<http://g/a?limit=2&page=3>; rel="next",<http://g/a?limit=2&page=3>; rel="last",<http://g/a?limit=2&page=1>; rel="first",<http://g/a?limit=2&page=1>; rel="prev"',
  ],
  [9, '<http://g/a?limit=2&page=1>; rel="first",<http://g/a?limit=2&page=2>; rel="prev"'],
])("giteaLinks() on page %i", ([page, expected]) => {
  expect(giteaLinks("http://g/a?page=7&limit=2", { page, size: 2, total: 5 })).toBe(expected);
});
