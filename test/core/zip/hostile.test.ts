import { describe, expect, it } from "vitest";
import { readLocalHeader } from "../../../src/core/zip/local-header.ts";
import type { Directory, Member } from "../../../src/core/zip/member.ts";
import { HOSTILE_ARCHIVES, HOSTILE_LIMITS } from "../../zip/hostile.ts";
import { directoryIn, readZip } from "../../zip/read-zip.ts";

function membersOf(directory: Directory): Member[] {
  return Array.from({ length: directory.count }, (_, position) => directory.at(position));
}

describe("an archive as a whole", () => {
  const archives = HOSTILE_ARCHIVES.filter(({ member }) => member === undefined);

  it.each(archives)("readDirectory() does refuse one that $name: $problem", ({ bytes, problem }) => {
    expect(readZip(bytes, HOSTILE_LIMITS)).toEqual({ kind: "problem", problem });
  });
});

describe("one member", () => {
  const archives = HOSTILE_ARCHIVES.filter(
    ({ member, isInData }) => member !== undefined && isInData !== true,
  );

  it.each(archives)(
    "readDirectory() does mark the member, and no other, of one that $name: $problem",
    (archive) => {
      const members = membersOf(directoryIn(archive.bytes, HOSTILE_LIMITS));
      const marked = members.filter(({ problem }) => problem !== undefined);
      expect(marked.map(({ path, problem }) => [path, problem])).toEqual([[archive.member, archive.problem]]);
      expect(members.find(({ path }) => path === "good.txt")?.problem).toBeUndefined();
      expect(members.findLast(({ path }) => path === archive.member)?.problem).toBe(archive.problem);
    },
  );
});

describe("a local header", () => {
  const archives = HOSTILE_ARCHIVES.filter(({ isInData }) => isInData === true);

  it.each(archives)(
    "readLocalHeader() does refuse that of one that $name: $problem",
    ({ bytes, member, problem }) => {
      const found = directoryIn(bytes, HOSTILE_LIMITS).find(member ?? "");
      expect(found?.problem).toBeUndefined();
      expect(readLocalHeader(bytes.subarray(found?.headerOffset), found!)).toEqual({
        kind: "problem",
        problem,
      });
    },
  );
});
