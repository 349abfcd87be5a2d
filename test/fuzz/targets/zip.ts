import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import fc from "fast-check";
import { unzipSync } from "fflate";
import { insist, type FuzzTarget } from "../../../scripts/fuzz/target.ts";
import { openDirectory } from "../../../src/core/zip/compact-directory.ts";
import { followLink, LINK_BYTES, linkTarget, type Links } from "../../../src/core/zip/links.ts";
import { readLocalHeader } from "../../../src/core/zip/local-header.ts";
import type { Directory, Member } from "../../../src/core/zip/member.ts";
import { readPassingHeader } from "../../../src/core/zip/passing-header.ts";
import { runLength } from "../../../src/core/zip/runs.ts";
import { select } from "../../../src/core/zip/selection.ts";
import { tarRuns, tarSize } from "../../../src/core/zip/tar-runs.ts";
import { listTree } from "../../../src/core/zip/tree.ts";
import { zipRuns, zipSize } from "../../../src/core/zip/zip-runs.ts";
import { anyEntries } from "../../zip/any-entries.ts";
import { LIMITS, readZip } from "../../zip/read-zip.ts";
import { extraField, writeZip, type EntrySpec, type ZipShape } from "../../zip/write-zip.ts";

export type ZipParts = { readonly read: typeof readZip; readonly readLocalHeader: typeof readLocalHeader };

/**
 * Input: an archive. It is refused by a name, or its entries lie apart from one another before the directory, those without a
 * problem have names that lead nowhere else on any system, and fflate, where it reads the archive too, reads the same of them.
 * Tar and zip forms have the length they say, and the zip form is read again as what it was made of.
 */
export function zipTarget(parts: ZipParts = { read: readZip, readLocalHeader }): FuzzTarget {
  return {
    name: "zip",
    holds: "bytes",
    mostBytes: 8192,
    fresh: fc.oneof(
      { weight: 1, arbitrary: anyEntries.map((entries) => writeZip(entries).bytes) },
      {
        weight: 2,
        arbitrary: fc
          .tuple(fc.array(anyLiar, { maxLength: 5 }), anyShape)
          .map(([entries, shape]) => writeZip(entries, shape).bytes),
      },
    ),
    words: [
      "PK\u0001\u0002",
      "PK\u0003\u0004",
      "PK\u0005\u0006",
      "PK\u0006\u0006",
      "PK\u0006\u0007",
      "../",
      "/",
      "\\",
      "..",
      "a/",
      "\u00ff\u00ff\u00ff\u00ff",
      "up\u0009\u0000\u0001",
      "UT\u0005\u0000\u0001",
    ],
    check: (input) => check(parts, input),
  };
}

