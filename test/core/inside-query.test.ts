import { describe, expect, it } from "vitest";
import { type InsideQuery, readInside } from "../../src/core/inside-query.ts";
import type { Inside } from "../../src/core/target.ts";

const TREE = { kind: "tree", path: "", isRecursive: false, page: 1, perPage: 20 } as const;
const BROWSE = { kind: "browse", path: "", page: 1 } as const;

describe("a listing", () => {
  it.each<[InsideQuery, Partial<Inside & { kind: "tree" }>]>([
    [{}, {}],
    [{ path: "" }, {}],
    [{ path: "/" }, {}],
    [{ path: "a/b" }, { path: "a/b" }],
    [{ path: "a/b/" }, { path: "a/b" }],
    [{ page: "" }, {}],
    [{ page: "0" }, {}],
    [{ page: "1" }, {}],
    [{ page: "007" }, { page: 7 }],
    [{ page: "1000000" }, { page: 1_000_000 }],
    [{ page: "999999999" }, { page: 1_000_000 }],
    [{ per_page: "" }, {}],
    [{ per_page: "0" }, { perPage: 1 }],
    [{ per_page: "1" }, { perPage: 1 }],
    [{ per_page: "100" }, { perPage: 100 }],
    [{ per_page: "101" }, { perPage: 100 }],
    [{ per_page: "999999999" }, { perPage: 100 }],
    [{ recursive: "" }, {}],
    ...["1", "t", "T", "true", "TRUE", "True", "y", "yes", "on", "ON"].map(
      (recursive): [InsideQuery, { isRecursive: boolean }] => [{ recursive }, { isRecursive: true }],
    ),
    ...["0", "f", "F", "false", "FALSE", "False", "n", "no", "off", "OFF"].map(
      (recursive): [InsideQuery, { isRecursive: boolean }] => [{ recursive }, { isRecursive: false }],
    ),
    [
      { path: "a", recursive: "true", page: "3", per_page: "50" },
      { path: "a", isRecursive: true, page: 3, perPage: 50 },
    ],
  ])("readInside() does read %j", (query, changes) => {
    expect(readInside("tree", query)).toEqual({ ...TREE, ...changes });
  });

  it.each<[InsideQuery]>([
    [{ path: ".." }],
    [{ path: "a//b" }],
    [{ path: "/a" }],
    [{ path: "a\\b" }],
    [{ page: "-1" }],
    [{ page: "+1" }],
    [{ page: " 1" }],
    [{ page: "1.0" }],
    [{ page: "1e3" }],
    [{ page: "0x1" }],
    [{ page: "x" }],
    [{ page: "٣" }],
    [{ page: "1\n" }],
    [{ page: "9".repeat(400) }],
    [{ per_page: "all" }],
    [{ per_page: "-20" }],
    [{ recursive: "2" }],
    [{ recursive: "yes!" }],
    [{ recursive: " " }],
    [{ recursive: "null" }],
    [{ path: "a", recursive: "true", page: "x" }],
  ])("readInside() does not read %j", (query) => {
    expect(readInside("tree", query)).toBeUndefined();
  });
});

describe("a page for people", () => {
  it.each<[InsideQuery, Inside]>([
    [{}, BROWSE],
    [{ path: "a/b/" }, { ...BROWSE, path: "a/b" }],
    [{ page: "2" }, { ...BROWSE, page: 2 }],
    [
      { path: "a", recursive: "true", per_page: "7" },
      { ...BROWSE, path: "a" },
    ],
  ])("readInside() does read %j", (query, inside) => {
    expect(readInside("browse", query)).toEqual(inside);
  });

  it.each<[InsideQuery]>([[{ path: "../a" }], [{ page: "two" }]])(
    "readInside() does not read %j",
    (query) => {
      expect(readInside("browse", query)).toBeUndefined();
    },
  );
});

describe.each(["tar", "zip"] as const)("a subtree as %s", (kind) => {
  it.each<[InsideQuery, string]>([
    [{}, ""],
    [{ path: "a/b/" }, "a/b"],
    [{ path: "a", recursive: "odd", page: "odd", per_page: "odd" }, "a"],
  ])("readInside() does read nothing but the path of %j", (query, path) => {
    expect(readInside(kind, query)).toEqual({ kind, path });
  });

  it("readInside() does not read a path with two meanings", () => {
    expect(readInside(kind, { path: "a/../b" })).toBeUndefined();
  });
});
