import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactDirectory, openDirectory } from "../../../src/core/zip/compact-directory.ts";
import type { Directory, Member } from "../../../src/core/zip/member.ts";
import { ZIP_PROBLEMS, type ZipProblem } from "../../../src/core/zip/problems.ts";
import { concat } from "../../zip/write-zip.ts";

function member(path: string, more: Partial<Member> = {}): Member {
  const type = path.endsWith("/") ? "directory" : "file";
  const sizes = { compressedSize: 0, size: 0, headerOffset: 0, limit: 0 };
  return { path, type, method: 0, crc: 0, ...sizes, mode: undefined, mtime: 0, problem: undefined, ...more };
}

function membersOf(directory: Directory): Member[] {
  return Array.from({ length: directory.count }, (_, position) => directory.at(position));
}

const byBytes = (a: Member, b: Member) => Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));

/** What the directory of one entry may be marked with. */
const MARKS = (Object.keys(ZIP_PROBLEMS) as ZipProblem[]).filter((name) => {
  return /^(name|entry)_/.test(name) && !/not_found|is_directory|corrupt/.test(name);
});

const number = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const anyMember: fc.Arbitrary<Member> = fc.record({
  path: fc.oneof(fc.constantFrom("a", "b", "\uffff", "\u{1f389}"), fc.string({ unit: "grapheme" })),
  type: fc.constantFrom("file", "directory", "symlink"),
  method: fc.nat({ max: 0xffff }),
  crc: fc.nat({ max: 0xffff_ffff }),
  compressedSize: number,
  size: number,
  headerOffset: number,
  limit: number,
  mode: fc.option(fc.nat({ max: 0o777 }), { nil: undefined }),
  mtime: number,
  problem: fc.option(fc.constantFrom(...MARKS), { nil: undefined }),
});

describe("compactDirectory()", () => {
  it("compactDirectory() does keep any members, sorted by the bytes of their paths, through its bytes", () => {
    fc.assert(
      fc.property(fc.array(anyMember), (members) => {
        const made = compactDirectory(members);
        expect(membersOf(made)).toEqual(members.toSorted(byBytes));
        const opened = openDirectory(made.bytes.slice());
        expect(opened && membersOf(opened)).toEqual(membersOf(made));
      }),
    );
  });

  it.each(MARKS)("compactDirectory() does keep %s", (problem) => {
    expect(compactDirectory([member("a", { problem })]).at(0).problem).toBe(problem);
  });

  it("compactDirectory() does keep equal paths in the order of the archive", () => {
    const made = compactDirectory([member("b"), member("a", { crc: 2 }), member("a", { crc: 1 })]);
    expect(membersOf(made).map(({ crc }) => crc)).toEqual([2, 1, 0]);
    expect(made.find("a")?.crc).toBe(2);
  });

  it("compactDirectory() does take 54 bytes an entry, and 16, beside the paths", () => {
    const members = Array.from({ length: 100 }, (_, index) => member(`dir/file-${index}`));
    const pathBytes = members.reduce((sum, { path }) => sum + path.length, 0);
    expect(compactDirectory(members).bytes.byteLength).toBe(16 + 54 * 100 + pathBytes);
  });
});

describe("a directory", () => {
  // U+FFFF is before U+1F389 in UTF-8, and after it in UTF-16.
  const paths = ["a", "a-b", "a/", "a/b", "ab", "\uffff", "\u{1f389}"];
  const directory = compactDirectory(paths.toReversed().map((path) => member(path)));

  it.each([
    ["", 0],
    ["a", 0],
    ["a-", 1],
    ["a/", 2],
    ["a/a", 3],
    ["a0", 4],
    ["b", 5],
    ["\uffff", 5],
    ["\u{1f389}", 6],
    ["\u{1f38a}", 7],
  ])("lowerBound() does find the place of %j at %d", (path, position) => {
    expect(directory.lowerBound(path)).toBe(position);
  });

  it.each([
    ["", 0, 7],
    ["a/", 2, 4],
    ["ab/", 5, 5],
    ["b/", 5, 5],
  ])("below() does find what is at or below %j from %d up to %d", (path, first, end) => {
    expect(directory.below(path)).toEqual({ first, end });
  });

  it.each(paths)("find() does find %j", (path) => {
    expect(directory.find(path)?.path).toBe(path);
  });

  it.each([[""], ["a/c"], ["A"], ["b"], ["a/b/"], ["\ud83c"], ["\u{1f38a}"]])(
    "find() does not find %j",
    (path) => {
      expect(directory.find(path)).toBeUndefined();
    },
  );

  it.each([[-1], [7], [0.5], [Number.NaN]])("at() does throw for position %d", (position) => {
    expect(() => directory.at(position)).toThrow(RangeError);
  });

  it("find() does find nothing in an empty directory", () => {
    const empty = openDirectory(compactDirectory([]).bytes);
    expect(empty?.count).toBe(0);
    expect(empty?.lowerBound("a")).toBe(0);
    expect(empty?.find("a")).toBeUndefined();
  });
});

describe("openDirectory()", () => {
  const { bytes } = compactDirectory([member("a", { size: 7 }), member("b/", { mode: 0o755 })]);

  it.each([[0], [1], [3], [4], [8]])("openDirectory() does open one %d bytes into its memory", (before) => {
    const moved = concat([new Uint8Array(before), bytes, new Uint8Array(3)]);
    const opened = openDirectory(moved.subarray(before, before + bytes.byteLength));
    expect(opened?.find("a")?.size).toBe(7);
    expect(opened?.find("b/")?.mode).toBe(0o755);
    expect(opened?.bytes).toEqual(bytes);
  });

  it("openDirectory() does not copy what is aligned", () => {
    expect(openDirectory(bytes)?.bytes.buffer).toBe(bytes.buffer);
  });

  it.each<[string, Uint8Array]>([
    ["nothing", new Uint8Array()],
    ["a byte less", bytes.subarray(0, -1)],
    ["a byte more", concat([bytes, Uint8Array.of(0)])],
    ["half of it", bytes.subarray(0, 60)],
    ["another mark", concat([Uint8Array.of(0), bytes.subarray(1)])],
    ["another version", bytes.with(3, 2)],
    ["another count", bytes.with(4, 3)],
    ["a vast count", bytes.with(7, 0xff)],
    ["another length of names", bytes.with(8, 4)],
    ["an end of a path before that of the one before it", bytes.with(16 + 2 * 44, 0xff)],
    ["an end of a path that is not that of all", bytes.with(16 + 2 * 44 + 4, 2)],
    ["a type there is not", bytes.with(16 + 2 * 52, 3)],
    ["a problem there is not", bytes.with(16 + 2 * 53, 15)],
  ])("openDirectory() does not open %s", (_, other) => {
    expect(openDirectory(other)).toBeUndefined();
  });

  it("openDirectory() does open or refuse it with any byte changed, and every member can be read then", () => {
    for (const position of bytes.keys()) {
      for (const bit of [1, 0x80]) {
        const opened = openDirectory(bytes.with(position, bytes[position]! ^ bit));
        expect(opened === undefined ? 2 : membersOf(opened).length).toBe(2);
      }
    }
  });

  it("openDirectory() does refuse garbage", () => {
    expect(openDirectory(new Uint8Array(300).fill(1))).toBeUndefined();
    fc.assert(fc.property(fc.uint8Array({ maxLength: 300 }), (other) => openDirectory(other) === undefined));
  });
});
