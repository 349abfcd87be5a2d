import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/core/zip/member.ts";
import { GZIP_BYTES, gzipRuns } from "../../../src/core/zip/gzip-runs.ts";
import { sliceRuns } from "../../../src/core/zip/runs.ts";
import { memberOf } from "../../zip/member-of.ts";
import { directoryIn } from "../../zip/read-zip.ts";
import { lengthOf, runBytes } from "../../zip/run-bytes.ts";
import { type EntrySpec, writeZip } from "../../zip/write-zip.ts";

/** An archive with one deflated entry between others, and the entry. */
function deflated(entry: EntrySpec): { bytes: Uint8Array; member: Member } {
  const { bytes } = writeZip([
    { name: "0", content: "before" },
    { ...entry, name: "a", method: 8 },
    { name: "b" },
  ]);
  return { bytes, member: directoryIn(bytes).find("a")! };
}

/** The last eight bytes: CRC32 and ISIZE (RFC 1952 §2.3.1). */
function trailer(member: Member): readonly [crc: number, size: number] {
  const last = gzipRuns(member).at(-1);
  if (last?.kind !== "text") throw new Error("No trailer");
  const view = new DataView(last.bytes.buffer, last.bytes.byteOffset, last.bytes.byteLength);
  return [view.getUint32(0, true), view.getUint32(4, true)];
}

describe("gzipRuns()", () => {
  it.each<[string, EntrySpec]>([
    ["nothing", { name: "a", content: "" }],
    ["a byte", { name: "a", content: "x" }],
    ["text", { name: "a", content: "text ".repeat(5000) }],
    ["what has a descriptor", { name: "a", content: "text ".repeat(50), descriptor: 16 }],
    ["what has zip64 sizes", { name: "a", content: "text ".repeat(50), zip64: "always" }],
  ])("gzipRuns() does frame %s as a gzip file of it", (_case, entry) => {
    const { bytes, member } = deflated(entry);
    expect(gunzipSync(runBytes(bytes, gzipRuns(member))).toString()).toBe(entry.content);
  });

  it("gzipRuns() does frame any content, in so many bytes more than it is packed in, and any part of that", () => {
    const content = fc.uint8Array({ maxLength: 5000 });
    fc.assert(
      fc.property(content, fc.nat(), fc.nat(), (given, from, length) => {
        const { bytes, member } = deflated({ name: "a", content: given });
        const gzip = runBytes(bytes, gzipRuns(member));
        expect(gzip.byteLength).toBe(member.compressedSize + GZIP_BYTES);
        expect(lengthOf(gzipRuns(member))).toBe(gzip.byteLength);
        expect(gunzipSync(gzip).equals(given)).toBe(true);
        const start = from % gzip.byteLength;
        const part = { start, end: start + (length % gzip.byteLength) };
        expect(runBytes(bytes, sliceRuns(gzipRuns(member), part))).toEqual(
          gzip.subarray(part.start, part.end),
        );
      }),
      { numRuns: 200 },
    );
  });

  it("gzipRuns() does let readers find out that it is not what the directory says", () => {
    const { bytes, member } = deflated({ name: "a", content: "text" });
    for (const lie of [{ crc: member.crc ^ 1 }, { size: member.size + 1 }]) {
      const gzip = runBytes(bytes, gzipRuns({ ...member, ...lie }));
      expect(() => gunzipSync(gzip)).toThrow(/incorrect (?:data|length) check/);
    }
  });

  it.each([
    [0, 0],
    [1, 1],
    [2 ** 32 - 1, 0xffff_ffff],
    [2 ** 32, 0],
    [2 ** 32 + 5, 5],
    [2 ** 40 + 7, 7],
  ])("gzipRuns() does write the size %d as %d, which it has no more bytes for", (size, written) => {
    const crc = 0xfedc_ba98;
    expect(trailer(memberOf({ path: "a", method: 8, size, crc, compressedSize: 9 }))).toEqual([crc, written]);
  });

  it("gzipRuns() does say nothing of who packed it and when, so that equal bytes stay equal", () => {
    const [header] = gzipRuns(memberOf({ path: "a", method: 8, mtime: 7, mode: 0o600 }));
    expect(header).toEqual({ kind: "text", bytes: Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255) });
  });
});
