import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EndAnswer, findEndRecord, TAIL_BYTES } from "../../../src/core/zip/end-record.ts";
import { concat, extraField, littleEndian, writeZip, type ZipShape } from "../../zip/write-zip.ts";

const ENTRIES = [
  { name: "a", content: "first" },
  { name: "b", content: "second" },
] as const;

const PREFIX = new Uint8Array(1000).fill(0x50);

function endOf(bytes: Uint8Array): EndAnswer {
  return findEndRecord(bytes.subarray(-TAIL_BYTES), bytes.byteLength);
}

const end = (directoryOffset: number, directorySize: number, count: number) => {
  return { kind: "end", directoryOffset, directorySize, count, shift: 0 };
};
const problem = (name: string) => ({ kind: "problem", problem: name });

describe("an archive that ends well", () => {
  it.each<[string, ZipShape]>([
    ["nothing special", {}],
    ["a comment", { comment: "of no consequence" }],
    ["the longest comment", { comment: "c".repeat(0xffff) }],
    ["zip64 records", { zip64: "always" }],
    ["zip64 records and the longest comment", { zip64: "always", comment: "c".repeat(0xffff) }],
    ["zip64 records beside numbers that need none", { zip64: "always", end: { count: 2, countOnDisk: 2 } }],
    ["a zip64 locator that counts no disks", { zip64: "always", locator: { disks: 0 } }],
    ["a gap before the directory", { gap: PREFIX }],
    ["a prefix its offsets count", { prefix: PREFIX, countsPrefix: true }],
    ["a prefix and zip64 records that count it", { prefix: PREFIX, countsPrefix: true, zip64: "always" }],
  ])("findEndRecord() does find the directory of one with %s", (_, shape) => {
    const { bytes, directoryOffset, directorySize } = writeZip(ENTRIES, shape);
    expect(endOf(bytes)).toEqual(end(directoryOffset, directorySize, 2));
  });

  it.each<[string, ZipShape]>([
    ["one", {}],
    ["one and zip64 records", { zip64: "always" }],
    ["one and a comment", { comment: "sfx" }],
  ])("findEndRecord() does correct the offset for a prefix that is not counted: %s", (_, shape) => {
    const { bytes, directoryOffset, directorySize } = writeZip(ENTRIES, { prefix: PREFIX, ...shape });
    const shift = PREFIX.byteLength;
    expect(endOf(bytes)).toEqual({ kind: "end", directoryOffset, directorySize, count: 2, shift });
  });

  it("findEndRecord() does find the end of an empty archive in its 22 bytes", () => {
    const { bytes } = writeZip([]);
    expect(bytes.byteLength).toBe(22);
    expect(endOf(bytes)).toEqual({ kind: "end", directoryOffset: 0, directorySize: 0, count: 0, shift: 0 });
  });

  it("findEndRecord() does count past 65,535 entries and 4 GiB by zip64", () => {
    const hole = 5 * 2 ** 30;
    const many = Array.from({ length: 65_536 }, (_, index) => ({ name: `f${index}` }));
    const { bytes, size, directoryOffset, directorySize } = writeZip(many, { hole });
    expect(size).toBe(hole + bytes.byteLength);
    expect(findEndRecord(bytes.subarray(-TAIL_BYTES), size)).toEqual(
      end(directoryOffset, directorySize, 65_536),
    );
  });

  it("findEndRecord() does take a sentinel for a number where no zip64 record says otherwise", () => {
    const { bytes } = writeZip(ENTRIES, { end: { count: 0xffff, countOnDisk: 0xffff } });
    expect(endOf(bytes)).toEqual(problem("archive_broken")); // so many records are longer than its directory
    const most = writeZip(Array.from({ length: 0xffff }, () => ({ name: "f" })));
    const { directoryOffset, directorySize, endOffset } = most;
    const classic = concat([most.bytes.subarray(0, endOffset - 76), most.bytes.subarray(endOffset)]);
    expect(endOf(classic)).toEqual(end(directoryOffset, directorySize, 0xffff));
  });
});

describe("a comment that looks like an end record", () => {
  const fakeEnd = writeZip([]).bytes;
  const behind = (bytes: number) => new Uint8Array(bytes).fill(0x21);

  it.each([
    ["whose own comment is too short for the end", concat([fakeEnd, behind(5)])],
    [
      "whose own comment is too long for the end",
      concat([fakeEnd.subarray(0, 20), littleEndian(2, 6), behind(5)]),
    ],
    ["that is cut off", fakeEnd.subarray(0, 21)],
    ["that is but a signature", concat([behind(3), fakeEnd.subarray(0, 4), behind(40)])],
  ])("findEndRecord() does pass by one %s", (_, comment) => {
    const { bytes, directoryOffset, directorySize } = writeZip(ENTRIES, { comment });
    expect(endOf(bytes)).toEqual(end(directoryOffset, directorySize, 2));
  });

  it("findEndRecord() does take the last of two that fit exactly", () => {
    expect(endOf(writeZip(ENTRIES, { comment: fakeEnd }).bytes)).toMatchObject({ kind: "end", count: 0 });
  });
});

describe("an archive that is padded", () => {
  it("findEndRecord() does find the last end record whose comment ends before the archive does", () => {
    const plain = endOf(writeZip(ENTRIES, { comment: "c" }).bytes);
    expect(endOf(writeZip(ENTRIES, { comment: "c", suffix: new Uint8Array(5000) }).bytes)).toEqual(plain);
  });
});

