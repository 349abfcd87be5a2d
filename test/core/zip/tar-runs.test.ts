import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compactDirectory } from "../../../src/core/zip/compact-directory.ts";
import { type Run, sliceRuns } from "../../../src/core/zip/runs.ts";
import { select } from "../../../src/core/zip/selection.ts";
import { tarRuns, tarSize } from "../../../src/core/zip/tar-runs.ts";
import { anyEntries } from "../../zip/any-entries.ts";
import { memberOf } from "../../zip/member-of.ts";
import { openArchive } from "../../zip/open-archive.ts";
import { lengthOf, runBytes } from "../../zip/run-bytes.ts";
import { writeZip } from "../../zip/write-zip.ts";

const NO_LINKS = new Map<string, string>();

describe("tarRuns()", () => {
  it("tarRuns() does put a member's content between its header and zeros up to the next", () => {
    const { bytes, directory } = openArchive(
      writeZip([
        { name: "b.txt", content: "hello", method: 8 },
        { name: "empty" },
        { name: "a.bin", content: "x".repeat(512) },
      ]).bytes,
    );
    const runs = [...tarRuns(select(directory, "", NO_LINKS))];
    const shape = runs.map((run) => {
      return run.kind === "text" ? run.bytes.byteLength : `${run.member.path} ${run.from}-${run.until}`;
    });
    expect(shape).toEqual([512, "b.txt 0-5", 507 + 512 + 512, "a.bin 0-512", 1024]);
    const tar = runBytes(bytes, runs).toString("latin1");
    expect(tar.slice(512, 1024)).toBe("hello".padEnd(512, "\0"));
    expect(tar.slice(1024, 1029)).toBe("empty");
    expect(tar.slice(1536, 1541)).toBe("a.bin");
    expect(tar.slice(2048, 2560)).toBe("x".repeat(512));
    expect(tar.slice(2560)).toBe("\0".repeat(1024));
  });

  it("tarRuns() does make two blocks of zeros of nothing", () => {
    const selection = select(compactDirectory([]), "", NO_LINKS);
    expect([...tarRuns(selection)]).toEqual([{ kind: "text", bytes: new Uint8Array(1024) }]);
    expect(tarSize(selection)).toBe(1024);
  });

  it("tarRuns() does give neither directories nor links content, whatever their sizes are", () => {
    const directory = compactDirectory([
      memberOf({ path: "dir/", size: 700 }),
      memberOf({ path: "link", type: "symlink", size: 3 }),
    ]);
    const selection = select(directory, "", new Map([["link", "dir"]]));
    const runs = [...tarRuns(selection)];
    expect(runs.map((run) => run.kind)).toEqual(["text"]);
    expect(tarSize(selection)).toBe(lengthOf(runs));
    const sizes = [0, 512].map((at) =>
      Buffer.from((runs[0] as Run & { kind: "text" }).bytes).toString("latin1", at + 124, at + 135),
    );
    expect(sizes).toEqual(["00000000000", "00000000000"]);
  });

  it("tarRuns() does put directories behind all that is in them", () => {
    const paths = ["a/", "z", "a/b/", "a-b/", "a/x", "b", "a/b/c/", "a/b/y"];
    const members = paths.map((path, headerOffset) => memberOf({ path, headerOffset }));
    const selection = select(compactDirectory(members), "", NO_LINKS);
    const tar = runBytes(new Uint8Array(), tarRuns(selection));
    const names = paths.map((_, index) => tar.toString("latin1", index * 512).split("\0", 1)[0]);
    expect(names).toEqual(["z", "a/x", "b", "a/b/y", "a/b/c/", "a/b/", "a/", "a-b/"]);
  });

  it("tarRuns() does count content too large to hold", () => {
    const size = 2 ** 45 + 1;
    const directory = compactDirectory([
      memberOf({ path: "huge", size }),
      memberOf({ path: "next", size: 1 }),
    ]);
    const selection = select(directory, "", NO_LINKS);
    expect(tarSize(selection)).toBe(1536 + size + 511 + 512 + 512 + 1024);
    expect(lengthOf(tarRuns(selection))).toBe(tarSize(selection));
  });
});

describe("tarSize()", () => {
  it("tarSize() does know the length, and any slice of the runs is that of the bytes", () => {
    fc.assert(
      fc.property(anyEntries, fc.nat(), fc.nat(4000), (entries, from, length) => {
        const { bytes, directory, links } = openArchive(writeZip(entries).bytes);
        const selection = select(directory, "", links);
        const tar = runBytes(bytes, tarRuns(selection));
        expect(tar.byteLength).toBe(tarSize(selection));
        const start = from % tar.byteLength;
        const slice = sliceRuns(tarRuns(selection), { start, end: start + length });
        expect(runBytes(bytes, slice)).toEqual(tar.subarray(start, start + length));
      }),
      { numRuns: 200 },
    );
  });
});
