import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readDirectory } from "../../../src/core/zip/central-directory.ts";
import { findEndRecord } from "../../../src/core/zip/end-record.ts";
import { readLocalHeader } from "../../../src/core/zip/local-header.ts";
import type { Directory, Member } from "../../../src/core/zip/member.ts";
import { directoryIn, LIMITS, readZip } from "../../zip/read-zip.ts";
import {
  concat,
  type EntrySpec,
  extraField,
  littleEndian,
  writeZip,
  type ZipShape,
} from "../../zip/write-zip.ts";

function membersOf(directory: Directory): Member[] {
  return Array.from({ length: directory.count }, (_, position) => directory.at(position));
}

const problem = (name: string) => ({ kind: "problem", problem: name });

describe("an archive", () => {
  it("readDirectory() does read what GitLab Runner writes", () => {
    const owner = extraField(0x7875, Uint8Array.of(1, 4, 0, 0, 0, 0, 4, 0, 0, 0, 0));
    const time = extraField(0x5455, concat([littleEndian(1, 1), littleEndian(4, 2)]));
    const { bytes, placed, directoryOffset } = writeZip([
      { name: "./", extras: [owner] },
      { name: "b.bin", content: "b".repeat(99), method: 8, descriptor: 16, mtime: 1, extras: [time, owner] },
      { name: "a.txt", content: "", descriptor: 24, zip64: "sizes", mode: 0o100600 },
      { name: "c", link: "b.bin", mode: 0o120777 },
    ]);
    const [, b, a, c] = placed;
    const common = { mtime: 0, problem: undefined };
    expect(membersOf(directoryIn(bytes))).toEqual([
      {
        ...common,
        path: "a.txt",
        type: "file",
        method: 0,
        crc: 0,
        compressedSize: 0,
        size: 0,
        mode: 0o600,
        headerOffset: a!.headerOffset,
        limit: c!.headerOffset,
      },
      {
        ...common,
        path: "b.bin",
        type: "file",
        method: 8,
        crc: b!.crc,
        mode: 0o644,
        mtime: 1,
        compressedSize: b!.packed.byteLength,
        size: 99,
        headerOffset: b!.headerOffset,
        limit: a!.headerOffset,
      },
      {
        ...common,
        path: "c",
        type: "symlink",
        method: 0,
        crc: c!.crc,
        compressedSize: 5,
        size: 5,
        mode: 0o777,
        headerOffset: c!.headerOffset,
        limit: directoryOffset,
      },
    ]);
  });

  it("readDirectory() does count the root among the entries, but not among the members", () => {
    const { bytes } = writeZip([{ name: "./" }, { name: "a" }]);
    expect(directoryIn(bytes).count).toBe(1);
    expect(readZip(bytes, { ...LIMITS, entries: 1 })).toEqual(problem("archive_too_many_entries"));
  });

  it("readDirectory() does correct the offsets of headers for a prefix", () => {
    const { bytes, placed } = writeZip([{ name: "a" }, { name: "b" }], { prefix: new Uint8Array(77) });
    expect(directoryIn(bytes).find("b")?.headerOffset).toBe(placed[1]!.headerOffset);
  });

  it("readDirectory() does read as many entries and links as it is allowed, and no more", () => {
    const { bytes } = writeZip([{ name: "a", link: "c" }, { name: "b", link: "c" }, { name: "c" }]);
    expect(readZip(bytes, { ...LIMITS, entries: 3, links: 2 })).toMatchObject({ kind: "directory" });
    expect(readZip(bytes, { ...LIMITS, entries: 2 })).toEqual(problem("archive_too_many_entries"));
    expect(readZip(bytes, { ...LIMITS, links: 1 })).toEqual(problem("archive_too_many_links"));
  });

  it("readDirectory() does let a member grow as much as it is allowed, and no more", () => {
    const { bytes } = writeZip([
      { name: "a", method: 8, packed: new Uint8Array(2 ** 19), central: { size: 2 ** 21 } },
    ]);
    expect(directoryIn(bytes, { ...LIMITS, ratio: 4 }).at(0).problem).toBeUndefined();
    expect(directoryIn(bytes, { ...LIMITS, ratio: 3 }).at(0).problem).toBe("entry_ratio");
  });

  it("readDirectory() does give the problem of the name before that of its place, and that before the content's", () => {
    const { bytes } = writeZip([
      { name: "a" },
      { name: "A", flags: 1 },
      { name: "../a", flags: 1 },
      { name: "../a", flags: 1 },
      { name: "b", flags: 1 },
    ]);
    expect(membersOf(directoryIn(bytes)).map(({ path, problem: found }) => [path, found])).toEqual([
      ["../a", "name_escapes"],
      ["../a", "name_escapes"],
      ["A", "entry_collides"],
      ["a", undefined],
      ["b", "entry_encrypted"],
    ]);
  });

  it.each([[-1], [1]])(
    "readDirectory() does refuse a directory of %d bytes more than the end record says",
    (more) => {
      const { bytes, directoryOffset, directorySize } = writeZip([{ name: "a" }]);
      const end = { directoryOffset, directorySize, count: 1, shift: 0 };
      const directory = bytes.subarray(directoryOffset, directoryOffset + directorySize + more);
      expect(readDirectory(directory, end, LIMITS)).toEqual(problem("archive_broken"));
    },
  );

  it("readDirectory() does read 100,000 entries in well under a second, in less than 120 bytes each beside their names", () => {
    const entries = Array.from({ length: 100_000 }, (_, index) => {
      return { name: `dir-${index % 317}/file-${index}.o`, mtime: 1_700_000_000 };
    });
    const { bytes, size } = writeZip(entries);
    const end = findEndRecord(bytes.subarray(-100), size);
    if (end.kind !== "end") throw new Error("There is no end record");
    const directory = bytes.subarray(end.directoryOffset, end.directoryOffset + end.directorySize);
    const before = process.cpuUsage();
    const answer = readDirectory(directory, end, { ...LIMITS, entries: 100_000 });
    const milliseconds = process.cpuUsage(before).user / 1000;
    if (answer.kind === "problem") throw new Error(answer.problem);
    const nameBytes = entries.reduce((sum, { name }) => sum + name.length, 0);
    expect((answer.directory.bytes.byteLength - nameBytes) / 100_000).toBeLessThan(55);
    expect(milliseconds).toBeLessThan(3000); // 400 ms where nothing else runs
    expect(answer.directory.find("dir-5/file-5.o")?.headerOffset).toBeGreaterThan(0);
  });
});

