import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalQuery } from "../../../src/core/pipelines/list-query.ts";
import type { ForgeKind } from "../../../src/core/site.ts";
import type { PipelinesResource } from "../../../src/core/target.ts";

type Resource = PipelinesResource["kind"];

const GITLAB_LIST: readonly (readonly [search: string, query: string])[] = [
  ["", ""],
  ["?", ""],
  ["?page=1", ""],
  ["?per_page=20", ""],
  ["?order_by=id&sort=desc&page=1&per_page=20", ""],
  ["?ref=a&page=1", "ref=a"],
  ["?page=1&ref=a&per_page=20", "ref=a"],
  ["?%72ef=%61&&", "ref=a"],
  ["?page=2", "page=2"],
  ["?page=999999999", "page=999999999"],
  ["?per_page=100", "per_page=100"],
  ["?per_page=101", "per_page=100"],
  ["?per_page=999999999", "per_page=100"],
  ["?per_page=1", "per_page=1"],
  ["?sort=asc&order_by=updated_at", "order_by=updated_at&sort=asc"],
  ["?status=waiting_for_callback&scope=branches", "scope=branches&status=waiting_for_callback"],
  ["?source=merge_request_event", "source=merge_request_event"],
  ["?ref=feature/x+y", "ref=feature%2Fx%20y"],
  ["?ref=refs%2Fmerge-requests%2F1%2Fhead", "ref=refs%2Fmerge-requests%2F1%2Fhead"],
  ["?name=%26%3D(%2B)%27*!&username=m.e", "name=%26%3D%28%2B%29%27%2A%21&username=m.e"],
  ["?name=%C3%A9", "name=%C3%A9"],
  ["?sha=ABC", "sha=ABC"],
  ["?ref=A", "ref=A"],
  ...["1", "t", "T", "true", "True", "TRUE", "y", "YES", "on", "On", "ON"].map(
    (word) => [`?yaml_errors=${word}`, "yaml_errors=true"] as const,
  ),
  ...["0", "f", "F", "false", "False", "FALSE", "n", "No", "off", "OFF"].map(
    (word) => [`?yaml_errors=${word}`, "yaml_errors=false"] as const,
  ),
  ["?updated_after=2024-02-29", "updated_after=2024-02-29"],
  ["?updated_before=2024-01-31T23%3A59%3A59Z", "updated_before=2024-01-31T23%3A59%3A59Z"],
  ["?created_after=2024-01-31T23:59:59.123%2B02:00", "created_after=2024-01-31T23%3A59%3A59.123%2B02%3A00"],
  ["?created_before=2024-01-31+23:59-0530", "created_before=2024-01-31%2023%3A59-0530"],
];

const GITLAB_JOBS: typeof GITLAB_LIST = [
  ["", ""],
  ["?include_retried=false&page=1&per_page=20", ""],
  ["?include_retried=off", ""],
  ["?include_retried=1", "include_retried=true"],
  ["?scope=failed", "scope%5B%5D=failed"],
  ["?scope[]=failed", "scope%5B%5D=failed"],
  ["?scope%5B%5D=running&scope[]=failed", "scope%5B%5D=failed&scope%5B%5D=running"],
  ["?scope[]=failed&scope[]=failed", "scope%5B%5D=failed"],
  ["?scope[]=failed&per_page=200&page=3", "page=3&per_page=100&scope%5B%5D=failed"],
];

const GITEA_LIST: typeof GITLAB_LIST = [
  ["", ""],
  ["?page=1&exclude_pull_requests=false", ""],
  ["?limit=30", "limit=30"], // its default is the installation's own
  ["?limit=999", "limit=999"], // and so is the most
  [
    "?status=success&branch=main&event=push&actor=me&head_sha=ab",
    "actor=me&branch=main&event=push&head_sha=ab&status=success",
  ],
  [
    "?exclude_pull_requests=true&status=in_progress&page=2",
    "exclude_pull_requests=true&page=2&status=in_progress",
  ],
  [
    "?workflow_id=ci.yml&run_number=7&ref=refs/heads/a",
    "ref=refs%2Fheads%2Fa&run_number=7&workflow_id=ci.yml",
  ],
];

