import type { ZipProblem } from "../../src/core/zip/problems.ts";
import { concat, type EntrySpec, extraField, littleEndian, writeZip, type ZipShape } from "./write-zip.ts";

/** An archive that is up to no good, and what is to be made of it. */
export type HostileArchive = {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly problem: ZipProblem;
  /** The path of the member that has the problem: the last one of that path. The archive as a whole has it if not given. */
  readonly member?: string;
  /** The directory says nothing of it: its local header or its data do. */
  readonly isInData?: boolean;
};

/** More entries and links than these archives are to be read with. */
export const HOSTILE_LIMITS = { entries: 100, ratio: 1000, links: 10 } as const;

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const ZEROS = new Uint8Array(4 * 1024 * 1024);
const good: EntrySpec = { name: "good.txt", content: "good" };

/** A member beside a good one, and its problem. */
function member(name: string, entry: EntrySpec, problem: ZipProblem, path?: string): HostileArchive {
  const shown = path ?? (typeof entry.name === "string" ? entry.name : new TextDecoder().decode(entry.name));
  return { name, bytes: writeZip([good, entry]).bytes, problem, member: shown };
}

function later(
  name: string,
  entries: readonly EntrySpec[],
  problem: ZipProblem,
  path: string,
): HostileArchive {
  return { name, bytes: writeZip([good, ...entries]).bytes, problem, member: path };
}

function whole(
  name: string,
  problem: ZipProblem,
  entries: readonly EntrySpec[],
  shape: ZipShape = {},
): HostileArchive {
  return { name, bytes: writeZip(entries, shape).bytes, problem };
}

function inData(name: string, entry: EntrySpec, problem: ZipProblem): HostileArchive {
  return { ...member(name, entry, problem), isInData: true };
}

const NAMES: readonly (readonly [name: string, path: string, problem: ZipProblem])[] = [
  ["slips up", "../../etc/passwd", "name_escapes"],
  ["slips up from below", "a/../../b", "name_escapes"],
  ["slips up after ./", "./../b", "name_escapes"],
  ["slips up at the end", "a/..", "name_escapes"],
  ["slips up by dots that Windows drops", "a/.. /.../b", "name_escapes"],
  ["is absolute", "/etc/passwd", "name_absolute"],
  ["is absolute after ./", ".//etc/passwd", "name_absolute"],
  ["is absolute by two slashes", "//host/share", "name_absolute"],
  ["has backslashes", "..\\..\\boot.ini", "name_backslash"],
  ["has a drive", "C:/boot.ini", "name_drive"],
  ["has a drive below", "a/d:b", "name_drive"],
  ["has a stream", "index.php::$DATA", "name_drive"],
  ["has a NUL", "good.txt\0.exe", "name_control"],
  ["has a line feed", "a\nb", "name_control"],
  ["has an escape sequence", "\u001b[2J", "name_control"],
  ["is a device", "aux", "name_device"],
  ["is a device with an extension", "dir/NUL.txt", "name_device"],
  ["is a serial port", "Com1.log", "name_device"],
  ["is empty", "", "name_malformed"],
  ["is too long", "n".repeat(4097), "name_malformed"],
  ["has an empty segment", "a//b", "name_malformed"],
  ["has a dot for a segment", "a/./b", "name_malformed"],
];

/** As the one for a raw name of this CRC. */
function unicodePath(path: string, crc: number): Uint8Array {
  return extraField(0x7075, concat([littleEndian(1, 1), littleEndian(4, crc), text(path)]));
}

/** Each local header within the data of the one before it, as in the quoted bomb of Fifield's "A better zip bomb" (2019). */
function quoted(): HostileArchive {
  const inner = writeZip([{ name: "kernel", content: ZEROS.subarray(0, 65_536), method: 8 }]);
  const quotedBytes = inner.bytes.subarray(0, inner.directoryOffset);
  return whole("quotes the next entry", "archive_overlapping", [
    { name: "outer", content: quotedBytes },
    { name: "kernel", without: "local", central: { headerOffset: 30 + "outer".length } },
  ]);
}

