import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { LOCAL_HEADER_BYTES } from "../../../src/core/zip/local-header.ts";
import type { Member } from "../../../src/core/zip/member.ts";
import { mayBeLink, type PassingAnswer, readPassingHeader } from "../../../src/core/zip/passing-header.ts";
import { anyEntries } from "../../zip/any-entries.ts";
import { memberOf } from "../../zip/member-of.ts";
import { directoryIn } from "../../zip/read-zip.ts";
import { concat, type EntrySpec, extraField, littleEndian, writeZip } from "../../zip/write-zip.ts";

const RATIO = 1000;
const ENTRY: EntrySpec = { name: "dir/a", content: "content ".repeat(20), method: 8 };
const UNKNOWN: PassingAnswer = { kind: "unknown" };

/** An archive with an entry between two others, and where its header begins. */
function placed(entry: EntrySpec): { bytes: Uint8Array; at: number; next: number } {
  const { bytes, placed: all } = writeZip([{ name: "first" }, entry, { name: "last", content: "last" }]);
  return { bytes, at: all[1]!.headerOffset, next: all[2]!.headerOffset };
}

function read(entry: EntrySpec, ratio = RATIO): PassingAnswer {
  const { bytes, at } = placed(entry);
  return readPassingHeader(bytes.subarray(at), at, ratio);
}

/** What a local header can tell of what the directory says: its mode is not in it, nor whether it is a link. */
function passing(member: Member, next: number): PassingAnswer {
  const type = member.type === "symlink" ? "file" : member.type;
  return { kind: "entry", next, member: { ...member, type, mode: undefined, limit: next } };
}

describe("a header that says how long its entry is", () => {
  it.each<[string, EntrySpec]>([
    ["deflated content", ENTRY],
    ["stored content", { ...ENTRY, method: 0 }],
    ["Zstandard", { ...ENTRY, method: 93 }],
    ["no content", { name: "dir/a" }],
    ["a name that is not ASCII", { ...ENTRY, name: "dir/é😀" }],
    ["a name in code page 437", { ...ENTRY, name: Uint8Array.of(0x64, 0x82, 0x2e) }],
    ["a directory", { name: "dir/" }],
    ["a directory with ./ before it", { name: "./dir/" }],
    ["a time in its extra field", { ...ENTRY, mtime: 1_700_000_000 }],
    ["an MS-DOS time", { ...ENTRY, dos: [0x5a21, 0x6c3f] }],
    ["zip64 sizes", { ...ENTRY, zip64: "always" }],
    ["an extra field of its own", { ...ENTRY, localExtras: [extraField(9, new Uint8Array(500))] }],
    ["a link, which only the directory calls one", { name: "dir/a", link: "../b" }],
    ["a name that leads out", { ...ENTRY, name: "../a" }],
    ["an absolute name", { ...ENTRY, name: "/a" }],
    ["a backslash", { ...ENTRY, name: "dir\\a" }],
    ["no name", { ...ENTRY, name: "" }],
    ["a name that is no UTF-8", { ...ENTRY, name: Uint8Array.of(0xff, 0xfe), flags: 0x800 }],
    ["a method nobody has", { ...ENTRY, method: 14 }],
    ["a directory with content", { name: "dir/", content: "x" }],
  ])("readPassingHeader() does tell of %s what the directory will", (_case, entry) => {
    const { bytes, at, next } = placed(entry);
    const directory = directoryIn(bytes);
    const positions = Array.from({ length: directory.count }, (_, position) => directory.at(position));
    const member = positions.find(({ headerOffset }) => headerOffset === at)!;
    expect(readPassingHeader(bytes.subarray(at), at, RATIO)).toEqual(passing(member, next));
  });

  it("readPassingHeader() does follow any archive from its first byte to its directory", () => {
    fc.assert(
      fc.property(anyEntries, (entries) => {
        const { bytes, placed: all, directoryOffset } = writeZip(entries);
        const ends = [...all.slice(1).map(({ headerOffset }) => headerOffset), directoryOffset];
        let at = 0;
        for (const [index, end] of ends.slice(0, entries.length).entries()) {
          const answer = readPassingHeader(bytes.subarray(at), at, RATIO);
          expect(answer).toMatchObject({
            kind: "entry",
            next: end,
            member: { headerOffset: at, limit: end },
          });
          const { content, packed, crc } = all[index]!;
          const sizes = { size: content.byteLength, compressedSize: packed.byteLength, crc };
          expect(answer).toMatchObject({ member: sizes });
          at = end;
        }
        expect(readPassingHeader(bytes.subarray(at), at, RATIO).kind).not.toBe("entry");
      }),
      { numRuns: 100 },
    );
  });

  it("readPassingHeader() does take both sizes from zip64 where only one of them is a sentinel", () => {
    const field = extraField(1, concat([littleEndian(8, 160), littleEndian(8, 20)]));
    for (const local of [{ size: 0xffff_ffff }, { compressedSize: 0xffff_ffff }]) {
      const answer = read({ ...ENTRY, localExtras: [field], local });
      expect(answer).toMatchObject({ kind: "entry", member: { size: 160, compressedSize: 20 } });
    }
  });

  it("readPassingHeader() does leave a zip64 field alone that nothing calls for", () => {
    const field = extraField(1, concat([littleEndian(8, 1), littleEndian(8, 2)]));
    expect(read({ ...ENTRY, localExtras: [field] })).toMatchObject({ member: { size: 160 } });
  });

  it("readPassingHeader() does not serve what would unpack to far more", () => {
    const content = "x".repeat(2 ** 20 + 1);
    expect(read({ ...ENTRY, content }, 10_000)).toMatchObject({ member: { problem: undefined } });
    expect(read({ ...ENTRY, content }, 10)).toMatchObject({ member: { problem: "entry_ratio" } });
  });

  it("readPassingHeader() does not read past the data of its own", () => {
    const { bytes, at } = placed({ ...ENTRY, mtime: 7 });
    const header = LOCAL_HEADER_BYTES + "dir/a".length + 9;
    expect(readPassingHeader(bytes.subarray(at, at + header), at, RATIO)).toEqual(
      readPassingHeader(bytes.subarray(at), at, RATIO),
    );
  });
});