const anyName = fc.oneof(
  fc.constantFrom(
    "a",
    "b",
    "a/b",
    "a/",
    "A",
    "./a",
    "../a",
    "/a",
    "a\\b",
    "a//b",
    "c:a",
    "nul",
    "x/../y",
    "\u00e9",
    "e\u0301",
    "l",
    "l/a",
    ".",
    "./",
    "",
  ),
  fc.uint8Array({ maxLength: 6 }),
);
const anySize = fc.option(fc.constantFrom(0, 1, 5, 30, 100, 2 ** 31, 2 ** 32 - 1), { nil: undefined });
const field = fc.record(
  {
    size: fc.nat(40),
    compressedSize: fc.nat(40),
    headerOffset: fc.nat(200),
    method: fc.constantFrom(0, 8, 93, 99),
    crc: fc.nat(3),
    nameLength: fc.nat(9),
    extraLength: fc.nat(40),
    flags: fc.constantFrom(0, 1, 8, 0x800, 64),
    disk: fc.nat(1),
    commentLength: fc.nat(5),
    externalAttributes: fc.constantFrom(0xa1ff_0000, 0x41ff_0000, 0, 16),
  },
  { requiredKeys: [] },
);
/** Tells the truth of most things. */
const anyLiar: fc.Arbitrary<EntrySpec> = fc
  .record({
    name: anyName,
    content: fc.constantFrom("", "x", "hello hello hello hello", "../x", "\u0000".repeat(300)),
    method: fc.constantFrom(0, 8, 93),
    descriptor: fc.option(fc.constantFrom(12 as const, 16 as const, 20 as const, 24 as const), {
      nil: undefined,
    }),
    zip64: fc.option(fc.constantFrom("always" as const, "sizes" as const), { nil: undefined }),
    mode: fc.option(fc.constantFrom(0o120777, 0o100644, 0o040755, 0o020666), { nil: undefined }),
    mtime: fc.option(fc.nat(2 ** 32 - 1), { nil: undefined }),
    extra: fc.option(
      fc.tuple(fc.constantFrom(1, 0x5455, 0x7075, 7), fc.uint8Array({ maxLength: 24 }), anySize),
      { nil: undefined },
    ),
    central: fc.option(field, { nil: undefined, freq: 4 }),
    local: fc.option(field, { nil: undefined, freq: 4 }),
    without: fc.option(fc.constantFrom("local" as const, "central" as const), { nil: undefined, freq: 9 }),
  })
  .map(({ extra, ...spec }) => {
    const extras = extra === undefined ? [] : [extraField(extra[0], extra[1], extra[2])];
    const given = Object.entries({ ...spec, extras }).filter(([, value]) => value !== undefined);
    return Object.fromEntries(given) as EntrySpec;
  });
const anyShape: fc.Arbitrary<ZipShape> = fc.record(
  {
    comment: fc.constantFrom("", "comment", "PK\u0005\u0006"),
    prefix: fc.uint8Array({ maxLength: 20 }),
    countsPrefix: fc.boolean(),
    gap: fc.uint8Array({ maxLength: 9 }),
    gapBeforeEnd: fc.uint8Array({ maxLength: 3 }),
    zip64: fc.constant("always" as const),
    suffix: fc.uint8Array({ maxLength: 9 }),
  },
  { requiredKeys: [] },
);

function check({ read, readLocalHeader: readLocal }: ZipParts, bytes: Uint8Array): string {
  const answer = read(bytes, LIMITS);
  if (answer.kind === "problem") return answer.problem;
  const { directory } = answer;
  const members = membersOf(directory);
  insistOnPlaces(members, bytes.byteLength);
  insistOnNames(members);
  insistOnCompact(directory, members);
  insistOnListing(directory, members);
  const ranges = new Map<Member, Uint8Array>();
  for (const member of members) {
    const packed = packedOf(readLocal, bytes, member);
    if (packed !== undefined) ranges.set(member, packed);
  }
  insistOnFflate(bytes, members);
  const links = linksOf(ranges);
  insistOnLinks(directory, members, links);
  insistOnForms(directory, links, ranges);
  const problems = new Set(members.map(({ problem }) => problem ?? "none"));
  return [...problems].toSorted().slice(0, 2).join(", ");
}

function membersOf(directory: Directory): Member[] {
  return Array.from({ length: directory.count }, (_, position) => directory.at(position));
}

/** Header, name and data of each lie before the next one's, and all before the directory, which is before the archive's end. */
function insistOnPlaces(members: readonly Member[], archiveBytes: number): void {
  let end = 0;
  for (const member of members.toSorted((a, b) => a.headerOffset - b.headerOffset)) {
    const { headerOffset, compressedSize, limit } = member;
    insist(headerOffset >= end, "keeps entries apart", () => ({ member, end }));
    end = headerOffset + 30 + compressedSize;
    insist(end <= limit && limit <= archiveBytes - 22, "keeps entries inside of the archive", () => member);
  }
}

const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|com[1-9\u00b9\u00b2\u00b3]|lpt[1-9\u00b9\u00b2\u00b3])$/;

