import { describe, expect, it } from "vitest";
import { routeGitlab } from "../../src/core/route-gitlab.ts";
import { PASS, type PipelinesResource, type Route } from "../../src/core/target.ts";

const API = "/api/v4/projects";
const BAD_PATH: Route = { kind: "refused", problem: "bad_path" };

function read(pathname: string, search = ""): Route {
  return routeGitlab(pathname, search, "https:");
}

function list(project: string, resource: PipelinesResource, query = ""): Route {
  return {
    kind: "target",
    target: { lane: "pipelines", project, resource, query, scheme: "https:" },
  };
}

it.each<[string, string, Route]>([
  [`${API}/1/pipelines`, "", list("1", { kind: "list" })],
  [`${API}/1/pipelines`, "?page=1&ref=a&per_page=20", list("1", { kind: "list" }, "ref=a")],
  [`${API}/1/pipelines`, "?private_token=s", list("1", { kind: "list" })],
  [`${API}/group%2Fapp/pipelines`, "", list("group/app", { kind: "list" })],
  [`${API}/g%2fh%2Fp/pipelines`, "?sort=asc", list("g/h/p", { kind: "list" }, "sort=asc")],
  [`${API}/pipelines%2Fpipelines/pipelines`, "", list("pipelines/pipelines", { kind: "list" })],
  [`${API}/g%2Fjobs/pipelines/5/jobs`, "", list("g/jobs", { kind: "jobs", pipeline: "5" })],
  [`${API}/1/pipelines/latest`, "?ref=a", list("1", { kind: "latest" }, "ref=a")],
  [`${API}/1/pipelines/5`, "", list("1", { kind: "pipeline", id: "5" })],
  [
    `${API}/1/pipelines/5/jobs`,
    "?scope=failed",
    list("1", { kind: "jobs", pipeline: "5" }, "scope%5B%5D=failed"),
  ],
  [`${API}/1/pipelines/${"9".repeat(18)}`, "", list("1", { kind: "pipeline", id: "9".repeat(18) })],
])("routeGitlab() does read %s%s", (pathname, search, route) => {
  expect(read(pathname, search)).toEqual(route);
});

it("routeGitlab() does tell lists apart by what their addresses begin with", () => {
  const route = routeGitlab(`${API}/1/pipelines`, "", "http:");
  expect(route).toMatchObject({ target: { scheme: "http:" } });
  expect(routeGitlab(`${API}/1/pipelines`, "")).toEqual(PASS);
});

it.each([
  [`${API}/1/pipelines/`],
  [`${API}/1/pipelines.json`],
  [`${API}/1/pipelines/latest/`],
  [`${API}/1/pipelines/latest.json`],
  [`${API}/1/pipelines/latest/jobs`],
  [`${API}/1/pipelines/5/`],
  [`${API}/1/pipelines/5.json`],
  [`${API}/1/pipelines/05`],
  [`${API}/1/pipelines/0`],
  [`${API}/1/pipelines/-5`],
  [`${API}/1/pipelines/5a`],
  [`${API}/1/pipelines/${"9".repeat(19)}`],
  [`${API}/1/pipelines/5/jobs/`],
  [`${API}/1/pipelines/5/jobs.json`],
  [`${API}/1/pipelines/5/jobs/6`],
  [`${API}/1/pipelines/5/bridges`],
  [`${API}/1/pipelines/5/variables`],
  [`${API}/1/pipelines/5/test_report`],
  [`${API}/1/pipelines%2F5`],
  [`${API}/1//pipelines`],
  [`${API}/1/pipeline`],
  [`${API}/1/pipelines_x`],
  [`${API}/1/pipeline_schedules/5/pipelines`],
  [`${API}/1/merge_requests/5/pipelines`],
  [`${API}/app/pipelines`],
  [`${API}/0/pipelines`],
  [`${API}/%2Fapp/pipelines`],
  [`${API}/group%2F/pipelines`],
  [`${API}/group/app/pipelines`],
  [`${API}/pipelines`],
  ["/api/v3/projects/1/pipelines"],
  ["/api/v4/groups/1/pipelines"],
  ["/g/p/-/pipelines"],
  ["/g/p/-/pipelines.json"],
])("routeGitlab() does leave %s to the origin", (pathname) => {
  expect(read(pathname)).toEqual(PASS);
});

it.each([
  [`${API}/1/pipelines`, "?page=1&page=1"],
  [`${API}/1/pipelines`, "?other=1"],
  [`${API}/1/pipelines/latest`, "?page=1"],
  [`${API}/1/pipelines/5`, "?page=1"],
  [`${API}/1/pipelines/5/jobs`, "?ref=a"],
])("routeGitlab() does leave the query of %s%s to the origin", (pathname, search) => {
  expect(read(pathname, search)).toEqual(PASS);
});

describe("what only looks like it", () => {
  it.each([
    [`${API}/1/repository/files/pipelines/raw`, "raw"],
    [`${API}/1/repository/files/a%2Fpipelines%2F5/raw`, "raw"],
    [`${API}/g%2Fpipelines/repository/files/pipelines/raw`, "raw"],
    [`${API}/1/jobs/5/artifacts/pipelines/5`, "artifact"],
    ["/g/pipelines/-/raw/main/pipelines", "raw"],
  ])("routeGitlab() does read %s as it did", (pathname, lane) => {
    expect(read(pathname)).toMatchObject({ kind: "target", target: { lane } });
  });

  it.each(["..", ".", "%2e%2e", "a%2F..%2Fb", "..%5c", "%00", "a%0d%0ab"].map((token) => [token]))(
    "routeGitlab() does refuse %s wherever it stands",
    (token) => {
      expect(read(`${API}/${token}/pipelines`)).toEqual(BAD_PATH);
      expect(read(`${API}/1/pipelines/${token}`)).toEqual(BAD_PATH);
      expect(read(`${API}/1/pipelines/${token}/jobs`)).toEqual(BAD_PATH);
    },
  );
});
