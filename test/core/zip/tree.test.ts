import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactDirectory } from "../../../src/core/zip/compact-directory.ts";
import type { Directory, Member } from "../../../src/core/zip/member.ts";
import { listTree, type TreeItem } from "../../../src/core/zip/tree.ts";
import { memberOf } from "../../zip/member-of.ts";

const directory = compactDirectory(
  [
    { path: "dir/", mode: 0o750, mtime: 7 },
    { path: "dir/", problem: "entry_duplicate" as const },
    { path: "dir/b", size: 2, mode: 0o644, mtime: 8 },
    { path: "dir/a/deep/er/file", size: 3 },
    { path: "dir/a/deep/file" },
    { path: "dir/link", type: "symlink" as const, size: 4, mode: 0o777 },
    { path: "dir-2" },
    { path: "dir.txt" },
    { path: "dir0" },
    { path: "empty/" },
    { path: "top", problem: "entry_encrypted" as const },
    { path: "é/é" },
    { path: "😀/x" },
    { path: "\uff5e/x" },
  ].map(memberOf),
);

function itemsOf(of: Directory, path: string, recursive: boolean): readonly TreeItem[] {
  const answer = listTree(of, path, recursive);
  if (answer.kind !== "items") throw new Error(`Listing is ${answer.kind}`);
  return [...answer.items];
}

function pathsOf(of: Directory, path: string, recursive: boolean): string[] {
  return itemsOf(of, path, recursive).map((item) => item.path);
}

describe("what a directory has", () => {
  it.each([
    ["", ["dir-2", "dir.txt", "dir/", "dir0", "empty/", "top", "é/", "\uff5e/", "😀/"]],
    ["/", ["dir-2", "dir.txt", "dir/", "dir0", "empty/", "top", "é/", "\uff5e/", "😀/"]],
    ["dir", ["dir/a/", "dir/b", "dir/link"]],
    ["dir/", ["dir/a/", "dir/b", "dir/link"]],
    ["dir/a/deep", ["dir/a/deep/er/", "dir/a/deep/file"]],
    ["empty", []],
    ["é", ["é/é"]],
  ])("listTree() does list what is right below %j", (path, paths) => {
    expect(pathsOf(directory, path, false)).toEqual(paths);
  });

  it.each([
    [
      "dir",
      [
        "dir/a/",
        "dir/a/deep/",
        "dir/a/deep/er/",
        "dir/a/deep/er/file",
        "dir/a/deep/file",
        "dir/b",
        "dir/link",
      ],
    ],
    ["dir/a", ["dir/a/deep/", "dir/a/deep/er/", "dir/a/deep/er/file", "dir/a/deep/file"]],
    ["empty/", []],
    ["😀", ["😀/x"]],
  ])("listTree() does list all that is anywhere below %j", (path, paths) => {
    expect(pathsOf(directory, path, true)).toEqual(paths);
  });

  it.each([
    ["dir", "dir/"],
    ["dir/", "dir/"],
    ["", ""],
    ["/", ""],
  ])("listTree() does call %j %j", (path, base) => {
    expect(listTree(directory, path, false)).toMatchObject({ kind: "items", path: base, recursive: false });
  });

  it.each(["dir-2", "dir0/", "dir/link", "dir/a/deep/file/"])(
    "listTree() does know %j for a file",
    (path) => {
      const member = directory.find(path.replace(/\/$/, ""));
      expect(member).toBeDefined();
      expect(listTree(directory, path, true)).toEqual({ kind: "file", member });
    },
  );

  it.each(["di", "dir/a/dee", "dir//", "//", "dir/c", "dir1", "😀/x/y"])(
    "listTree() does miss %j",
    (path) => {
      expect(listTree(directory, path, false)).toEqual({ kind: "missing" });
    },
  );

  it("listTree() does find the root of an empty archive", () => {
    const empty = compactDirectory([]);
    expect(pathsOf(empty, "", false)).toEqual([]);
    expect(listTree(empty, "a", false)).toEqual({ kind: "missing" });
  });
});