const KNOWN: readonly (readonly [ForgeKind, Resource, typeof GITLAB_LIST])[] = [
  ["gitlab", "list", GITLAB_LIST],
  ["gitlab", "jobs", GITLAB_JOBS],
  ["gitlab", "latest", [["", ""], ["?ref=a%2fb", "ref=a%2Fb"]]], // prettier-ignore
  ["gitlab", "pipeline", [["", ""], ["?", ""], ["?private_token=a", ""]]], // prettier-ignore
  ["gitea", "list", GITEA_LIST],
  ["gitea", "tasks", [["?page=1", ""], ["?page=3&limit=5&status=blocked", "limit=5&page=3&status=blocked"]]], // prettier-ignore
];

const ROWS = KNOWN.flatMap(([kind, resource, rows]) => rows.map((row) => [kind, resource, ...row] as const));

it.each(ROWS)("canonicalQuery() does read %s's %s%s as %j", (kind, resource, search, query) => {
  expect(canonicalQuery(kind, resource, search)).toBe(query);
  expect(canonicalQuery(kind, resource, `?${query}`)).toBe(query);
});

it.each<[ForgeKind, string]>([
  ["gitlab", "private_token=a&access_token=b&job_token=c&token=d&sudo=e"],
  ["gitlab", "private_token=a&private_token=b"],
  ["gitlab", "private%5Ftoken="],
  ["gitea", "token=a&access_token=b&sudo=c"],
])("canonicalQuery() does leave to the principal what is a credential of %s: %s", (kind, credentials) => {
  expect(canonicalQuery(kind, "list", `?page=2&${credentials}`)).toBe("page=2");
  expect(canonicalQuery(kind, "list", `?${credentials}&page=2`)).toBe("page=2");
});

const BAD_VALUES = [
  ...["page", "per_page"].flatMap((name) =>
    ["", "0", "-1", "+1", "01", "1.0", "1e3", "0x1", "x", " 1", "1%20", "1_0", "%D9%A3", "9999999999"].map(
      (value) => `${name}=${value}`,
    ),
  ),
  ...["tru", "oN", "yES", "2", "", "null"].map((value) => `yaml_errors=${value}`),
  ...[
    "",
    "today",
    "2024",
    "2024-1-1",
    "2024-02-30",
    "2023-02-29",
    "2024-13-01",
    "2024-00-10",
    "2024-01-00",
    "2024-01-01T24:00:00Z",
    "2024-01-01T10:60:00Z",
    "2024-01-01T10:00:60Z",
    "2024-01-01T10:00:00+02:00", // an unescaped plus is a blank
    "2024-01-01T10:00:00%2B15:00",
    "2024-01-01T10Z",
    "2024-01-01Z",
    "0024-01-01",
    "1704067200",
    "2024-01-01%20",
  ].map((value) => `updated_after=${value}`),
  "status=",
  "status=SUCCESS",
  "status=done",
  "status=success%20",
  "scope=failed",
  "source=git",
  "order_by=name",
  "order_by=",
  "sort=DESC",
  "sort=up",
  "ref=",
  "sha=",
  "username=",
  "name=",
  "name=%00",
];

const UNKNOWN = [
  ..."id format pagination cursor per-page Page limit branch statuses scope[] ref[] private_token[] feed_token _ a"
    .split(" ")
    .map((name) => `${name}=1`),
  ..."__proto__ constructor toString hasOwnProperty".split(" ").map((name) => `${name}=1`),
  "ref",
  "ref=a;sha=b",
  "ref=%ff",
  "=",
  "page=1&page=1",
  "page=1&page=2",
  "ref=a&%72ef=b",
];

