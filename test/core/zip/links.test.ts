import fc from "fast-check";
import { posix } from "node:path";
import { describe, expect, it } from "vitest";
import { compactDirectory } from "../../../src/core/zip/compact-directory.ts";
import { followLink, linkTarget } from "../../../src/core/zip/links.ts";
import { memberOf } from "../../zip/member-of.ts";

describe("linkTarget()", () => {
  it.each([
    ["a", "b", "b"],
    ["dir/a", "b", "dir/b"],
    ["dir/a", "../b", "b"],
    ["x/y/z/a", "../../b/c", "x/b/c"],
    ["x/y/a", "../..", ""],
    ["a", ".", ""],
    ["dir/a", "./b", "dir/b"],
    ["dir/a", "./.././b", "b"],
    ["dir/a", "b/", "dir/b"],
    ["dir/a", "../", ""],
    ["a", "..b", "..b"],
    ["a", "b c/é", "b c/é"],
    ["lib/libfoo.so", "libfoo.so.1:amd64", "lib/libfoo.so.1:amd64"],
  ])("linkTarget() does lead from %j by %j to %j", (path, text, target) => {
    expect(linkTarget(path, text)).toEqual({ kind: "inside", path: target });
  });

  it.each([
    ["a", "..", "link_escapes"],
    ["a", "../b", "link_escapes"],
    ["a", "./../b", "link_escapes"],
    ["dir/a", "../../b", "link_escapes"],
    ["dir/a", "b/../c", "link_escapes"],
    ["dir/a", "b/..", "link_escapes"],
    ["dir/a", "../b/../c", "link_escapes"],
    ["a", "...", "link_escapes"],
    ["dir/a", ".. /b", "link_escapes"],
    ["dir/a", "b/.. ./c", "link_escapes"],
    ["dir/a", "..//b", "link_escapes"],
    ["dir/a", "/etc/passwd", "link_escapes"],
    ["dir/a", "/", "link_escapes"],
    ["dir/a", "//host/share", "link_escapes"],
    ["a", "..\\b", "name_backslash"],
    ["a", "C:b", "name_drive"],
    ["a", "c:/b", "name_drive"],
    ["a", "b/C:c", "name_drive"],
    ["a", "b:$DATA", "name_drive"],
    ["dir/a", "../NUL", "name_device"],
    ["a", "b/aux.txt", "name_device"],
    ["a", "b\0", "name_control"],
    ["a", "b\nc", "name_control"],
    ["a", "b\x7f", "name_control"],
    ["a", "", "name_malformed"],
    ["a", "b//c", "name_malformed"],
    ["a", "b//", "name_malformed"],
    ["a", "b/./c", "name_malformed"],
    ["a", "b/.", "name_malformed"],
  ])("linkTarget() does not lead from %j by %j: %s", (path, text, problem) => {
    expect(linkTarget(path, text)).toEqual({ kind: "problem", problem });
  });

  const anySegment = fc.constantFrom("a", "b", "..", ".", "", "c d", "é");
  const anyText = fc.array(anySegment, { maxLength: 6 }).map((segments) => segments.join("/"));
  const anyPath = fc.array(fc.constantFrom("a", "b", "x"), { minLength: 1, maxLength: 4 });

  it("linkTarget() does lead where a file system leads, or nowhere", () => {
    fc.assert(
      fc.property(anyPath, anyText, (names, text) => {
        const path = names.join("/");
        const target = linkTarget(path, text);
        if (target.kind === "problem") return;
        expect(`/${target.path}`).toBe(posix.resolve("/", posix.dirname(path), text));
        // From far below the root, where too many ".." would show.
        const root = "/1/2/3/4/5/6/7/8";
        expect(posix.resolve(root, posix.dirname(path), text)).toBe(posix.join(root, target.path));
      }),
    );
  });
});

