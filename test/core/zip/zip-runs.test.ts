import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactDirectory } from "../../../src/core/zip/compact-directory.ts";
import type { Member } from "../../../src/core/zip/member.ts";
import { sliceRuns } from "../../../src/core/zip/runs.ts";
import { select } from "../../../src/core/zip/selection.ts";
import { zipRuns, zipSize } from "../../../src/core/zip/zip-runs.ts";
import { anyEntries } from "../../zip/any-entries.ts";
import { memberOf } from "../../zip/member-of.ts";
import { openArchive } from "../../zip/open-archive.ts";
import { lengthOf, runBytes } from "../../zip/run-bytes.ts";
import { writeZip } from "../../zip/write-zip.ts";

const NO_LINKS = new Map<string, string>();

function sizes(members: readonly Member[]): { size: number; sum: number } {
  const selection = select(compactDirectory(members), "", NO_LINKS);
  return { size: zipSize(selection), sum: lengthOf(zipRuns(selection)) };
}

describe("zipRuns()", () => {
  it("zipRuns() does put packed bytes between headers, and the directory behind in one", () => {
    const { bytes, directory } = openArchive(
      writeZip([
        { name: "b.txt", content: "hello hello hello", method: 8, descriptor: 16 },
        { name: "empty" },
        { name: "é", content: "x" },
      ]).bytes,
    );
    const selection = select(directory, "", NO_LINKS);
    const runs = [...zipRuns(selection)];
    const packed = directory.at(0).compressedSize;
    const shape = runs.map((run) => {
      return run.kind === "text"
        ? run.bytes.byteLength
        : `${run.kind} ${run.member.path} ${run.from}-${run.until}`;
    });
    expect(shape).toEqual([35, `raw b.txt 0-${packed}`, 35 + 32, "raw é 0-1", 3 * 46 + 5 + 5 + 2 + 22]);
    const zip = runBytes(bytes, runs);
    expect(zip.byteLength).toBe(zipSize(selection));
    expect(zip.indexOf("hello hello")).toBe(-1);
  });

  it("zipRuns() does make an end record of nothing", () => {
    const selection = select(compactDirectory([]), "", NO_LINKS);
    const end = Uint8Array.of(0x50, 0x4b, 5, 6, ...new Uint8Array(18));
    expect([...zipRuns(selection)]).toEqual([{ kind: "text", bytes: end }]);
    expect(zipSize(selection)).toBe(22);
  });

  it("zipRuns() does keep all that a directory knows of those that are served, but for where they are", () => {
    fc.assert(
      fc.property(anyEntries, fc.nat(), fc.nat(4000), (entries, from, length) => {
        const archive = openArchive(writeZip(entries).bytes);
        const selection = select(archive.directory, "", archive.links);
        const zip = runBytes(archive.bytes, zipRuns(selection));
        expect(zip.byteLength).toBe(zipSize(selection));
        const start = from % zip.byteLength;
        const slice = sliceRuns(zipRuns(selection), { start, end: start + length });
        expect(runBytes(archive.bytes, slice)).toEqual(zip.subarray(start, start + length));
        const again = openArchive(zip);
        expect(again.directory.count).toBe(selection.positions.length);
        for (const position of selection.positions) {
          const { headerOffset: _, limit: __, mode, mtime, ...member } = archive.directory.at(position);
          const copy = again.directory.find(member.path);
          expect(copy).toMatchObject(member);
          const usual = member.type === "file" ? 0o644 : 0o755;
          expect(copy?.mode).toBe(member.type === "symlink" ? 0o777 : (mode ?? usual));
          expect(copy?.mtime).toBe(knownTime(mtime));
        }
      }),
      { numRuns: 200 },
    );
  });

  /** What does not fit into the signed field is known to two seconds. */
  function knownTime(mtime: number): number {
    const earliest = Date.UTC(1980, 0, 1) / 1000;
    if (mtime > 0x7fffffff) return mtime - (mtime % 2);
    return mtime === 0 ? earliest : mtime;
  }
});

describe("zipSize()", () => {
  const MOST = 0xffffffff;
  const LOCAL = 30;
  const CENTRAL = 46;
  const END = 22;
  const END_64 = 56 + 20;

  it.each<[string, readonly Partial<Member>[], number]>([
    ["a size that just fits", [{ size: MOST - 1 }], LOCAL + CENTRAL + END],
    ["a size that does not", [{ size: MOST }], LOCAL + 20 + CENTRAL + 20 + END],
    ["a packed size that just fits", [{ compressedSize: MOST - 40 }], LOCAL + CENTRAL + END + MOST - 40],
    [
      "a packed size that only leaves no room for the directory's offset",
      [{ compressedSize: MOST - 1 }],
      LOCAL + MOST - 1 + CENTRAL + END_64 + END,
    ],
    [
      "a packed size that does not",
      [{ compressedSize: MOST }],
      LOCAL + 20 + MOST + CENTRAL + 20 + END_64 + END,
    ],
    [
      "an offset that just fits",
      [{ compressedSize: MOST - 1 - LOCAL - 1 }, {}],
      2 * LOCAL + MOST - 1 - LOCAL - 1 + 2 * CENTRAL + END_64 + END,
    ],
    [
      "an offset that does not",
      [{ compressedSize: MOST - LOCAL - 1 }, {}],
      2 * LOCAL + MOST - LOCAL - 1 + 2 * CENTRAL + 12 + END_64 + END,
    ],
    [
      "both, and a size",
      [{ compressedSize: MOST - LOCAL - 1 }, { size: 2 ** 50, compressedSize: 2 ** 49 }],
      2 * LOCAL + MOST - LOCAL - 1 + 20 + 2 ** 49 + 2 * CENTRAL + 28 + END_64 + END,
    ],
    ["a time", [{ mtime: 1 }], LOCAL + 9 + CENTRAL + 9 + END],
    ["the last time that fits", [{ mtime: 0x7fffffff }], LOCAL + 9 + CENTRAL + 9 + END],
    ["a time that does not", [{ mtime: 0x80000000 }], LOCAL + CENTRAL + END],
  ])("zipSize() does make room for %s", (_, given, expected) => {
    // Names of one byte each, in both headers.
    const members = given.map((one, index) => memberOf({ path: `${index}`, headerOffset: index, ...one }));
    const names = 2 * members.length;
    expect(sizes(members)).toEqual({ size: expected + names, sum: expected + names });
  });

  it.each([
    [0xfffe, 0],
    [0xffff, END_64],
  ])("zipSize() does end %i entries with %i bytes of zip64", (count, end64) => {
    const members = Array.from({ length: count }, (_, index) => {
      return memberOf({ path: String(index).padStart(5, "0"), headerOffset: index });
    });
    const expected = count * (LOCAL + CENTRAL + 2 * 5) + end64 + END;
    expect(sizes(members)).toEqual({ size: expected, sum: expected });
  });
});