describe("what the origin must read itself", () => {
  it.each([...BAD_VALUES, ...UNKNOWN].map((query) => [query]))(
    "canonicalQuery() does not read GitLab's list with %s",
    (query) => {
      expect(canonicalQuery("gitlab", "list", `?${query}`)).toBeUndefined();
      expect(canonicalQuery("gitlab", "list", `?sort=asc&${query}&order_by=id`)).toBeUndefined();
    },
  );

  it.each<[ForgeKind, Resource, string]>([
    ["gitlab", "jobs", "scope=failed&scope=running"],
    ["gitlab", "jobs", "scope=failed&scope[]=running"],
    ["gitlab", "jobs", "scope[]=failed&scope[]=done"],
    ["gitlab", "jobs", "scope[]="],
    ["gitlab", "jobs", "scope[0]=failed"],
    ["gitlab", "jobs", "scope=finished"],
    ["gitlab", "jobs", "include_retried=maybe"],
    ["gitlab", "jobs", "ref=a"],
    ["gitlab", "latest", "page=1"],
    ["gitlab", "latest", "ref="],
    ["gitlab", "latest", "ref=a&ref=a"],
    ["gitlab", "pipeline", "page=1"],
    ["gitlab", "tasks", ""],
    ["gitea", "list", "per_page=20"],
    ["gitea", "list", "limit=0"],
    ["gitea", "list", "page=0"],
    ["gitea", "list", "status=done"],
    ["gitea", "list", "status=success&status=failure"],
    ["gitea", "list", "event="],
    ["gitea", "list", "exclude_pull_requests=1"],
    ["gitea", "list", "private_token=a"],
    ["gitea", "tasks", "branch=main"],
    ["gitea", "latest", ""],
    ["gitea", "pipeline", ""],
    ["gitea", "jobs", ""],
  ])("canonicalQuery() does not read %s's %s with %j", (kind, resource, query) => {
    expect(canonicalQuery(kind, resource, query === "" ? "" : `?${query}`)).toBeUndefined();
  });

  it("canonicalQuery() does not read more than filters need", () => {
    expect(canonicalQuery("gitlab", "list", `?ref=${"a".repeat(2044)}`)).toHaveLength(2048);
    expect(canonicalQuery("gitlab", "list", `?ref=${"a".repeat(2045)}`)).toBeUndefined();
    expect(canonicalQuery("gitlab", "list", `?ref=${"(".repeat(1000)}`)).toBeUndefined();
  });
});

/** What GitLab makes of a query of jobs, told apart from how it is spelled; only for queries that it takes. */
function meaning(search: string): string {
  const all = new URLSearchParams(search);
  const scopes = [...all.getAll("scope"), ...all.getAll("scope[]")];
  const retried = ["1", "true", "TRUE", "on"].includes(all.get("include_retried") ?? "");
  return JSON.stringify({
    page: Number(all.get("page") ?? 1),
    perPage: Math.min(Number(all.get("per_page") ?? 20), 100),
    retried,
    scopes: scopes.length === 0 ? "all" : [...new Set(scopes)].toSorted(),
  });
}

describe("any query", () => {
  const pieces = [
    "page=1",
    "page=2",
    "p%61ge=2",
    "per_page=20",
    "per_page=100",
    "per_page=5000",
    "page=0",
    "include_retried=0",
    "include_retried=on",
    "include_retried=true",
    "include_retried=TRUE",
    "scope=failed",
    "scope[]=failed",
    "scope%5B%5D=f%61iled",
    "scope[]=running",
    "scope[]=bad",
    "private_token=a",
    "job_token=b",
    "other=1",
    "",
  ];
  const query = fc.shuffledSubarray(pieces, { maxLength: 4 }).map((chosen) => `?${chosen.join("&")}`);
  const read = (search: string) => canonicalQuery("gitlab", "jobs", search);

  it("canonicalQuery() does give one spelling to one meaning, and never one to two", () => {
    const spellings = new Map<string, string>();
    const meanings = new Map<string, string>();
    fc.assert(
      fc.property(query, (search) => {
        const spelling = read(search);
        if (spelling === undefined) return;
        const means = meaning(search);
        expect(spellings.get(means) ?? spelling).toBe(spelling);
        expect(meanings.get(spelling) ?? means).toBe(means);
        spellings.set(means, spelling);
        meanings.set(spelling, means);
      }),
      { numRuns: 3_000 },
    );
    expect(spellings.size).toBeGreaterThan(10);
  });

  it("canonicalQuery() does read its own spelling as it is, and never minds the order", () => {
    fc.assert(
      fc.property(query, (search) => {
        const spelling = read(search);
        const turned = `?${search.slice(1).split("&").toReversed().join("&")}`;
        expect(read(turned)).toBe(spelling);
        if (spelling !== undefined) expect(read(`?${spelling}`)).toBe(spelling);
      }),
      { numRuns: 1_000 },
    );
  });

  it("canonicalQuery() does keep every text apart from every other", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(text, (ref) => {
        const encoded = encodeURIComponent(ref);
        const spelling = canonicalQuery("gitlab", "latest", `?ref=${encoded}`);
        // oxlint-disable-next-line no-control-regex -- these are left to the origin
        if (/[\u0000-\u001f\u007f]/.test(ref)) expect(spelling).toBeUndefined();
        else expect(new URLSearchParams(spelling).get("ref")).toBe(ref);
      }),
      { numRuns: 500 },
    );
  });
});