describe("an archive that does not", () => {
  const signature = { signature: 0 };

  it.each<[string, ZipShape]>([
    ["has a comment that is cut off", { comment: "c", end: { commentLength: 2 } }],
    ["has another signature", { end: signature }],
  ])("findEndRecord() does not know one that %s", (_, shape) => {
    expect(endOf(writeZip(ENTRIES, shape).bytes)).toEqual(problem("archive_not_zip"));
  });

  it.each([[0], [21], [22], [1000], [TAIL_BYTES]])(
    "findEndRecord() does not know %d other bytes",
    (bytes) => {
      expect(endOf(new Uint8Array(bytes).fill(0x50))).toEqual(problem("archive_not_zip"));
    },
  );

  it.each<[string, ZipShape]>([
    ["is on the second disk", { end: { disk: 1 } }],
    ["has a directory on the second disk", { end: { directoryDisk: 1 } }],
    ["has entries on other disks", { end: { countOnDisk: 1 } }],
    ["has a zip64 record on the second disk", { zip64: "always", locator: { endDisk: 1 } }],
    ["has two disks by its locator", { zip64: "always", locator: { disks: 2 } }],
    [
      "has a zip64 record that is on the second disk",
      { zip64: "always", end: { disk: 0xffff }, end64: { disk: 1 } },
    ],
    ["has entries on other disks by zip64", { zip64: "always", end64: { countOnDisk: 1 } }],
  ])("findEndRecord() does say archive_spanned of one that %s", (_, shape) => {
    expect(endOf(writeZip(ENTRIES, shape).bytes)).toEqual(problem("archive_spanned"));
  });

  it.each<[string, ZipShape]>([
    ["has a directory longer than itself", { end: { directorySize: 10_000 } }],
    ["has a directory after its end", { end: { directoryOffset: 10_000 } }],
    ["has more records than fit into its directory", { end: { count: 3, countOnDisk: 3 } }],
    ["has an offset only zip64 knows, and no zip64", { end: { directoryOffset: 0xffff_ffff } }],
    ["has a locator to nothing", { zip64: "always", end64: signature }],
    [
      "has a locator past its end",
      { zip64: "always", end64: { recordSize: 45 }, locator: { endOffset: 2 ** 40 } },
    ],
    [
      "has a locator to far too early a place",
      { zip64: "always", hole: 2 ** 32, end64: signature, locator: { endOffset: 0 } },
    ],
    ["has a locator a byte too early", { zip64: "always", locator: { endOffset: 1 } }],
    ["has a zip64 record of another length", { zip64: "always", end64: { recordSize: 43 } }],
    ["counts differently by zip64", { zip64: "always", end: { count: 1, countOnDisk: 1 } }],
    ["has another directory by zip64", { zip64: "always", end: { directoryOffset: 1 } }],
    [
      "has a zip64 count past all numbers",
      { zip64: "always", end64: { count: 2 ** 63, countOnDisk: 2 ** 63 } },
    ],
    ["has a zip64 size past all numbers", { zip64: "always", end64: { directorySize: 2 ** 63 } }],
  ])("findEndRecord() does say archive_broken of one that %s", (_, shape) => {
    const { bytes, size } = writeZip(ENTRIES, shape);
    expect(findEndRecord(bytes, size)).toEqual(problem("archive_broken"));
  });
});

describe("a tail that is too short", () => {
  const sector = extraField(0x0001, new Uint8Array(80_000));
  const wide: ZipShape = { zip64: "always", end64: { recordSize: 44 + sector.byteLength } };
  const plain = writeZip(ENTRIES, wide);
  const cut = plain.endOffset - 20;
  const bytes = concat([plain.bytes.subarray(0, cut), sector, plain.bytes.subarray(cut)]);
  const end64Offset = cut - 56;

  it("findEndRecord() does ask for the zip64 record that an extensible data sector put before it", () => {
    expect(endOf(bytes)).toEqual({ kind: "more", from: end64Offset });
    const { directoryOffset, directorySize } = plain;
    expect(findEndRecord(bytes.subarray(end64Offset), bytes.byteLength)).toEqual(
      end(directoryOffset, directorySize, 2),
    );
  });

  it("findEndRecord() does ask for the longest comment there may be", () => {
    const long = writeZip(ENTRIES, { prefix: new Uint8Array(100_000), comment: "c".repeat(0xffff) });
    const answer = { kind: "more", from: long.size - TAIL_BYTES };
    expect(findEndRecord(long.bytes.subarray(-60_000), long.size)).toEqual(answer);
    expect(endOf(long.bytes)).toMatchObject({ kind: "end", count: 2 });
  });

  it("findEndRecord() does ask for what may be a locator before an end record", () => {
    const { bytes: all, size } = writeZip(ENTRIES, { zip64: "always" });
    for (const length of [22, 42, 97]) {
      expect(findEndRecord(all.subarray(-length), size)).toEqual({ kind: "more", from: 0 });
    }
    expect(findEndRecord(all.subarray(-98), size)).toMatchObject({ kind: "end", count: 2 });
  });
});

function isWithin(answer: EndAnswer, tailOffset: number, size: number): boolean {
  if (answer.kind === "more") return answer.from >= 0 && answer.from < tailOffset;
  return answer.kind === "problem" || answer.directoryOffset + answer.directorySize <= size;
}

describe("garbage", () => {
  it("findEndRecord() does give an answer within the archive, or ask for less than it has, whatever it is given", () => {
    const signatures = fc
      .constantFrom(0x06054b50, 0x07064b50, 0x06064b50)
      .map((value) => littleEndian(4, value));
    const pieces = fc.array(fc.oneof(fc.uint8Array({ maxLength: 60 }), signatures)).map(concat);
    fc.assert(
      fc.property(pieces, fc.nat({ max: 2 ** 31 - 1 }), (tail, before) => {
        const size = before + tail.byteLength;
        expect(isWithin(findEndRecord(tail, size), before, size)).toBe(true);
      }),
    );
  });
});