/** Named as the sentence "an archive that ..." goes on. */
export const HOSTILE_ARCHIVES: readonly HostileArchive[] = [
  ...NAMES.map(([name, path, problem]) => {
    return member(
      `has a name that ${name}`,
      { name: path, content: "x" },
      problem,
      path.replace(/^(\.\/)+/, ""),
    );
  }),
  member(
    "names in no UTF-8 what it says is",
    { name: Uint8Array.of(0x61, 0xff), flags: 0x800 },
    "name_malformed",
  ),
  member(
    "hides a name in a Unicode path",
    { name: Uint8Array.of(0x61), extras: [unicodePath("../b", 0xe8b7be43)] },
    "name_escapes",
    "../b",
  ),
  member("holds a device", { name: "tty", mode: 0o020666 }, "name_device"),
  member("holds a pipe", { name: "pipe", mode: 0o010666 }, "name_device"),
  member("holds a link that is a directory too", { name: "two/", mode: 0o120777 }, "entry_lies"),
  member("holds a directory with content", { name: "full/", content: "x" }, "entry_lies"),

  later("has a name twice", [{ name: "good.txt", content: "evil" }], "entry_duplicate", "good.txt"),
  later("has a name with and without ./", [{ name: "./good.txt" }], "entry_duplicate", "good.txt"),
  later("has a file and a directory of one name", [{ name: "good.txt/" }], "entry_duplicate", "good.txt/"),
  later("has a name in two cases", [{ name: "GOOD.txt" }], "entry_collides", "GOOD.txt"),
  later(
    "has a name composed in two ways",
    [{ name: "\u00e9" }, { name: "e\u0301" }],
    "entry_collides",
    "e\u0301",
  ),
  later(
    "goes through a link",
    [
      { name: "out", link: "/etc" },
      { name: "out/passwd", content: "x" },
    ],
    "entry_through_link",
    "out/passwd",
  ),
  later(
    "goes through a link that comes later",
    [
      { name: "out/a/passwd", content: "x" },
      { name: "out", link: "/etc" },
    ],
    "entry_through_link",
    "out/a/passwd",
  ),
  later(
    "goes through a link of another case",
    [
      { name: "OUT", link: "/etc" },
      { name: "out/passwd", content: "x" },
    ],
    "entry_through_link",
    "out/passwd",
  ),
  later("goes through a file", [{ name: "good.txt/x" }], "entry_through_link", "good.txt/x"),

  member("is encrypted", { name: "secret", content: "x", flags: 1 }, "entry_encrypted"),
  member("is strongly encrypted", { name: "secret", content: "x", flags: 1 << 6 }, "entry_encrypted"),
  member("is encrypted by AES", { name: "secret", content: "x", method: 99 }, "entry_encrypted"),
  member("is packed by bzip2", { name: "packed", content: "x", method: 12 }, "entry_method"),
  member("is packed by LZMA", { name: "packed", content: "x", method: 14 }, "entry_method"),
  member("unpacks to far more", { name: "bomb", content: ZEROS, method: 8 }, "entry_ratio"),
  member(
    "says it unpacks to far more",
    { name: "bomb", content: "x", method: 8, central: { size: 2 ** 31 } },
    "entry_ratio",
  ),
  member(
    "stores what is longer than it is",
    { name: "lie", content: "x", central: { size: 2 } },
    "entry_lies",
  ),

  inData(
    "has another CRC in its local header",
    { name: "lie", content: "x", local: { crc: 1 } },
    "entry_lies",
  ),
  inData(
    "has another size in its local header",
    { name: "lie", content: "x", local: { size: 9 } },
    "entry_lies",
  ),
  inData(
    "has another method in its local header",
    { name: "lie", content: "x", local: { method: 8 } },
    "entry_lies",
  ),
  inData("has no local header", { name: "lie", content: "x", local: { signature: 0 } }, "entry_lies"),
  inData(
    "begins its data in the next entry",
    { name: "lie", content: "x", local: { extraLength: 999 } },
    "entry_lies",
  ),
  inData(
    "is encrypted by its local header alone",
    { name: "lie", content: "x", local: { flags: 1 } },
    "entry_encrypted",
  ),

  quoted(),
  whole("has two entries in one place", "archive_overlapping", [
    good,
    { ...good, name: "again.txt", without: "local", central: { headerOffset: 0 } },
  ]),
  whole("has an entry that reaches into the directory", "archive_broken", [
    { name: "long", content: "x", method: 8, central: { compressedSize: 1000 } },
  ]),
  whole("has an entry past its end", "archive_broken", [{ ...good, central: { headerOffset: 2 ** 31 } }]),
  whole(
    "has too many entries",
    "archive_too_many_entries",
    Array.from({ length: 101 }, (_, n) => ({ name: `f${n}` })),
  ),
  whole("says it has too many entries", "archive_broken", [good], { end: { count: 101, countOnDisk: 101 } }),
  whole(
    "has too many links",
    "archive_too_many_links",
    Array.from({ length: 11 }, (_, n) => ({ name: `l${n}`, link: "good.txt" })),
  ),
  whole("says it has fewer entries than it has", "archive_broken", [good, { name: "b" }], {
    end: { count: 1, countOnDisk: 1 },
  }),
  whole("has a directory that is cut off", "archive_broken", [good], {
    directory: (bytes) => bytes.subarray(0, -1),
  }),
  whole("has an encrypted directory", "archive_broken", [good], {
    directory: (bytes) => bytes.map((byte) => byte ^ 0x5a),
  }),
  whole("has a directory that begins before it does", "archive_broken", [good], {
    end: { directorySize: 2 ** 31 },
  }),
  whole("is one of several parts", "archive_spanned", [good], { end: { disk: 1, directoryDisk: 1 } }),
  whole("has an entry on another part", "archive_spanned", [{ ...good, central: { disk: 1 } }]),
  whole("is one of several parts by zip64", "archive_spanned", [good], {
    zip64: "always",
    locator: { disks: 2 },
  }),
  whole("leads nowhere by zip64", "archive_broken", [good], { zip64: "always", end64: { signature: 0 } }),
  whole("says two things by zip64", "archive_broken", [good], {
    zip64: "always",
    end: { count: 2, countOnDisk: 2 },
  }),
  whole("leaves out a zip64 number", "archive_broken", [{ ...good, central: { size: 0xffff_ffff } }]),
  whole("is cut off", "archive_not_zip", [good], { end: { commentLength: 1 } }),
];
