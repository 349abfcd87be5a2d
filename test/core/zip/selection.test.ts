import { describe, expect, it } from "vitest";
import { compactDirectory } from "../../../src/core/zip/compact-directory.ts";
import { type SelectedMembers, select } from "../../../src/core/zip/selection.ts";
import { memberOf } from "../../zip/member-of.ts";

const links = new Map([
  ["dir/link", "file"],
  ["dir/out", "../../x"],
]);

/** From the last one in the archive to the first. */
const directory = compactDirectory(
  [
    { path: "dir/" },
    { path: "dir/file" },
    { path: "dir/sub/é" },
    { path: "dir/link", type: "symlink" as const },
    { path: "dir/out", type: "symlink" as const },
    { path: "dir/unread", type: "symlink" as const },
    { path: "dir/secret", problem: "entry_encrypted" as const },
    { path: "dir\x1f" },
    { path: "dir-2/file" },
    { path: "dir.txt" },
    { path: "dir0" },
    { path: "implicit/file" },
    { path: "top" },
    { path: "top", problem: "entry_duplicate" as const },
    { path: "😀/file" },
    { path: "\uff5e/file" },
  ].map((member, index) => memberOf({ ...member, headerOffset: 2 ** 40 - index * 2 ** 33 })),
);

function paths({ positions }: SelectedMembers): string[] {
  return Array.from(positions, (position) => directory.at(position).path);
}

describe("select()", () => {
  it.each([
    ["dir", ["dir/link", "dir/sub/é", "dir/file", "dir/"], 3],
    ["dir/", ["dir/link", "dir/sub/é", "dir/file", "dir/"], 3],
    ["dir/sub", ["dir/sub/é"], 0],
    ["dir/file", ["dir/file"], 0],
    ["dir/link", ["dir/link"], 0],
    ["dir/out", [], 1],
    ["dir/unread", [], 1],
    ["dir/secret", [], 1],
    ["implicit", ["implicit/file"], 0],
    ["top", ["top"], 0],
    ["top/", [], 0],
    ["😀", ["😀/file"], 0],
    ["\uff5e/", ["\uff5e/file"], 0],
    ["di", [], 0],
    ["none/", [], 0],
    ["zzz", [], 0],
  ])("select() does take for %j %j and omit %i", (path, expected, omitted) => {
    const selection = select(directory, path, links);
    expect(paths(selection)).toEqual(expected);
    expect(selection.omitted).toBe(omitted);
  });

  it("select() does take for an empty path all that is served, in the order of the archive", () => {
    const selection = select(directory, "", links);
    expect(selection.omitted).toBe(4);
    expect(selection.positions).toHaveLength(directory.count - 4);
    const offsets = Array.from(selection.positions, (position) => directory.at(position).headerOffset);
    expect(offsets).toEqual(offsets.toSorted((a, b) => a - b));
  });

  it("select() does take nothing of an empty archive", () => {
    expect(paths(select(compactDirectory([]), "", new Map()))).toEqual([]);
    expect(paths(select(compactDirectory([]), "dir", new Map()))).toEqual([]);
  });
});