describe("a header that is not all there", () => {
  it.each([0, 1, LOCAL_HEADER_BYTES - 1])(
    "readPassingHeader() does ask for its fixed part after %d bytes",
    (cut) => {
      const { bytes, at } = placed(ENTRY);
      expect(readPassingHeader(bytes.subarray(at, at + cut), at, RATIO)).toEqual({
        kind: "more",
        bytes: LOCAL_HEADER_BYTES,
      });
    },
  );

  it.each([LOCAL_HEADER_BYTES, LOCAL_HEADER_BYTES + 5, LOCAL_HEADER_BYTES + 13])(
    "readPassingHeader() does ask for name and extra field after %d bytes",
    (cut) => {
      const { bytes, at } = placed({ ...ENTRY, mtime: 7 });
      expect(readPassingHeader(bytes.subarray(at, at + cut), at, RATIO)).toEqual({
        kind: "more",
        bytes: LOCAL_HEADER_BYTES + "dir/a".length + 9,
      });
    },
  );
});

describe("what only the directory tells", () => {
  it.each<[string, EntrySpec]>([
    ["a descriptor", { ...ENTRY, descriptor: 16 }],
    ["a zip64 descriptor", { ...ENTRY, descriptor: 24, zip64: "sizes" }],
    ["a descriptor's flag beside its sizes", { ...ENTRY, flags: 8 }],
    ["an encrypted entry", { ...ENTRY, flags: 1 }],
    ["a strongly encrypted entry", { ...ENTRY, flags: 1 << 6 }],
    ["a masked header", { ...ENTRY, flags: 1 << 13 }],
    ["another signature", { ...ENTRY, local: { signature: 0x02014b50 } }],
    ["a descriptor's signature", { ...ENTRY, local: { signature: 0x08074b50 } }],
    ["zeros", { ...ENTRY, local: { signature: 0 } }],
    ["a sentinel without zip64", { ...ENTRY, local: { size: 0xffff_ffff } }],
    ["another sentinel without zip64", { ...ENTRY, local: { compressedSize: 0xffff_ffff } }],
    [
      "a sentinel and half a zip64 field",
      { ...ENTRY, local: { size: 0xffff_ffff }, localExtras: [extraField(1, new Uint8Array(8))] },
    ],
    [
      "a sentinel and a zip64 field that is cut off",
      { ...ENTRY, local: { size: 0xffff_ffff }, localExtras: [extraField(1, new Uint8Array(8), 16)] },
    ],
  ])("readPassingHeader() does not know what comes with %s", (_case, entry) => {
    expect(read(entry)).toEqual(UNKNOWN);
  });

  it("readPassingHeader() does not know what comes with the directory and the end", () => {
    const { bytes, directoryOffset } = writeZip([ENTRY]);
    expect(readPassingHeader(bytes.subarray(directoryOffset), directoryOffset, RATIO)).toEqual(UNKNOWN);
    const empty = writeZip([], { comment: "long enough a comment" });
    expect(readPassingHeader(empty.bytes, 0, RATIO)).toEqual(UNKNOWN);
  });
});

describe("any bytes", () => {
  const entry = fc.record({
    method: fc.constantFrom(0, 8, 93, 99, 12),
    zip64: fc.constantFrom(undefined, "always" as const),
    mtime: fc.constantFrom(undefined, 7),
  });
  const changes = fc.array(fc.tuple(fc.nat(90), fc.nat(255)), { maxLength: 6 });

  it("readPassingHeader() does answer something that leads on, whatever a header says", () => {
    let entries = 0;
    fc.assert(
      fc.property(entry, changes, fc.nat(2 ** 40), fc.nat(200), (given, lies, at, length) => {
        const { method, ...more } = given;
        const defined = Object.fromEntries(Object.entries(more).filter(([, value]) => value !== undefined));
        const bytes = writeZip([{ ...ENTRY, method, ...defined }]).bytes.slice(0, length);
        for (const [index, value] of lies) if (index < bytes.byteLength) bytes[index] = value;
        const answer = readPassingHeader(bytes, at, RATIO);
        if (answer.kind === "more") expect(answer.bytes).toBeGreaterThan(bytes.byteLength);
        if (answer.kind !== "entry") return;
        entries += 1;
        expect(answer.next).toBeGreaterThanOrEqual(at + LOCAL_HEADER_BYTES);
        expect(answer.member).toMatchObject({ headerOffset: at, limit: answer.next });
      }),
      { numRuns: 1_000 },
    );
    expect(entries).toBeGreaterThan(100);
  });

  it("readPassingHeader() does not fail with bytes that are no header", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), fc.boolean(), (given, isSigned) => {
        const bytes = isSigned ? concat([littleEndian(4, 0x04034b50), given]) : given;
        expect(["entry", "more", "unknown"]).toContain(readPassingHeader(bytes, 0, RATIO).kind);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("mayBeLink()", () => {
  it.each([
    [0, true],
    [4096, true],
    [4097, false],
  ])("mayBeLink() does say of %d bytes %j, as no link's text is longer than 4096", (size, expected) => {
    expect(mayBeLink(memberOf({ path: "a", size, compressedSize: size }))).toBe(expected);
  });
});
