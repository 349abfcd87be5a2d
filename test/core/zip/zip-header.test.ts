import { describe, expect, it } from "vitest";
import type { Member } from "../../../src/core/zip/member.ts";
import { centralHeader, endRecords, localHeader, packedLength } from "../../../src/core/zip/zip-header.ts";
import { memberOf } from "../../zip/member-of.ts";

const FILE = memberOf({
  path: "a.txt",
  method: 8,
  crc: 0xfedcba98,
  compressedSize: 0x11223344,
  size: 0x22334455,
  mode: 0o640,
  mtime: Date.UTC(2024, 1, 29, 23, 59, 59) / 1000,
});

const FOUR_GIB = 2 ** 32;
const WIDE = { size: 0x123456789a, compressedSize: 0x1234567890 };
/** 0x0001, and how long what follows is. */
const WIDE_SIZES = "0100 1000 9a78563412000000 9078563412000000";

/** Bytes in hexadecimal, with blanks where they help. */
function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function joined(...fields: readonly string[]): string {
  return fields.join("").replaceAll(" ", "");
}

/** The numbers of a central header that depend on what a member is. */
function central(given: Partial<Member>, offset = 0) {
  const header = Buffer.from(centralHeader(memberOf({ path: "a", ...given }), offset));
  return {
    version: header.readUInt16LE(6),
    flags: header.readUInt16LE(8),
    attributes: header.readUInt32LE(38),
    extra: header.subarray(46 + header.readUInt16LE(28)).toString("hex"),
  };
}

describe("localHeader()", () => {
  it("localHeader() does lay it out as APPNOTE 4.3.7 does", () => {
    const expected = joined(
      "504b0304", // signature
      "1400", // version needed
      "0000", // flags
      "0800", // compression method
      "7dbf", // last mod file time
      "5d58", // last mod file date
      "98badcfe", // CRC-32
      "44332211", // compressed size
      "55443322", // uncompressed size
      "0500", // file name length
      "0900", // extra field length
      "612e747874", // file name
      "5554 0500 01 7f1ae165", // extended timestamp
    );
    expect(hex(localHeader(FILE))).toBe(expected);
    expect(packedLength(FILE)).toBe(expected.length / 2 + FILE.compressedSize);
  });

  it("localHeader() does leave both sizes to zip64 where one does not fit", () => {
    const member = memberOf({ path: "é", size: 1, compressedSize: FOUR_GIB });
    const header = hex(localHeader(member));
    expect(header.slice(0, 28)).toBe(joined("504b0304 2d00 0008 0000 0000 2100"));
    expect(header.slice(36)).toBe(
      joined("ffffffff ffffffff 0200 1400 c3a9 0100 1000 0100000000000000 0000000001000000"),
    );
  });
});

describe("centralHeader()", () => {
  it("centralHeader() does lay it out as APPNOTE 4.3.12 does", () => {
    const expected = joined(
      "504b0102", // signature
      "3f03", // version made by
      "1400", // version needed
      "0000", // flags
      "0800", // compression method
      "7dbf", // last mod file time
      "5d58", // last mod file date
      "98badcfe", // CRC-32
      "44332211", // compressed size
      "55443322", // uncompressed size
      "0500", // file name length
      "0900", // extra field length
      "0000", // file comment length
      "0000", // disk number start
      "0000", // internal file attributes
      "0000a081", // external file attributes
      "67452301", // relative offset of local header
      "612e747874", // file name
      "5554 0500 01 7f1ae165", // extended timestamp
    );
    expect(hex(centralHeader(FILE, 0x01234567))).toBe(expected);
  });

  it.each<[string, Partial<Member>, number]>([
    ["a stored file", {}, 10],
    ["a deflated one", { method: 8 }, 20],
    ["a directory", { path: "a/" }, 20],
    ["a link", { type: "symlink" }, 10],
    ["large sizes", { method: 8, size: FOUR_GIB }, 45],
    ["Zstandard", { method: 93 }, 63],
    ["large sizes and Zstandard", { method: 93, size: FOUR_GIB }, 63],
  ])(
    "centralHeader() does ask of readers of %s %j version %i, as localHeader() does",
    (_, given, version) => {
      expect(central(given).version).toBe(version);
      expect(new DataView(localHeader(memberOf({ path: "a", ...given })).buffer).getUint16(4, true)).toBe(
        version,
      );
    },
  );

  it.each<[string, Partial<Member>, number]>([
    ["a file", {}, 0o100644 * 0x10000],
    ["a program", { mode: 0o755 }, 0o100755 * 0x10000],
    ["a directory", { path: "a/" }, 0o040755 * 0x10000 + 0x10],
    ["a link", { type: "symlink", mode: 0o644 }, 0o120777 * 0x10000],
  ])("centralHeader() does say of %s %j what it is to Unix and to Windows", (_, given, attributes) => {
    expect(central(given).attributes).toBe(attributes);
  });

  it.each([
    ["a", 0],
    ["a b~!", 0],
    ["é", 0x800],
    ["😀", 0x800],
  ])("centralHeader() does flag the name %j by %i", (path, flags) => {
    expect(central({ path }).flags).toBe(flags);
  });

  it.each<[string, Partial<Member>, offset: number, extra: string]>([
    ["nothing", { size: FOUR_GIB - 2, compressedSize: FOUR_GIB - 2 }, FOUR_GIB - 2, ""],
    ["both sizes", WIDE, 0, WIDE_SIZES],
    ["an offset", {}, FOUR_GIB - 1, "0100 0800 ffffffff00000000"],
    ["all of them", WIDE, 0x1234567899, "0100 1800 9a78563412000000 9078563412000000 9978563412000000"],
    ["sizes, before the time", { ...WIDE, mtime: 1 }, 0, `${WIDE_SIZES} 5554 0500 01 01000000`],
  ])("centralHeader() does put %s into zip64", (_, given, offset, extra) => {
    expect(central(given, offset).extra).toBe(joined(extra));
  });
});

describe("endRecords()", () => {
  it("endRecords() does lay the end record out as APPNOTE 4.3.16 does", () => {
    const expected = joined(
      "504b0506", // signature
      "0000 0000", // disks
      "feff feff", // entries
      "feffffff", // size of the central directory
      "feffffff", // its offset
      "0000", // comment length
    );
    expect(hex(endRecords({ count: 0xfffe, size: FOUR_GIB - 2, offset: FOUR_GIB - 2 }))).toBe(expected);
  });

  it("endRecords() does lay those of zip64 out as APPNOTE 4.3.14 and 4.3.15 do", () => {
    const expected = joined(
      "504b0606", // signature
      "2c00000000000000", // size of the rest
      "3f03 2d00", // versions made by, needed
      "00000000 00000000", // disks
      "0500000000000000 0500000000000000", // entries
      "3412000000000000", // size of the central directory
      "7856341201000000", // its offset
      "504b0607", // signature of the locator
      "00000000", // disk
      "ac68341201000000", // offset of the record
      "01000000", // number of disks
      "504b0506 0000 0000 0500 0500 34120000 ffffffff 0000", // end record
    );
    expect(hex(endRecords({ count: 5, size: 0x1234, offset: 0x112345678 }))).toBe(expected);
  });

  it.each([
    [{ count: 0xffff, size: 1, offset: 1 }],
    [{ count: 1, size: FOUR_GIB - 1, offset: 1 }],
    [{ count: 1, size: 1, offset: FOUR_GIB - 1 }],
  ])("endRecords() does need zip64 for %j", (directory) => {
    expect(endRecords(directory)).toHaveLength(56 + 20 + 22);
  });
});