const segment = fc
  .stringMatching(/^[a-z][a-z0-9._ü-]{0,6}[a-z]$/)
  .filter((name) => !/^(con|prn|aux|nul)$|^(con|prn|aux|nul)\./.test(name));
const anyEntry: fc.Arbitrary<EntrySpec> = fc.record(
  {
    name: fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/")),
    content: fc.uint8Array({ maxLength: 40 }),
    method: fc.constantFrom(0, 8, 93),
    descriptor: fc.constantFrom(12, 16, 20, 24),
    zip64: fc.constantFrom("always", "sizes"),
    mode: fc.nat({ max: 0o777 }).map((bits) => 0o100000 | bits),
    mtime: fc.nat({ max: 0xffff_ffff }),
    comment: fc.string({ maxLength: 10 }),
    extras: fc.array(
      fc.uint8Array({ maxLength: 9 }).map((data) => extraField(0x7875, data)),
      { maxLength: 2 },
    ),
    localExtras: fc.array(
      fc.uint8Array({ maxLength: 9 }).map((data) => extraField(0x7875, data)),
      { maxLength: 2 },
    ),
  },
  { requiredKeys: ["name"] },
);
const anyShape: fc.Arbitrary<ZipShape> = fc.record(
  {
    comment: fc.string({ maxLength: 50 }),
    prefix: fc.uint8Array({ maxLength: 50 }),
    countsPrefix: fc.boolean(),
    gap: fc.uint8Array({ maxLength: 5 }),
    zip64: fc.constant("always"),
  },
  { requiredKeys: [] },
);
const anyEntries = fc.uniqueArray(anyEntry, {
  maxLength: 8,
  // No path is that of another's directory.
  comparator: (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`),
  selector: ({ name }) => String(name),
});

describe("whatever is written", () => {
  it("readDirectory() and readLocalHeader() do find all of it again", () => {
    fc.assert(
      fc.property(anyEntries, anyShape, (entries, shape) => {
        const { bytes, placed } = writeZip(entries, shape);
        const directory = directoryIn(bytes);
        expect(directory.count).toBe(entries.length);
        for (const [index, entry] of entries.entries()) {
          const { crc, headerOffset, dataOffset, packed, content } = placed[index]!;
          const member = directory.find(String(entry.name))!;
          const { mode = 0o100644, mtime = 0, method = 0 } = entry;
          expect(member).toMatchObject({
            type: "file",
            method,
            crc,
            mtime,
            mode: mode & 0o777,
            headerOffset,
            problem: undefined,
            size: content.byteLength,
            compressedSize: packed.byteLength,
          });
          const answer = readLocalHeader(bytes.subarray(headerOffset, headerOffset + 30), member);
          expect(answer).toEqual({ kind: "data", offset: dataOffset - headerOffset });
        }
      }),
    );
  });
});

/** Whether no data of an archive can be read but what is between its first byte and its directory. */
function staysWithin(bytes: Uint8Array): boolean {
  const answer = readZip(bytes);
  if (answer.kind === "problem") return true;
  return membersOf(answer.directory).every((member) => {
    const local = readLocalHeader(bytes.subarray(member.headerOffset), member);
    if (local.kind !== "data") return true;
    const end = member.headerOffset + local.offset + member.compressedSize;
    return member.headerOffset >= 0 && end <= member.limit && member.limit <= bytes.byteLength;
  });
}

describe("whatever is changed", () => {
  const { bytes, directoryOffset } = writeZip(
    [
      { name: "dir/" },
      { name: "dir/a.txt", content: "content ".repeat(9), method: 8, descriptor: 16, mtime: 5 },
      { name: "grün", content: "x", zip64: "always" },
      { name: "link", link: "dir/a.txt", zip64: "sizes" },
    ],
    { zip64: "always", comment: "PK", prefix: new Uint8Array(3) },
  );

  it("readDirectory() does neither throw nor lead past a limit with any one byte of directory and end records changed", () => {
    const astray: string[] = [];
    for (let position = directoryOffset; position < bytes.byteLength; position += 1) {
      for (const change of [0x01, 0x80, 0xff, bytes[position]!]) {
        const other = bytes.with(position, bytes[position]! ^ change);
        if (!staysWithin(other)) astray.push(`${position} ^ ${change}`);
      }
    }
    expect(astray).toEqual([]);
  });

  it("readDirectory() does neither throw nor lead past a limit with any bytes changed anywhere, or cut off", () => {
    const changes = fc.array(fc.tuple(fc.nat({ max: bytes.byteLength - 1 }), fc.nat({ max: 255 })), {
      maxLength: 6,
    });
    const property = fc.property(changes, fc.nat({ max: 3 }), fc.nat({ max: 3 }), (changed, front, back) => {
      const other = bytes.slice();
      for (const [position, value] of changed) other[position] = value;
      return staysWithin(other.subarray(front, other.byteLength - back));
    });
    expect(fc.check(property, { numRuns: 1000 })).toMatchObject({ failed: false });
  });

  it("readDirectory() does neither throw nor lead past a limit whatever garbage it is given", () => {
    const signature = fc.constant(littleEndian(4, 0x02014b50));
    const pieces = fc.array(
      fc.oneof(signature, fc.uint8Array({ maxLength: 60 }), fc.constant(new Uint8Array(42))),
    );
    const property = fc.property(
      pieces.map(concat),
      fc.nat({ max: 5 }),
      fc.nat(),
      (garbage, count, directoryStart) => {
        const end = { directoryOffset: directoryStart, directorySize: garbage.byteLength, count, shift: 0 };
        const answer = readDirectory(garbage, end, LIMITS);
        return (
          answer.kind === "problem" ||
          membersOf(answer.directory).every(({ limit }) => limit <= directoryStart)
        );
      },
    );
    expect(fc.check(property, { numRuns: 1000 })).toMatchObject({ failed: false });
  });
});
