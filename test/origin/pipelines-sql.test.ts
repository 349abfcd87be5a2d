import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalQuery } from "../../src/core/pipelines/list-query.ts";
import type { PipelinesResource, PipelinesTarget } from "../../src/core/target.ts";
import { pageHeaders } from "../../src/origin/pipelines-page.ts";
import { presentText, readInstant, readListParameters } from "../../src/origin/pipelines-parameters.ts";
import { pipelinesQuery } from "../../src/origin/pipelines-sql.ts";

const ADDRESS = "https://git.example.com";

function target(query: string, project = "group/project", kind: PipelinesResource = { kind: "list" }) {
  return { lane: "pipelines", project, resource: kind, query, scheme: "https:" } satisfies PipelinesTarget;
}

function queryOf(query: string, project?: string) {
  const asked = pipelinesQuery(target(query, project), ADDRESS);
  if (asked.kind !== "query") throw new Error(`Not a query: ${asked.kind}`);
  return asked.query;
}

describe("pipelinesQuery()", () => {
  test("puts no text of the asker's into the statement", () => {
    const text = fc.string({ unit: "grapheme", minLength: 1 }).filter((given) => given.trim() !== "");
    fc.assert(
      fc.property(text, text, (given, path) => {
        const search = String(new URLSearchParams({ ref: given, sha: given, username: given, name: given }));
        const canonical = canonicalQuery("gitlab", "list", search);
        fc.pre(canonical !== undefined);
        const { text: statement, values } = queryOf(canonical ?? "", `a/${path}`);
        expect(statement).toBe(queryOf("name=x&ref=x&sha=x&username=x").text);
        expect(values.filter((value) => value === given).length).toBeGreaterThanOrEqual(4);
        expect(values).toContain(`a/${path}`);
      }),
    );
  });

  test("names each of its values, and no other", () => {
    for (const query of [
      "",
      "ref=a",
      "created_after=2024-01-01&name=n&order_by=ref&page=7&source=push&username=u",
    ]) {
      const { text, values } = queryOf(query);
      const named = new Set([...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number)));
      expect([...named].toSorted((a, b) => a - b)).toEqual(values.map((_, index) => index + 1));
    }
  });

  test.each<[string, PipelinesTarget]>([
    ["branches, which the repository knows", target("scope=branches")],
    ["tags", target("scope=tags")],
    ["a parameter that is not known", target("colour=red")],
    ["an order that is not known", target("order_by=sha")],
    ["a source that is not known", target("source=telepathy")],
    ["one pipeline", target("", "1", { kind: "pipeline", id: "7" })],
    ["jobs", target("", "1", { kind: "jobs", pipeline: "7" })],
    ["the latest", target("", "1", { kind: "latest" })],
  ])("does not support %s", (_, asked) => {
    expect(pipelinesQuery(asked, ADDRESS)).toEqual({ kind: "unsupported" });
  });

  test.each(["9223372036854775808", "project", ""])("knows that there can be no project %s", (project) => {
    expect(pipelinesQuery(target("", project), ADDRESS)).toEqual({ kind: "absent" });
  });

  test("looks for a project by its number or by its path", () => {
    expect(queryOf("", "9223372036854775807").text).toContain("projects.id = $1::bigint");
    expect(queryOf("", "a/1").text).toContain("lower(routes.path) = lower($1::text)");
  });

  test("counts by the index that has the rows in order where the project is not known, and nothing else narrows them", () => {
    const isOrdered = (query: string, project?: string) => {
      const { text } = queryOf(query, project);
      return text.slice(0, text.indexOf("LIMIT 10001")).trimEnd().endsWith("ORDER BY p.id DESC");
    };
    expect([isOrdered(""), isOrdered("page=3&ref=main&sort=asc")]).toEqual([true, true]);
    expect([isOrdered("status=failed"), isOrdered("ref=main&source=push")]).toEqual([false, false]);
    expect(isOrdered("", "7")).toBe(false);
  });

  test("leaves pipelines of pipelines out unless they are asked for", () => {
    expect(queryOf("").text).toContain("p.source <> 12");
    expect(queryOf("source=push").text).toContain("p.source <> 12");
    expect(queryOf("source=parent_pipeline").text).not.toContain("<> 12");
  });
});