function insistOnNames(members: readonly Member[]): void {
  const served = members.filter(({ problem }) => problem === undefined);
  const files = new Set<string>();
  const known = new Set<string>();
  for (const { path, type } of served) {
    const folded = path.toLowerCase().normalize("NFC").replace(/\/$/, "");
    insist(!known.has(folded), "serves no name twice", () => path);
    known.add(folded);
    if (type !== "directory") files.add(folded);
    insist((type === "directory") === path.endsWith("/"), "tells directories by their slash", () => path);
    for (const segment of path.replace(/\/$/, "").split("/"))
      insist(isPlainName(segment), "serves no unsafe name", () => path);
  }
  for (const name of known) {
    const parts = name.split("/");
    const above = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
    insist(!above.some((each) => files.has(each)), "serves nothing below a file or link", () => name);
  }
}

/** What Windows, Linux and macOS all take for the name of a file in this very directory. */
function isPlainName(segment: string): boolean {
  const base = segment
    .toLowerCase()
    .replace(/[.:].*$/s, "")
    .replace(/ +$/, "");
  // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
  const isOdd = /[\u0000-\u001f\u007f\\/]/.test(segment) || segment === "" || segment === ".";
  return !isOdd && !/^\.\.[. ]*$/.test(segment) && !/^[a-z]:/i.test(segment) && !DEVICE.test(base);
}

/** It is the same when it is opened again, and every member is found by its path. */
function insistOnCompact(directory: Directory, members: readonly Member[]): void {
  const again = openDirectory(directory.bytes);
  insist(
    JSON.stringify(again && membersOf(again)) === JSON.stringify(members),
    "opens what it keeps",
    () => members,
  );
  for (const [position, { path }] of members.entries()) {
    const first = members.findIndex((each) => each.path === path);
    const bound = directory.lowerBound(path);
    insist(first <= position && bound === first, "finds every path", () => ({ path, bound, first }));
  }
}

function insistOnListing(directory: Directory, members: readonly Member[]): void {
  const tree = listTree(directory, "", true);
  insist(tree.kind === "items", "lists the root", () => tree);
  const items = [...tree.items];
  for (const { path } of members) {
    const isListed = items.some((item) => item.path === path);
    insist(isListed || path === "", "lists every member", () => ({
      path,
      items: items.map((each) => each.path),
    }));
  }
  const segments = members.reduce((sum, { path }) => sum + path.split("/").length, 0);
  insist(items.length <= segments, "lists no more than there is", () => items.length);
}

/** The packed bytes of a member that is served, if its local header says nothing else. */
function packedOf(
  readLocal: typeof readLocalHeader,
  bytes: Uint8Array,
  member: Member,
): Uint8Array | undefined {
  const { headerOffset, compressedSize, limit, problem } = member;
  const passing = readPassingHeader(bytes.subarray(headerOffset), headerOffset, LIMITS.ratio);
  if (passing.kind === "entry")
    insist(passing.next >= headerOffset + 30, "goes on behind a header", () => passing);
  if (problem !== undefined) return undefined;
  const answer = readLocal(bytes.subarray(headerOffset, limit), member);
  if (answer.kind !== "data") return undefined;
  const start = headerOffset + answer.offset;
  insist(answer.offset >= 30 && start + compressedSize <= limit, "finds data in its own place", () => ({
    member,
    answer,
  }));
  return bytes.subarray(start, start + compressedSize);
}

/**
 * Only where the archive has one end record, and the directory is where that says: fflate takes the last record, whatever its
 * comment says, and knows nothing of bytes that were put before an archive.
 */
function insistOnFflate(bytes: Uint8Array, members: readonly Member[]): void {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = all.indexOf("PK\u0005\u0006");
  if (end !== all.lastIndexOf("PK\u0005\u0006") || all.includes("PK\u0006\u0007")) return;
  if (all.readUInt32LE(end + 12) + all.readUInt32LE(end + 16) !== end) return;
  const theirs = new Map<string, { size: number; originalSize: number; compression: number }>();
  try {
    unzipSync(bytes, {
      filter: (file) => {
        theirs.set(file.name, file);
        return false;
      },
    });
  } catch {
    return; // it reads less than we do: shifted archives, and any name or offset it cannot place
  }
  if (theirs.size !== members.length) return;
  for (const member of members) {
    const their = theirs.get(member.path);
    const isPlain = /^[\u0020-\u007e]+$/.test(member.path) && member.problem === undefined;
    if (their === undefined || !isPlain || their.originalSize === 0xffff_ffff) continue;
    const isSame =
      their.size === member.compressedSize &&
      their.originalSize === member.size &&
      their.compression === member.method;
    insist(isSame, "reads what fflate reads", () => ({ member, their }));
  }
}

