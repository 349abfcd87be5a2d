import { DEFLATED, ZSTANDARD } from "../codec.ts";
import { dosTime } from "./dos-time.ts";
import type { Member } from "./member.ts";
import { permissions } from "./permissions.ts";
import { utf8Length } from "./utf8-length.ts";

/** What the end of an archive says of its central directory. */
export type CentralDirectory = { readonly count: number; readonly size: number; readonly offset: number };

const LOCAL_BYTES = 30;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const END_64_BYTES = 56;
const LOCATOR_64_BYTES = 20;

/** Says that a number is elsewhere, in a zip64 field or record, and so is out of the range of those that are here. */
const IN_ZIP64 = 0xffffffff;
const COUNT_IN_ZIP64 = 0xffff;

/** APPNOTE 4.4.2: made on Unix, by version 6.3 of the specification. */
const MADE_BY = (3 << 8) | 63;

/** APPNOTE 4.4.3.2; what is not in it can be read by the first version. */
const METHOD_VERSIONS: Readonly<Record<number, number>> = { [DEFLATED]: 20, [ZSTANDARD]: 63 };
const FIRST_VERSION = 10;
const DIRECTORY_VERSION = 20;
const ZIP64_VERSION = 45;

/** APPNOTE 4.4.4, bit 11: the name is UTF-8. */
const UTF8_FLAG = 1 << 11;

/** The `st_mode` of POSIX, but for the permissions. */
const UNIX_TYPES = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;
/** For readers on Windows: FILE_ATTRIBUTE_DIRECTORY. */
const DOS_DIRECTORY = 0x10;

/** Extra fields have an id and a length, two bytes each, before their data (APPNOTE 4.5.1). */
const ZIP64_EXTRA = 0x0001;
/** Info-ZIP's "extended timestamp": a byte of flags, then the times it says are there, as signed 32-bit numbers. */
const TIME_EXTRA = 0x5455;
const TIME_EXTRA_BYTES = 9;
const HAS_MTIME = 1;
const LAST_SIGNED_SECOND = 0x7fffffff;

const encoder = new TextEncoder();

/** How many bytes of an archive a member takes up before its central directory. */
export function packedLength(member: Member): number {
  return LOCAL_BYTES + utf8Length(member.path) + localExtraLength(member) + member.compressedSize;
}

/** What stands before a member's packed bytes, sizes and CRC known, so that no descriptor follows them (APPNOTE 4.3.7). */
export function localHeader(member: Member): Uint8Array {
  const length = utf8Length(member.path);
  const bytes = new Uint8Array(LOCAL_BYTES + length + localExtraLength(member));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x04034b50, true); // signature
  writeShared(view, 4, member, versionNeeded(member, 0)); // version needed ... file name length
  view.setUint16(28, localExtraLength(member), true); // extra field length
  encoder.encodeInto(member.path, bytes.subarray(LOCAL_BYTES)); // file name
  const extra = LOCAL_BYTES + length;
  writeTimeExtra(view, writeZip64Extra(view, extra, zip64Numbers(member, 0)), member);
  return bytes;
}

/** How long `centralHeader` is, without making it. */
export function centralHeaderLength(member: Member, offset: number): number {
  return CENTRAL_BYTES + utf8Length(member.path) + centralExtraLength(member, offset);
}

/** A member's entry in the central directory, its local header being at an offset (APPNOTE 4.3.12). */
export function centralHeader(member: Member, offset: number): Uint8Array {
  const bytes = new Uint8Array(centralHeaderLength(member, offset));
  const view = new DataView(bytes.buffer);
  view.setUint32(0, 0x02014b50, true); // signature
  view.setUint16(4, MADE_BY, true); // version made by
  writeShared(view, 6, member, versionNeeded(member, offset)); // version needed ... file name length
  view.setUint16(30, centralExtraLength(member, offset), true); // extra field length
  view.setUint16(32, 0, true); // file comment length
  view.setUint16(34, 0, true); // disk number start
  view.setUint16(36, 0, true); // internal file attributes
  view.setUint32(38, externalAttributes(member), true); // external file attributes
  view.setUint32(42, Math.min(offset, IN_ZIP64), true); // relative offset of local header
  encoder.encodeInto(member.path, bytes.subarray(CENTRAL_BYTES)); // file name
  const extra = bytes.byteLength - centralExtraLength(member, offset);
  writeTimeExtra(view, writeZip64Extra(view, extra, zip64Numbers(member, offset)), member);
  return bytes;
}

/** How long `endRecords` are, without making them. */
export function endRecordsLength(directory: CentralDirectory): number {
  return END_BYTES + (needsZip64End(directory) ? END_64_BYTES + LOCATOR_64_BYTES : 0);
}

/** What ends an archive: where it needs them the records of zip64 (APPNOTE 4.3.14, 4.3.15), and the end record (4.3.16). */
export function endRecords(directory: CentralDirectory): Uint8Array {
  const { count, size, offset } = directory;
  const bytes = new Uint8Array(endRecordsLength(directory));
  if (needsZip64End(directory)) writeZip64End(new DataView(bytes.buffer), directory);
  const view = new DataView(bytes.buffer, bytes.byteLength - END_BYTES);
  view.setUint32(0, 0x06054b50, true); // signature
  view.setUint16(4, 0, true); // number of this disk
  view.setUint16(6, 0, true); // disk where the central directory starts
  view.setUint16(8, Math.min(count, COUNT_IN_ZIP64), true); // entries on this disk
  view.setUint16(10, Math.min(count, COUNT_IN_ZIP64), true); // entries
  view.setUint32(12, Math.min(size, IN_ZIP64), true); // size of the central directory
  view.setUint32(16, Math.min(offset, IN_ZIP64), true); // its offset
  view.setUint16(20, 0, true); // comment length
  return bytes;
}

