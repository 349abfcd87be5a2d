import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { pipelinesPath } from "../../../src/core/pipelines/origin-path.ts";
import { routeGitea } from "../../../src/core/route-gitea.ts";
import { routeGitlab } from "../../../src/core/route-gitlab.ts";
import type { ForgeKind } from "../../../src/core/site.ts";
import type { PipelinesResource, PipelinesTarget } from "../../../src/core/target.ts";

function target(project: string, resource: PipelinesResource, query = ""): PipelinesTarget {
  return { lane: "pipelines", project, resource, query, scheme: "https:" };
}

it.each<[ForgeKind, PipelinesTarget, string]>([
  ["gitlab", target("1", { kind: "list" }), "/api/v4/projects/1/pipelines"],
  ["gitlab", target("group/app", { kind: "list" }, "ref=a"), "/api/v4/projects/group%2Fapp/pipelines?ref=a"],
  ["gitlab", target("g/h/p", { kind: "latest" }), "/api/v4/projects/g%2Fh%2Fp/pipelines/latest"],
  ["gitlab", target("1", { kind: "pipeline", id: "5" }), "/api/v4/projects/1/pipelines/5"],
  [
    "gitlab",
    target("1", { kind: "jobs", pipeline: "5" }, "page=2"),
    "/api/v4/projects/1/pipelines/5/jobs?page=2",
  ],
  ["gitea", target("o/r", { kind: "list" }, "page=2"), "/api/v1/repos/o/r/actions/runs?page=2"],
  ["gitea", target("o x/r", { kind: "tasks" }), "/api/v1/repos/o%20x/r/actions/tasks"],
])("pipelinesPath() does spell %s's %j", (kind, asked, path) => {
  expect(pipelinesPath(kind, asked)).toBe(path);
});

it.each<[ForgeKind, PipelinesResource]>([
  ["gitlab", { kind: "tasks" }],
  ["gitea", { kind: "latest" }],
  ["gitea", { kind: "pipeline", id: "5" }],
  ["gitea", { kind: "jobs", pipeline: "5" }],
])("pipelinesPath() does not spell what %s has not: %j", (kind, resource) => {
  expect(() => pipelinesPath(kind, target("o/r", resource))).toThrow(TypeError);
});

describe("any target", () => {
  const name = fc
    .string({ unit: fc.constantFrom(...Array.from("ab1._- %é(+?#&;'")), minLength: 1, maxLength: 6 })
    .filter((text) => !/^\.{1,2}$/.test(text));
  const number = fc.integer({ min: 1, max: 1e9 }).map(String);
  const scheme = fc.constantFrom("http:" as const, "https:" as const);
  const gitlabResource = fc.oneof(
    fc.constant<PipelinesResource>({ kind: "list" }),
    fc.constant<PipelinesResource>({ kind: "latest" }),
    number.map((id): PipelinesResource => ({ kind: "pipeline", id })),
    number.map((pipeline): PipelinesResource => ({ kind: "jobs", pipeline })),
  );
  const giteaResource = fc.constantFrom<PipelinesResource>({ kind: "list" }, { kind: "tasks" });
  const QUERIES: Record<PipelinesResource["kind"], readonly string[]> = {
    list: ["", "page=2", "ref=a%2Fb&status=success"],
    latest: ["", "ref=a%20b"],
    pipeline: [""],
    jobs: ["", "include_retried=true&scope%5B%5D=failed&scope%5B%5D=running"],
    tasks: ["", "limit=5&page=2"],
  };
  const query = (resource: PipelinesResource) => fc.constantFrom(...QUERIES[resource.kind]);
  const path = fc.array(name, { minLength: 2, maxLength: 4 }).map((names) => names.join("/"));
  const gitlab = fc.tuple(fc.oneof(number, path), gitlabResource).chain(([project, resource]) =>
    fc.record({
      kind: fc.constant("gitlab" as const),
      project: fc.constant(project),
      resource: fc.constant(resource),
      query: query(resource),
      scheme,
    }),
  );
  const gitea = fc.tuple(name, name, giteaResource).chain(([owner, repo, resource]) =>
    fc.record({
      kind: fc.constant("gitea" as const),
      project: fc.constant(`${owner}/${repo}`),
      resource: fc.constant(resource),
      query: query(resource),
      scheme,
    }),
  );

  it("pipelinesPath() does spell what is routed to the same target, and what no URL parser changes", () => {
    fc.assert(
      fc.property(fc.oneof(gitlab, gitea), ({ kind, ...parts }) => {
        const asked: PipelinesTarget = { lane: "pipelines", ...parts };
        const spelled = pipelinesPath(kind, asked);
        const { pathname, search } = new URL(spelled, "https://origin.invalid");
        expect(pathname + search).toBe(spelled);
        const read = kind === "gitlab" ? routeGitlab : routeGitea;
        expect(read(pathname, search, asked.scheme)).toEqual({ kind: "target", target: asked });
      }),
      { numRuns: 1_000 },
    );
  });
});
