import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinText } from "../../../src/core/zip/join-text.ts";
import { type Run, sliceRuns } from "../../../src/core/zip/runs.ts";
import { openArchive } from "../../zip/open-archive.ts";
import { lengthOf, runBytes } from "../../zip/run-bytes.ts";
import { writeZip } from "../../zip/write-zip.ts";

const CONTENT = "the quick brown fox jumps over the lazy dog".repeat(3);
const ARCHIVE = writeZip([{ name: "fox", content: CONTENT, method: 8 }]).bytes;
const FOX = openArchive(ARCHIVE).directory.at(0);

const anyText = fc.uint8Array({ maxLength: 8 }).map((bytes): Run => ({ kind: "text", bytes }));

function anyPart(kind: "raw" | "content", length: number): fc.Arbitrary<Run> {
  return fc.tuple(fc.nat(length), fc.nat(length)).map(([one, other]): Run => {
    return { kind, member: FOX, from: Math.min(one, other), until: Math.max(one, other) };
  });
}

const anyRuns = fc.array(
  fc.oneof(anyText, anyPart("raw", FOX.compressedSize), anyPart("content", FOX.size)),
  { maxLength: 12 },
);

/** The executor of tests takes no empty runs. */
function bytesOf(runs: readonly Run[]): Buffer {
  return runBytes(
    ARCHIVE,
    runs.filter((run) => lengthOf([run]) > 0),
  );
}

const TEXT: Run = { kind: "text", bytes: Uint8Array.of(1, 2, 3) };
const RAW: Run = { kind: "raw", member: FOX, from: 10, until: 20 };

describe("sliceRuns()", () => {
  it.each<[string, { start: number; end: number }, readonly Run[]]>([
    ["everything", { start: 0, end: 13 }, [TEXT, RAW]],
    ["more than everything", { start: 0, end: 99 }, [TEXT, RAW]],
    ["a run whole", { start: 3, end: 13 }, [RAW]],
    ["the inside of one", { start: 5, end: 6 }, [{ ...RAW, from: 12, until: 13 }]],
    [
      "an end and a beginning",
      { start: 2, end: 4 },
      [
        { kind: "text", bytes: Uint8Array.of(3) },
        { ...RAW, from: 10, until: 11 },
      ],
    ],
    ["nothing behind the end", { start: 13, end: 14 }, []],
  ])("sliceRuns() does take %s", (_, range, expected) => {
    expect([...sliceRuns([TEXT, { kind: "text", bytes: new Uint8Array() }, RAW], range)]).toEqual(expected);
  });

  it("sliceRuns() does make the bytes of the range", () => {
    fc.assert(
      fc.property(anyRuns, fc.nat(300), fc.nat(300), (runs, start, length) => {
        const slice = [...sliceRuns(runs, { start, end: start + length })];
        expect(runBytes(ARCHIVE, slice)).toEqual(bytesOf(runs).subarray(start, start + length));
      }),
    );
  });

  it("sliceRuns() does ask for no run behind the range", () => {
    function* runs(): Generator<Run> {
      yield TEXT;
      throw new Error("Asked for more");
    }
    expect([...sliceRuns(runs(), { start: 1, end: 3 })]).toHaveLength(1);
  });
});

describe("joinText()", () => {
  it("joinText() does keep the bytes and leave no text beside another, nor empty", () => {
    fc.assert(
      fc.property(anyRuns, (runs) => {
        const joined = [...joinText(runs)];
        expect(bytesOf(joined)).toEqual(bytesOf(runs));
        const kinds = joined.map((run) => (run.kind === "text" ? "t" : "-")).join("");
        expect(kinds).not.toContain("tt");
        expect(joined.filter((run) => run.kind === "text" && run.bytes.byteLength === 0)).toEqual([]);
      }),
    );
  });

  it("joinText() does send text on before there is much of it", () => {
    const sizes = Array.from({ length: 100 }, (_, index) => index * 10);
    const runs = sizes.map((size): Run => ({ kind: "text", bytes: new Uint8Array(size).fill(size) }));
    const joined = [...joinText(runs)];
    expect(runBytes(ARCHIVE, joined)).toEqual(runBytes(ARCHIVE, runs));
    expect(joined).toHaveLength(3);
    for (const run of joined) expect(lengthOf([run])).toBeLessThan(16 * 1024 + 1000);
  });
});
