import { describe, expect, it } from "vitest";
import { readCentralRecord } from "../../../src/core/zip/central-record.ts";
import { concat, type EntrySpec, extraField, littleEndian, writeZip } from "../../zip/write-zip.ts";

const HUGE = 5 * 2 ** 30;
const S16 = 0xffff;
const S32 = 0xffff_ffff;

/** The record of an entry, at an odd place among other bytes. */
function read(entry: EntrySpec, cut = 0) {
  const { bytes, directoryOffset, directorySize } = writeZip([entry]);
  const record = bytes.subarray(directoryOffset, directoryOffset + directorySize - cut);
  const moved = concat([new Uint8Array(3), record]);
  return readCentralRecord(moved, new DataView(moved.buffer), 3);
}

const zip64 = (...values: readonly number[]) =>
  extraField(1, concat(values.map((value) => littleEndian(8, value))));

describe("readCentralRecord()", () => {
  it("readCentralRecord() does read every field", () => {
    const record = read({
      name: "a/b",
      content: "content",
      method: 8,
      flags: 6,
      mode: 0o100640,
      mtime: 1_700_000_000,
      dos: [1, 2],
      comment: "comment",
      central: { crc: 0x89abcdef, size: 0x01234567, compressedSize: 0x76543210, headerOffset: 0x11223344 },
    });
    expect(record).toMatchObject({
      host: 3,
      flags: 6,
      method: 8,
      mtime: 1_700_000_000,
      crc: 0x89abcdef,
      compressedSize: 0x76543210,
      size: 0x01234567,
      externalAttributes: 0o100640 * 2 ** 16,
      headerOffset: 0x11223344,
      name: new TextEncoder().encode("a/b"),
      unicodePath: undefined,
      end: 3 + 46 + 3 + 9 + 7,
    });
  });

  it("readCentralRecord() does take the MS-DOS time where there is no other", () => {
    const date = ((2024 - 1980) << 9) | (2 << 5) | 29;
    expect(read({ name: "a", dos: [date, 0] })).toMatchObject({ mtime: Date.parse("2024-02-29") / 1000 });
    expect(read({ name: "a" })).toMatchObject({ mtime: 0 });
    expect(read({ name: "a", dos: [date, 0], mtime: 0 })).toMatchObject({ mtime: 0 });
  });

  it.each<[string, EntrySpec["central"], Uint8Array, object]>([
    [
      "all",
      { size: S32, compressedSize: S32, headerOffset: S32 },
      zip64(HUGE, 2, 3),
      { size: HUGE, compressedSize: 2, headerOffset: 3 },
    ],
    ["the size", { size: S32 }, zip64(HUGE), { size: HUGE, compressedSize: 0, headerOffset: 0 }],
    [
      "the compressed size",
      { compressedSize: S32 },
      zip64(HUGE),
      { size: 0, compressedSize: HUGE, headerOffset: 0 },
    ],
    ["the offset", { headerOffset: S32 }, zip64(HUGE), { size: 0, compressedSize: 0, headerOffset: HUGE }],
    [
      "size and offset",
      { size: S32, headerOffset: S32 },
      zip64(1, HUGE),
      { size: 1, compressedSize: 0, headerOffset: HUGE },
    ],
    [
      "both sizes, beside an offset",
      { size: S32, compressedSize: S32, headerOffset: 7 },
      zip64(1, 2, 3),
      { size: 1, compressedSize: 2, headerOffset: 7 },
    ],
    ["none, beside all", {}, zip64(1, 2, 3), { size: 0, compressedSize: 0, headerOffset: 0 }],
    ["the disk", { disk: S16 }, extraField(1, littleEndian(4, 0)), { size: 0 }],
  ])("readCentralRecord() does take from zip64 %s", (_, central, extra, found) => {
    expect(read({ name: "a", central: central!, extras: [extra] })).toMatchObject(found);
  });

  it.each<[string, EntrySpec["central"], Uint8Array[]]>([
    ["another signature", { signature: 0x02014b51 }, []],
    ["a longer name", { nameLength: 2 }, []],
    ["the longest name", { nameLength: S16 }, []],
    ["a longer extra field", { extraLength: 1 }, []],
    ["a longer comment", { commentLength: 1 }, []],
    ["a size only zip64 has, and no zip64", { size: S32 }, []],
    ["a compressed size only zip64 has, and no zip64", { compressedSize: S32 }, []],
    ["an offset only zip64 has, and no zip64", { headerOffset: S32 }, []],
    ["a zip64 field that is too short", { size: S32, headerOffset: S32 }, [zip64(1)]],
    ["a zip64 field that is cut off", { size: S32 }, [extraField(1, littleEndian(8, 1), 9)]],
  ])("readCentralRecord() does say archive_broken of one with %s", (_, central, extras) => {
    expect(read({ name: "a", central: central!, extras })).toBe("archive_broken");
  });

  it("readCentralRecord() does say archive_broken of one that is cut off anywhere", () => {
    const length = 46 + 1 + 9 + 7;
    for (let cut = 1; cut <= length; cut += 1) {
      expect(read({ name: "a", mtime: 1, comment: "comment" }, cut)).toBe("archive_broken");
    }
  });

  it.each<[string, EntrySpec["central"], Uint8Array[]]>([
    ["another disk", { disk: 1 }, []],
    ["another disk by zip64", { disk: S16 }, [extraField(1, littleEndian(4, 1))]],
  ])("readCentralRecord() does say archive_spanned of one on %s", (_, central, extras) => {
    expect(read({ name: "a", central: central!, extras })).toBe("archive_spanned");
  });
});