function writeZip64End(view: DataView, { count, size, offset }: CentralDirectory): void {
  view.setUint32(0, 0x06064b50, true); // signature
  writeUint64(view, 4, END_64_BYTES - 12); // size of the rest of this record
  view.setUint16(12, MADE_BY, true); // version made by
  view.setUint16(14, ZIP64_VERSION, true); // version needed
  view.setUint32(16, 0, true); // number of this disk
  view.setUint32(20, 0, true); // disk where the central directory starts
  writeUint64(view, 24, count); // entries on this disk
  writeUint64(view, 32, count); // entries
  writeUint64(view, 40, size); // size of the central directory
  writeUint64(view, 48, offset); // its offset

  view.setUint32(56, 0x07064b50, true); // signature of the locator
  view.setUint32(60, 0, true); // disk where the record above starts
  writeUint64(view, 64, offset + size); // offset of the record above
  view.setUint32(72, 1, true); // number of disks
}

function needsZip64End({ count, size, offset }: CentralDirectory): boolean {
  return count >= COUNT_IN_ZIP64 || size >= IN_ZIP64 || offset >= IN_ZIP64;
}

/** The fields that local and central headers have in common, in one order. */
function writeShared(view: DataView, start: number, member: Member, version: number): void {
  const { date, time } = dosTime(member.mtime);
  const length = utf8Length(member.path);
  const wide = isWide(member);
  view.setUint16(start, version, true); // version needed
  view.setUint16(start + 2, length === member.path.length ? 0 : UTF8_FLAG, true); // flags
  view.setUint16(start + 4, member.method, true); // compression method
  view.setUint16(start + 6, time, true); // last mod file time
  view.setUint16(start + 8, date, true); // last mod file date
  view.setUint32(start + 10, member.crc, true); // CRC-32
  view.setUint32(start + 14, wide ? IN_ZIP64 : member.compressedSize, true); // compressed size
  view.setUint32(start + 18, wide ? IN_ZIP64 : member.size, true); // uncompressed size
  view.setUint16(start + 22, length, true); // file name length
}

function versionNeeded(member: Member, offset: number): number {
  const zip64 = zip64Numbers(member, offset).length > 0 ? ZIP64_VERSION : FIRST_VERSION;
  const type = member.type === "directory" ? DIRECTORY_VERSION : FIRST_VERSION;
  return Math.max(zip64, type, METHOD_VERSIONS[member.method] ?? FIRST_VERSION);
}

function externalAttributes(member: Member): number {
  const unix = UNIX_TYPES[member.type] | permissions(member);
  return ((unix << 16) | (member.type === "directory" ? DOS_DIRECTORY : 0)) >>> 0;
}

/** Whether its sizes need zip64; they then stand there together, as a local header must have both (APPNOTE 4.5.3). */
function isWide({ size, compressedSize }: Member): boolean {
  return size >= IN_ZIP64 || compressedSize >= IN_ZIP64;
}

/** What the zip64 field holds, in the order of APPNOTE 4.5.3: only what is not in the header itself, where the offset of a local one is not. */
function zip64Numbers(member: Member, offset: number): readonly number[] {
  const sizes = isWide(member) ? [member.size, member.compressedSize] : [];
  return offset >= IN_ZIP64 ? [...sizes, offset] : sizes;
}

function localExtraLength(member: Member): number {
  return centralExtraLength(member, 0);
}

function centralExtraLength(member: Member, offset: number): number {
  const numbers = zip64Numbers(member, offset).length;
  return (numbers > 0 ? 4 + 8 * numbers : 0) + (hasTime(member) ? TIME_EXTRA_BYTES : 0);
}

/** Returns where the next extra field starts. */
function writeZip64Extra(view: DataView, start: number, numbers: readonly number[]): number {
  if (numbers.length === 0) return start;
  view.setUint16(start, ZIP64_EXTRA, true); // id
  view.setUint16(start + 2, 8 * numbers.length, true); // length
  numbers.forEach((number, index) => writeUint64(view, start + 4 + 8 * index, number));
  return start + 4 + 8 * numbers.length;
}

function writeTimeExtra(view: DataView, start: number, member: Member): void {
  if (!hasTime(member)) return;
  view.setUint16(start, TIME_EXTRA, true); // id
  view.setUint16(start + 2, TIME_EXTRA_BYTES - 4, true); // length
  view.setUint8(start + 4, HAS_MTIME); // flags
  view.setInt32(start + 5, member.mtime, true); // modification time
}

/** Readers disagree about the sign of times before 1970; those from 2038 on do not fit. */
function hasTime({ mtime }: Member): boolean {
  return mtime > 0 && mtime <= LAST_SIGNED_SECOND;
}

function writeUint64(view: DataView, offset: number, value: number): void {
  view.setBigUint64(offset, BigInt(value), true);
}