describe("followLink()", () => {
  const links = new Map([
    ["to-file", "dir/file"],
    ["to-link", "to-file"],
    ["dir/up", "../top"],
    ["to-dir", "dir"],
    ["to-implicit", "made/up"],
    ["through", "to-dir/file"],
    ["through-twice", "again/to-dir/up"],
    ["again", "."],
    ["deep/er/out", "../../dir/up"],
    ["root", "."],
    ["through-root", "root/top"],
    ["nowhere", "dir/none"],
    ["below-file", "top/x"],
    ["half", "made/u"],
    ["self", "self"],
    ["ping", "pong"],
    ["pong", "ping"],
    ["spiral", "spiral/x"],
    ["escaping", "to-escape/x"],
    ["to-escape", "../x"],
    ["to-broken", "broken"],
    ["to-unknown", "unknown"],
    ...Array.from({ length: 9 }, (_, index): [string, string] => [`hop-${index}`, `hop-${index + 1}`]),
  ]);
  const directory = compactDirectory([
    memberOf({ path: "top" }),
    memberOf({ path: "dir/" }),
    memberOf({ path: "dir/file" }),
    memberOf({ path: "made/up/file" }),
    memberOf({ path: "hop-9" }),
    memberOf({ path: "broken", problem: "entry_encrypted" }),
    memberOf({ path: "unknown", type: "symlink" }),
    ...[...links.keys()].map((path) => memberOf({ path, type: "symlink" })),
  ]);

  it.each([
    ["to-file", "dir/file"],
    ["to-link", "dir/file"],
    ["dir/up", "top"],
    ["through", "dir/file"],
    ["through-twice", "top"],
    ["deep/er/out", "top"],
    ["through-root", "top"],
    ["hop-1", "hop-9"],
  ])("followLink() does find from %j the file %j", (path, expected) => {
    const followed = followLink(directory, memberOf({ path, type: "symlink" }), links);
    expect(followed).toEqual({ kind: "member", member: directory.find(expected) });
  });

  it.each([
    ["to-dir", "dir/"],
    ["to-implicit", "made/up/"],
    ["root", ""],
  ])("followLink() does find from %j the directory %j", (path, expected) => {
    const followed = followLink(directory, memberOf({ path, type: "symlink" }), links);
    expect(followed).toEqual({ kind: "directory", path: expected });
  });

  it.each([
    ["nowhere", "link_dangling"],
    ["below-file", "link_dangling"],
    ["half", "link_dangling"],
    ["self", "link_dangling"],
    ["ping", "link_dangling"],
    ["spiral", "link_dangling"],
    ["hop-0", "link_dangling"],
    ["escaping", "link_escapes"],
    ["to-broken", "entry_encrypted"],
    ["to-unknown", "name_malformed"],
    ["unknown", "name_malformed"],
  ])("followLink() does find from %j nothing: %s", (path, problem) => {
    const followed = followLink(directory, memberOf({ path, type: "symlink" }), links);
    expect(followed).toEqual({ kind: "problem", problem });
  });
});

type Tree = ReadonlyMap<string, string | undefined>;

/** What is at the end of a way as POSIX walks it, name by name from a directory without links; `undefined` where nothing is. */
function walk(tree: Tree, from: readonly string[], text: string, hops = 0): string | undefined {
  let at = [...from];
  if (hops > 20) return undefined;
  for (const name of text.split("/")) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      if (at.length === 0) throw new Error(`${text} leads out of the archive`);
      at.pop();
      continue;
    }
    const link = tree.get([...at, name].join("/"));
    const next = link === undefined ? [...at, name].join("/") : walk(tree, at, link, hops + 1);
    if (next === undefined) return undefined;
    at = next === "" ? [] : next.split("/");
  }
  const path = at.join("/");
  const isThere = [...tree.keys()].some((one) => one === path || one.startsWith(`${path}/`));
  return isThere || path === "" ? path : undefined;
}

describe("links together", () => {
  const anyName = fc.constantFrom("a", "b", "c");
  const anyPath = fc.array(anyName, { minLength: 1, maxLength: 3 }).map((names) => names.join("/"));
  const anyText = fc.array(fc.constantFrom("a", "b", "c", "..", "."), { minLength: 1, maxLength: 5 });
  const anyLink = fc.option(
    anyText.map((segments) => segments.join("/")),
    { nil: undefined, freq: 4 },
  );
  const anyTree = fc.array(fc.tuple(anyPath, anyLink), { maxLength: 10 }).map((entries): Tree => {
    const tree = new Map<string, string | undefined>();
    for (const [path, text] of entries) {
      const nested = [...tree.keys()].some(
        (one) => `${one}/`.startsWith(`${path}/`) || `${path}/`.startsWith(`${one}/`),
      );
      const isSafe = text === undefined || linkTarget(path, text).kind === "inside";
      if (!nested && isSafe) tree.set(path, text);
    }
    return tree;
  });

  it("linkTarget() does let no link pass that leads out by way of others, and followLink() finds what is there", () => {
    let found = 0;
    fc.assert(
      fc.property(anyTree, (tree) => {
        const links = new Map(
          [...tree].flatMap(([path, text]) => (text === undefined ? [] : [[path, text]])),
        );
        const members = [...tree].map(([path, text]) =>
          memberOf({ path, type: text === undefined ? "file" : "symlink" }),
        );
        const directory = compactDirectory(members);
        for (const [path, text] of links) {
          const walked = walk(tree, path.split("/").slice(0, -1), text);
          const followed = followLink(directory, memberOf({ path, type: "symlink" }), links);
          if (followed.kind === "problem") continue;
          const { path: end } = followed.kind === "member" ? followed.member : followed;
          expect(end.replace(/\/$/, "")).toBe(walked);
          found += 1;
        }
      }),
      { numRuns: 500 },
    );
    expect(found).toBeGreaterThan(20);
  });
});
