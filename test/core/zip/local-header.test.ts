import { describe, expect, it } from "vitest";
import { LOCAL_HEADER_BYTES, readLocalHeader } from "../../../src/core/zip/local-header.ts";
import { directoryIn } from "../../zip/read-zip.ts";
import { type EntrySpec, extraField, writeZip } from "../../zip/write-zip.ts";

const ENTRY: EntrySpec = { name: "dir/a", content: "content ".repeat(20), method: 8 };

/** What the local header of an entry between two others says, and where its data is. */
function read(entry: EntrySpec, cut = Infinity) {
  const { bytes, placed } = writeZip([{ name: "first" }, entry, { name: "last", content: "last" }]);
  const member = directoryIn(bytes).find("dir/a")!;
  const header = bytes.subarray(member.headerOffset, member.headerOffset + cut);
  return { answer: readLocalHeader(header, member), offset: placed[1]!.dataOffset - member.headerOffset };
}

describe("a header that agrees", () => {
  it.each<[string, EntrySpec]>([
    ["the same numbers", ENTRY],
    ["stored content", { ...ENTRY, method: 0 }],
    ["no content", { ...ENTRY, method: 0, content: "" }],
    ["an extra field the directory has not", { ...ENTRY, localExtras: [extraField(9, new Uint8Array(500))] }],
    ["a descriptor of 16 bytes", { ...ENTRY, descriptor: 16 }],
    ["a descriptor of 12 bytes", { ...ENTRY, descriptor: 12 }],
    ["a descriptor of 24 bytes", { ...ENTRY, descriptor: 24, zip64: "sizes" }],
    ["a descriptor of 20 bytes", { ...ENTRY, descriptor: 20 }],
    ["sentinels for sizes", { ...ENTRY, zip64: "always" }],
    ["a descriptor and the numbers as well", { ...ENTRY, flags: 8 }],
    [
      "a descriptor and sentinels",
      { ...ENTRY, descriptor: 24, local: { size: 0xffff_ffff, compressedSize: 0xffff_ffff } },
    ],
    ["other times and versions", { ...ENTRY, local: { time: 1, date: 2, versionNeeded: 63 } }],
  ])("readLocalHeader() does find the data after one with %s", (_, entry) => {
    const { answer, offset } = read(entry);
    expect(answer).toEqual({ kind: "data", offset });
  });

  it.each([[0], [1], [29]])("readLocalHeader() does ask for the whole header after %d bytes", (cut) => {
    expect(read(ENTRY, cut).answer).toEqual({ kind: "more", bytes: LOCAL_HEADER_BYTES });
  });

  it("readLocalHeader() does need no more than the header", () => {
    const { answer, offset } = read(ENTRY, LOCAL_HEADER_BYTES);
    expect(answer).toEqual({ kind: "data", offset });
  });
});

describe("a header that does not", () => {
  it.each<[string, EntrySpec["local"]]>([
    ["another signature", { signature: 0x02014b50 }],
    ["another method", { method: 0 }],
    ["another CRC", { crc: 7 }],
    ["a CRC of 0 and no descriptor", { crc: 0 }],
    ["another size", { size: 7 }],
    ["another compressed size", { compressedSize: 7 }],
    ["a size of 0 and no descriptor", { size: 0 }],
    ["another CRC and a descriptor", { crc: 7, flags: 8 }],
    ["another size and a descriptor", { size: 7, flags: 8 }],
    ["a name that takes the data past its limit", { nameLength: 6 }],
    ["an extra field that takes the data past its limit", { extraLength: 1 }],
    ["the longest name there is", { nameLength: 0xffff, extraLength: 0xffff }],
  ])("readLocalHeader() does say entry_lies of one with %s", (_, local) => {
    expect(read({ ...ENTRY, local: local! }).answer).toEqual({ kind: "problem", problem: "entry_lies" });
  });

  it.each([[1], [1 << 6], [1 << 13], [9]])(
    "readLocalHeader() does say entry_encrypted of one with flags %d",
    (flags) => {
      expect(read({ ...ENTRY, local: { flags } }).answer).toEqual({
        kind: "problem",
        problem: "entry_encrypted",
      });
    },
  );
});
