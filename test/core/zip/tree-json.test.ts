import { describe, expect, it } from "vitest";
import type { Paging } from "../../../src/core/offset-pagination.ts";
import { compactDirectory } from "../../../src/core/zip/compact-directory.ts";
import { listTree } from "../../../src/core/zip/tree.ts";
import { type TreeJson, treeJson } from "../../../src/core/zip/tree-json.ts";
import { memberOf } from "../../zip/member-of.ts";

const url = new URL("https://git.example.com/api/v4/projects/a%2Fb/jobs/42/artifacts/tree");

function tree(
  paths: readonly Parameters<typeof memberOf>[0][],
  recursive: boolean,
  paging: Partial<Paging> = {},
  at = url,
): TreeJson {
  const listing = listTree(compactDirectory(paths.map(memberOf)), "", recursive);
  if (listing.kind !== "items") throw new Error(`Listing is ${listing.kind}`);
  return treeJson(listing, { page: 1, perPage: 20, ...paging }, at);
}

function pathsOf({ body }: TreeJson): string[] {
  return (JSON.parse(body) as { path: string }[]).map(({ path }) => path);
}

function numbered(count: number): { path: string }[] {
  return Array.from({ length: count }, (_, index) => ({ path: `file-${String(index).padStart(6, "0")}` }));
}

describe("items", () => {
  const members = [
    { path: "a.txt", size: 1024, mode: 0o644 },
    { path: "b/", mode: 0o755 },
    { path: "b/tool", size: 7, mode: 0o755 },
    { path: "c/made-up" },
    { path: "empty", mode: 0o4 },
    { path: "link", type: "symlink" as const, size: 5, mode: 0o777 },
    { path: "secret", problem: "entry_encrypted" as const },
    { path: "../out", problem: "name_escapes" as const },
  ];

  it("treeJson() does write them as GitLab documents them, directories first", () => {
    expect(JSON.parse(tree(members, false).body)).toEqual([
      { name: "b", path: "b/", type: "directory", mode: "040755" },
      { name: "c", path: "c/", type: "directory", mode: null },
      { name: "a.txt", path: "a.txt", type: "file", size: 1024, mode: "100644" },
      { name: "empty", path: "empty", type: "file", size: 0, mode: "100004" },
      { name: "link", path: "link", type: "file", size: 5, mode: "120777" },
    ]);
  });

  it("treeJson() does keep the order of paths where it goes all the way down", () => {
    const all = ["a.txt", "b/", "b/tool", "c/", "c/made-up", "empty", "link"];
    expect(pathsOf(tree(members, true))).toEqual(all);
  });

  it("treeJson() does write an empty archive as an empty list", () => {
    const { body, headers } = tree([], false);
    expect(body).toBe("[]");
    expect(Object.fromEntries(headers)).toMatchObject({ "X-Total": "0", "X-Total-Pages": "1" });
  });
});

describe("pages", () => {
  const mixed = [...numbered(3), { path: "a/x" }, { path: "g/x" }, { path: "z/x" }];
  const files = numbered(3).map(({ path }) => path);

  it.each([
    [1, 2, ["a/", "g/"]],
    [2, 2, ["z/", files[0]]],
    [3, 2, [files[1], files[2]]],
    [4, 2, []],
    [1, 100, ["a/", "g/", "z/", ...files]],
    [2, 5, [files[2]]],
  ])("treeJson() does put on page %i, of %i items each, %j", (page, perPage, paths) => {
    expect(pathsOf(tree(mixed, false, { page, perPage }))).toEqual(paths);
  });

  it.each([true, false])(
    "treeJson() does lose and repeat nothing between pages (recursive: %s)",
    (recursive) => {
      const pages = [1, 2, 3, 4, 5].flatMap((page) => pathsOf(tree(mixed, recursive, { page, perPage: 2 })));
      expect(pages).toEqual(pathsOf(tree(mixed, recursive)));
      expect(new Set(pages).size).toBe(recursive ? 9 : 6);
    },
  );

  const link = (page: number, relation: string): string =>
    `<${url.href}?page=${page}&per_page=2>; rel="${relation}"`;

  it.each([
    [1, "2", "", [link(2, "next"), link(1, "first"), link(3, "last")]],
    [2, "3", "1", [link(1, "prev"), link(3, "next"), link(1, "first"), link(3, "last")]],
    [3, "", "2", [link(2, "prev"), link(1, "first"), link(3, "last")]],
    [4, "", "", [link(1, "first"), link(3, "last")]],
  ])(
    "treeJson() does lead from page %i to the next, %j, and the one before, %j",
    (page, next, previous, links) => {
      const { headers } = tree(mixed, false, { page, perPage: 2 });
      expect(headers).toEqual([
        ["Content-Type", "application/json"],
        ["X-Content-Type-Options", "nosniff"],
        ["X-Page", String(page)],
        ["X-Per-Page", "2"],
        ["X-Next-Page", next],
        ["X-Prev-Page", previous],
        ["X-Total", "6"],
        ["X-Total-Pages", "3"],
        ["Link", links.join(", ")],
      ]);
    },
  );

  it("treeJson() does not say how many there are where there are very many", () => {
    const { headers } = tree(numbered(10_001), true, { page: 2, perPage: 100 });
    const fields = Object.fromEntries(headers);
    expect(fields).toMatchObject({ "X-Next-Page": "3", "X-Prev-Page": "1" });
    expect(Object.keys(fields)).not.toContain("X-Total");
    expect(Object.keys(fields)).not.toContain("X-Total-Pages");
    expect(fields["Link"]).not.toContain("last");
    const { headers: counted } = tree(numbered(10_000), true, { page: 2, perPage: 100 });
    expect(Object.fromEntries(counted)).toMatchObject({ "X-Total": "10000", "X-Total-Pages": "100" });
  });

  it("treeJson() does end a very long list at its last page", () => {
    const last = tree(numbered(10_101), true, { page: 102, perPage: 100 });
    expect(pathsOf(last)).toEqual(["file-010100"]);
    expect(Object.fromEntries(last.headers)).toMatchObject({ "X-Next-Page": "", "X-Total": "10101" });
  });
});

describe("links", () => {
  it("treeJson() does keep what the list is made from, and never a credential", () => {
    const asked = new URL(
      `${url.href}?path=a%20b&private_token=glpat-1&recursive=true&job_token=t&page=9&per_page=9`,
    );
    const link = Object.fromEntries(tree(numbered(3), true, { page: 1, perPage: 2 }, asked).headers)["Link"];
    expect(link).toContain(`<${url.href}?path=a+b&recursive=true&page=2&per_page=2>; rel="next"`);
    expect(link).not.toMatch(/token|glpat/);
  });
});