describe("items", () => {
  const made = { type: "directory", size: undefined, mode: undefined, mtime: 0, problem: undefined };

  it("listTree() does describe members, and directories that have none", () => {
    expect(itemsOf(directory, "dir", false)).toEqual([
      { ...made, name: "a", path: "dir/a/" },
      {
        name: "b",
        path: "dir/b",
        type: "file",
        size: 2,
        mode: 0o644,
        mtime: 8,
        problem: undefined,
      },
      {
        name: "link",
        path: "dir/link",
        type: "symlink",
        size: 4,
        mode: 0o777,
        mtime: 0,
        problem: undefined,
      },
    ]);
    const root = itemsOf(directory, "", false);
    expect(root[2]).toEqual({ ...made, name: "dir", path: "dir/", mode: 0o750, mtime: 7 });
    expect(root[5]).toMatchObject({ name: "top", problem: "entry_encrypted" });
  });

  it.each([
    ["../up", "../", "..", "name_escapes"],
    ["/etc/passwd", "/", "", "name_absolute"],
    ["a\\b/c", "a\\b/", "a\\b", "name_backslash"],
    ["con/c", "con/", "con", "name_device"],
    ["ok/con", "ok/", "ok", undefined],
    ["ok/a\u0001", "ok/", "ok", undefined],
  ] as const)(
    "listTree() does say of what %j is in whether that is its fault",
    (path, above, name, problem) => {
      const member = memberOf({ path, problem: problem ?? "name_control" });
      const bad = compactDirectory([member]);
      expect(itemsOf(bad, "", false)).toEqual([{ ...made, path: above, name, problem }]);
      expect(itemsOf(bad, "", true).at(-1)).toMatchObject({ path, problem: member.problem });
    },
  );

  it("listTree() does not hide what has no name", () => {
    const nameless = compactDirectory([memberOf({ path: "", problem: "name_malformed" })]);
    expect(pathsOf(nameless, "", false)).toEqual([""]);
    expect(pathsOf(nameless, "", true)).toEqual([""]);
  });

  it("listTree() does make them anew each time they are asked for", () => {
    const answer = listTree(directory, "dir", false);
    if (answer.kind !== "items") throw new Error("Listing is missing");
    expect([...answer.items]).toEqual([...answer.items]);
  });
});

describe("cost", () => {
  /** Counts how many members are made. */
  function counting(inner: Directory): { directory: Directory; made: () => number } {
    let count = 0;
    const at = (position: number): Member => {
      count += 1;
      return inner.at(position);
    };
    return { directory: { ...inner, at }, made: () => count };
  }

  const large = compactDirectory(
    Array.from({ length: 10_000 }, (_, index) => memberOf({ path: `${index % 10}/${index % 100}/${index}` })),
  );

  it("listTree() does not look at what is in the directories it lists", () => {
    const { directory: counted, made } = counting(large);
    expect(pathsOf(counted, "", false)).toHaveLength(10);
    expect(made()).toBeLessThan(50);
  });

  it("listTree() does not look further than it is asked", () => {
    const { directory: counted, made } = counting(large);
    const answer = listTree(counted, "", true);
    if (answer.kind !== "items") throw new Error("Listing is missing");
    let taken = 0;
    for (const _ of answer.items) {
      taken += 1;
      if (taken === 20) break;
    }
    expect(made()).toBeLessThan(25);
  });
});

describe("any archive", () => {
  const segment = fc.constantFrom("a", "b", "a-", "a.", "a0", "é", "😀", "\uff5e");
  const path = fc
    .tuple(fc.array(segment, { minLength: 1, maxLength: 4 }), fc.boolean())
    .map(([segments, isDirectory]) => segments.join("/") + (isDirectory ? "/" : ""));
  const archive = fc.array(path, { maxLength: 12 });

  /** The paths that are below a directory, worked out from all paths there are. */
  function below(paths: readonly string[], base: string): string[] {
    const all = paths.flatMap((each) =>
      Array.from(each.matchAll(/\//g), ({ index }) => each.slice(0, index + 1)).concat(each),
    );
    const directories = all.filter((each) => each.endsWith("/"));
    // A file that stands there twice is listed twice.
    const files = paths.filter((each) => !each.endsWith("/"));
    const found = [...new Set(directories), ...files].filter(
      (each) => each.startsWith(base) && each !== base,
    );
    return found.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  }

  it("listTree() does list what its paths amount to, once and in order", () => {
    fc.assert(
      fc.property(archive, fc.oneof(fc.constant(""), path), (paths, asked) => {
        const of = compactDirectory(paths.map((each) => memberOf({ path: each })));
        const base = asked === "" || asked.endsWith("/") ? asked : `${asked}/`;
        const all = below(paths, base);
        const answer = listTree(of, asked, true);
        const isDirectory = base === "" || all.length > 0 || paths.includes(base);
        if (!isDirectory) {
          expect(answer.kind).toBe(paths.includes(base.slice(0, -1)) ? "file" : "missing");
          return;
        }
        expect(pathsOf(of, asked, true)).toEqual(all);
        const isRightBelow = (each: string): boolean => !each.slice(base.length, -1).includes("/");
        expect(pathsOf(of, asked, false)).toEqual(all.filter(isRightBelow));
      }),
      { numRuns: 500 },
    );
  });
});
