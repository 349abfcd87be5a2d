import { expect, it } from "vitest";
import { routeGitea } from "../../src/core/route-gitea.ts";
import { PASS, type PipelinesResource, type Route } from "../../src/core/target.ts";

const API = "/api/v1/repos";
const BAD_PATH: Route = { kind: "refused", problem: "bad_path" };

function read(pathname: string, search = ""): Route {
  return routeGitea(pathname, search, "https:");
}

function list(project: string, resource: PipelinesResource, query = ""): Route {
  return {
    kind: "target",
    target: { lane: "pipelines", project, resource, query, scheme: "https:" },
  };
}

it.each<[string, string, Route]>([
  [`${API}/o/r/actions/runs`, "", list("o/r", { kind: "list" })],
  [
    `${API}/o/r/actions/runs`,
    "?token=s&status=success&page=1",
    list("o/r", { kind: "list" }, "status=success"),
  ],
  [`${API}/o/r/actions/tasks`, "?page=2", list("o/r", { kind: "tasks" }, "page=2")],
  [`${API}/o/raw/actions/runs`, "", list("o/raw", { kind: "list" })],
  [`${API}/raw/media/actions/tasks`, "", list("raw/media", { kind: "tasks" })],
  [`${API}/actions/actions/actions/runs`, "", list("actions/actions", { kind: "list" })],
])("routeGitea() does read %s%s", (pathname, search, route) => {
  expect(read(pathname, search)).toEqual(route);
});

it("routeGitea() does tell lists apart by what their addresses begin with", () => {
  const route = routeGitea(`${API}/o/r/actions/runs`, "", "http:");
  expect(route).toMatchObject({ target: { scheme: "http:" } });
  expect(routeGitea(`${API}/o/r/actions/runs`, "")).toEqual(PASS);
});

it.each([
  [`${API}/o/r/actions/runs/`],
  [`${API}/o/r/actions/runs.json`],
  [`${API}/o/r/actions/runs/5`],
  [`${API}/o/r/actions/runs/5/jobs`],
  [`${API}/o/raw/actions/runs/5`],
  [`${API}/o/r/actions/jobs`],
  [`${API}/o/r/actions`],
  [`${API}/o/r/actions/workflows/actions/runs`],
  [`${API}/o/actions/runs`],
  [`${API}/actions/runs`],
  [`${API}/o//actions/runs`],
  [`${API}/o/r%2Fx/actions/runs`],
  [`${API}/o/r%5Cx/actions/runs`],
  [`${API}/o/r%ff/actions/runs`],
  [`${API}/o/r/x/actions/runs`],
  ["/api/v1/orgs/o/r/actions/runs"],
  ["/api/v2/repos/o/r/actions/runs"],
  ["/o/r/actions/runs"],
  ["/o/r/actions/runs/../runs"],
])("routeGitea() does leave %s to the origin", (pathname) => {
  expect(read(pathname)).toEqual(PASS);
});

it.each([["?page=1&page=1"], ["?per_page=5"], ["?page=0"], ["?x"]])(
  "routeGitea() does leave the query %s to the origin",
  (search) => {
    expect(read(`${API}/o/r/actions/runs`, search)).toEqual(PASS);
    expect(read(`${API}/o/r/actions/tasks`, search)).toEqual(PASS);
  },
);

it.each([
  [`${API}/o/r/raw/actions/runs`],
  [`${API}/o/r/media/actions/tasks`],
  ["/o/r/raw/branch/main/actions/runs"],
])("routeGitea() does read %s as it did", (pathname) => {
  expect(read(pathname)).toMatchObject({ kind: "target", target: { lane: "raw" } });
});

it.each(["..", ".", "%2e%2e", "..%5c", "%00", "a%0d%0ab"].map((token) => [token]))(
  "routeGitea() does refuse %s wherever it stands",
  (token) => {
    expect(read(`${API}/${token}/r/actions/runs`)).toEqual(BAD_PATH);
    expect(read(`${API}/o/${token}/actions/tasks`)).toEqual(BAD_PATH);
  },
);