function linksOf(packed: ReadonlyMap<Member, Uint8Array>): Links {
  const links = new Map<string, string>();
  for (const [member, bytes] of packed) {
    if (member.type !== "symlink" || member.size > LINK_BYTES) continue;
    const text = unpacked(member, bytes);
    if (text !== undefined) links.set(member.path, text.toString());
  }
  return links;
}

function insistOnLinks(directory: Directory, members: readonly Member[], links: Links): void {
  for (const member of members) {
    const text = links.get(member.path);
    if (text === undefined || member.type !== "symlink" || member.problem !== undefined) continue;
    const target = linkTarget(member.path, text);
    if (target.kind === "inside")
      insist(stays(member.path, text), "leads nowhere but inside", () => ({ member, text }));
    const end = followLink(directory, member, links);
    const isThere = end.kind !== "member" || directory.find(end.member.path)?.problem === undefined;
    insist(isThere, "follows links to what is served", () => ({ member, end }));
  }
}

/** Goes through a link's text step by step: it never stands above the archive's root. */
function stays(path: string, text: string): boolean {
  let depth = path.split("/").length - 1;
  for (const segment of text.split("/")) {
    if (segment === "..") depth -= 1;
    else if (segment !== "." && segment !== "") depth += 1;
    if (depth < 0) return false;
  }
  return !text.startsWith("/") && !text.includes("\\");
}

/** The bytes of a member, if they are what the directory says. */
function unpacked({ method, size }: Member, packed: Uint8Array): Buffer | undefined {
  try {
    const options = { maxOutputLength: Math.min(size, 1_000_000) + 1 };
    const bytes =
      method === 0
        ? Buffer.from(packed)
        : method === 8
          ? inflateRawSync(packed, options)
          : zstdDecompressSync(packed, options);
    return bytes.byteLength === size ? bytes : undefined;
  } catch {
    return undefined; // corrupt or longer than it says, which is told where it is read
  }
}

function insistOnForms(directory: Directory, links: Links, packed: ReadonlyMap<Member, Uint8Array>): void {
  const selection = select(directory, "", links);
  insist(
    selection.positions.length + selection.omitted === directory.count,
    "selects or omits every member",
    () => selection,
  );
  let length = 0;
  for (const run of tarRuns(selection)) length += runLength(run);
  insist(length === tarSize(selection) && length % 512 === 0, "knows the length of a tar", () => length);
  const byPath = new Map([...packed].map(([member, data]) => [member.path, data]));
  const pieces: Uint8Array[] = [];
  for (const run of zipRuns(selection)) {
    if (run.kind === "text") pieces.push(run.bytes);
    else {
      const data = byPath.get(run.member.path);
      if (data === undefined) return; // its local header lies, which is told when the form is sent
      pieces.push(data.subarray(run.from, run.until));
    }
  }
  const made = Buffer.concat(pieces);
  insist(made.byteLength === zipSize(selection), "knows the length of a zip", () => made.byteLength);
  const again = readZip(made, LIMITS);
  insist(again.kind === "directory", "reads the zip it makes", () => again);
  const chosen = [...selection.positions].map((position) => directory.at(position));
  const before = chosen.map(plainly).toSorted();
  const after = membersOf(again.directory).map(plainly).toSorted();
  insist(before.join("\n") === after.join("\n"), "makes a zip of what it read", () => ({ before, after }));
}

function plainly({ path, type, method, crc, compressedSize, size, problem }: Member): string {
  return JSON.stringify({ path, type, method, crc, compressedSize, size, problem });
}
