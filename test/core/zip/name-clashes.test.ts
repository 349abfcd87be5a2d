import { describe, expect, it } from "vitest";
import type { EntryName } from "../../../src/core/zip/entry-name.ts";
import { nameClashes } from "../../../src/core/zip/name-clashes.ts";

/** A name that ends with `/` is a directory's, one with `@` before it a link's, one with `!` before it has a problem. */
function clashesOf(...written: readonly string[]) {
  const names = written.map((text): EntryName => {
    const path = text.replace(/^[@!]/, "");
    const type = path.endsWith("/") ? "directory" : text.startsWith("@") ? "symlink" : "file";
    return {
      path,
      type,
      mode: undefined,
      problem: text.startsWith("!") ? "name_control" : undefined,
      isRoot: false,
    };
  });
  return nameClashes(names);
}

const none = undefined;
const twice = "entry_duplicate";
const alike = "entry_collides";
const through = "entry_through_link";

describe("nameClashes()", () => {
  it.each<[string[], (string | undefined)[]]>([
    [[], []],
    [
      ["b", "a", "a-b", "a.b", "ab"],
      [none, none, none, none, none],
    ],
    [
      ["d/", "d/a", "d/b/", "d/b/c"],
      [none, none, none, none],
    ],
    [
      ["d/a", "d/"],
      [none, none],
    ],
    [
      ["a", "a"],
      [none, twice],
    ],
    [
      ["a", "b", "a", "a"],
      [none, none, twice, twice],
    ],
    [
      ["d/", "d/"],
      [none, twice],
    ],
    [
      ["a", "a/"],
      [none, twice],
    ],
    [
      ["a/", "a-", "a.txt", "a"],
      [none, none, none, twice],
    ],
    [
      ["a", "A"],
      [none, alike],
    ],
    [
      ["a", "A", "A", "a"],
      [none, alike, twice, twice],
    ],
    [
      ["Dir/a", "dir/A"],
      [none, alike],
    ],
    [
      ["a", "A/"],
      [none, alike],
    ],
    [
      ["\u00e9", "e\u0301", "E\u0301", "e"],
      [none, alike, alike, none],
    ],
    [
      ["ΑΩ", "αω"],
      [none, alike],
    ],
    [
      ["@l", "l/a"],
      [none, through],
    ],
    [
      ["l/a/b", "@l"],
      [through, none],
    ],
    [
      ["@l", "l/a", "l/a/b", "l/a", "lb"],
      [none, through, through, twice, none],
    ],
    [
      ["@L", "l/a"],
      [none, through],
    ],
    [
      ["a", "a/b"],
      [none, through],
    ],
    [
      ["d/@", "@d/l", "d/l/x/y", "d/lx"],
      [none, none, through, none],
    ],
    [
      ["@l", "l/", "l/a"],
      [none, twice, through],
    ],
    [
      ["l/", "@l", "l/a"],
      [none, twice, through],
    ],
    [
      ["!a", "a", "a/b", "!a"],
      [none, none, through, none],
    ],
    [
      ["!l", "l/a"],
      [none, none],
    ],
  ])("nameClashes() does judge %j", (names, problems) => {
    expect(clashesOf(...names)).toEqual(problems);
  });
});