describe("readInstant()", () => {
  test.each([
    ["2024-02-29", "2024-02-29T00:00:00.000000", "2024-02-29T00:00:00+00:00"],
    ["2024-02-29T10:20", "2024-02-29T10:20:00.000000", "2024-02-29T10:20:00+00:00"],
    ["2024-02-29 10:20:30.123456789Z", "2024-02-29T10:20:30.123456", "2024-02-29T10:20:30+00:00"],
    ["2024-03-01T01:00:00.5+02:30", "2024-02-29T22:30:00.500000", "2024-03-01T01:00:00+02:30"],
    ["2024-02-29T23:00:00-0100", "2024-03-01T00:00:00.000000", "2024-02-29T23:00:00-01:00"],
  ])("reads %s", (text, utc, ruby) => {
    expect(readInstant(text)).toEqual({ utc, ruby });
  });

  test.each(["", "yesterday", "2024-13-01", "2024-01-01T25:00Z", "2024-01-01'"])(
    "does not read %j",
    (text) => {
      expect(readInstant(text)).toBeUndefined();
    },
  );
});

describe("presentText()", () => {
  test.each([
    ["ref=main", "main"],
    ["ref=%20a%20", " a "],
    ["ref=%20%E2%80%83", undefined],
    ["", undefined],
  ])("of %j is %j", (query, text) => {
    const parameters = readListParameters(query);
    expect(parameters && presentText(parameters, "ref")).toBe(text);
  });
});

describe("pageHeaders()", () => {
  function headersOf(
    query: string,
    row: { readonly total: number; readonly rows: number },
    project?: string,
  ) {
    const parameters = readListParameters(query);
    if (parameters === undefined) throw new Error(`Not a list: ${query}`);
    return Object.fromEntries(
      pageHeaders({ target: target(query, project), parameters, address: ADDRESS }, row),
    );
  }
  const page = (x: Readonly<Record<string, string>>) =>
    ["x-prev-page", "x-page", "x-next-page", "x-total", "x-total-pages"].map((name) => x[name]);

  test.each([
    ["an empty list", "", { total: 0, rows: 0 }, ["", "1", "", "0", "1"]],
    ["the only page", "", { total: 20, rows: 20 }, ["", "1", "", "20", "1"]],
    ["the first of two", "", { total: 21, rows: 21 }, ["", "1", "2", "21", "2"]],
    ["the last of two", "page=2", { total: 21, rows: 1 }, ["1", "2", "", "21", "2"]],
    ["one after the last", "page=3", { total: 21, rows: 0 }, ["", "3", "", "21", "2"]],
    ["10,000 rows", "page=500", { total: 10_000, rows: 20 }, ["499", "500", "", "10000", "500"]],
    ["10,001 rows", "page=500", { total: 10_001, rows: 21 }, ["499", "500", "501", undefined, undefined]],
    ["the last of more", "page=600", { total: 10_001, rows: 3 }, ["599", "600", "", undefined, undefined]],
  ] as const)("of %s", (_, query, row, expected) => {
    expect(page(headersOf(query, row))).toEqual(expected);
  });

  test("link the pages as GitLab does, with the project, the defaults and all that was asked", () => {
    const query =
      "name=a%20b%26%28c%29&page=2&per_page=5&updated_after=2024-01-02T03%3A04%3A05.678%2B01%3A00";
    const { link } = headersOf(query, { total: 11, rows: 6 });
    const url = (number: number) =>
      `${ADDRESS}/api/v4/projects/group%2Fproject/pipelines?id=group%2Fproject&name=a+b%26%28c%29&order_by=id&page=${number}` +
      "&per_page=5&sort=desc&updated_after=2024-01-02T03%3A04%3A05%2B01%3A00";
    expect(link?.split(", ")).toEqual([
      `<${url(1)}>; rel="prev"`,
      `<${url(3)}>; rel="next"`,
      `<${url(1)}>; rel="first"`,
      `<${url(3)}>; rel="last"`,
    ]);
    expect(headersOf("", { total: 10_001, rows: 21 })["link"]).not.toContain("last");
  });
});
