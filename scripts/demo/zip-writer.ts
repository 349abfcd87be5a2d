import { crc32, deflateRawSync } from "node:zlib";

/** What goes into an archive; the path of a directory ends with `/`, and a symbolic link's content is its target. */
export interface ZipMember {
  readonly path: string;
  /** File type and permissions, as of stat(2). */
  readonly mode: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  readonly content: Uint8Array;
  readonly method: "stored" | "deflated";
}

/** A member with its content packed; it can be written into several archives. */
export interface PackedMember extends ZipMember {
  readonly packed: Uint8Array;
  readonly crc: number;
}

export const DIRECTORY_MODE = 0o040755;
export const FILE_MODE = 0o100644;
export const PROGRAM_MODE = 0o100755;
export const LINK_MODE = 0o120777;

const FILE_TYPE = 0o170000;
const REGULAR_FILE = 0o100000;
const LOCAL_BYTES = 30;
const DESCRIPTOR_BYTES = 16;
const CENTRAL_BYTES = 46;
const END_BYTES = 22;
const VERSION = 20;
const UNIX_VERSION = (3 << 8) | VERSION;
const HAS_DESCRIPTOR = 0x0008;
const NAME_IS_UTF8 = 0x0800;
const DOS_DIRECTORY = 0x10;
const DEFLATE_LEVEL = 1;

/** Packs a member's content; what does not get smaller is stored, whatever was asked for. */
export function packMember(member: ZipMember): PackedMember {
  const { content } = member;
  const crc = crc32(content);
  const deflated = member.method === "deflated" ? deflateRawSync(content, { level: DEFLATE_LEVEL }) : content;
  return deflated.length < content.length
    ? { ...member, packed: deflated, crc }
    : { ...member, method: "stored", packed: content, crc };
}

/**
 * A zip archive as GitLab Runner writes it: regular files have sizes of zero in their local headers and a descriptor behind their
 * data, be they empty or stored; times and owners are in extra fields, some of them twice; and the order is that of the members.
 */
export function writeZip(members: readonly PackedMember[]): Uint8Array {
  const parts: Uint8Array[] = [];
  const directory: Uint8Array[] = [];
  let offset = 0;
  for (const member of members) {
    directory.push(centralHeader(member, offset));
    const local = [localHeader(member), member.packed, ...(isStreamed(member) ? [descriptor(member)] : [])];
    parts.push(...local);
    offset += lengthOf(local);
  }
  return Buffer.concat([...parts, ...directory, endRecord(members.length, lengthOf(directory), offset)]);
}

/** Only regular files are compressed while they are written. */
function isStreamed({ mode }: ZipMember): boolean {
  return (mode & FILE_TYPE) === REGULAR_FILE;
}

function localHeader(member: PackedMember): Buffer {
  const [name, extra] = [Buffer.from(member.path), extraOf(member)];
  const header = Buffer.alloc(LOCAL_BYTES);
  const streamed = isStreamed(member);
  header.writeUInt32LE(0x04034b50, 0); //                                    0 signature
  header.writeUInt16LE(VERSION, 4); //                                       4 version needed
  header.writeUInt16LE(flagsOf(member), 6); //                               6 flags
  header.writeUInt16LE(methodOf(member), 8); //                              8 method
  header.writeUInt32LE(dosTime(member.mtime), 10); //                       10 time and date
  header.writeUInt32LE(streamed ? 0 : member.crc, 14); //                   14 crc-32
  header.writeUInt32LE(streamed ? 0 : member.packed.length, 18); //         18 compressed size
  header.writeUInt32LE(streamed ? 0 : member.content.length, 22); //        22 size
  header.writeUInt16LE(name.length, 26); //                                 26 name length
  header.writeUInt16LE(extra.length, 28); //                                28 extra length
  return Buffer.concat([header, name, extra]);
}

function descriptor({ crc, packed, content }: PackedMember): Buffer {
  const record = Buffer.alloc(DESCRIPTOR_BYTES);
  record.writeUInt32LE(0x08074b50, 0); //      0 signature
  record.writeUInt32LE(crc, 4); //             4 crc-32
  record.writeUInt32LE(packed.length, 8); //   8 compressed size
  record.writeUInt32LE(content.length, 12); // 12 size
  return record;
}

function centralHeader(member: PackedMember, offset: number): Buffer {
  const [name, extra] = [Buffer.from(member.path), extraOf(member)];
  const header = Buffer.alloc(CENTRAL_BYTES);
  const dosAttributes = member.path.endsWith("/") ? DOS_DIRECTORY : 0;
  header.writeUInt32LE(0x02014b50, 0); //                                    0 signature
  header.writeUInt16LE(UNIX_VERSION, 4); //                                  4 version made by
  header.writeUInt16LE(VERSION, 6); //                                       6 version needed
  header.writeUInt16LE(flagsOf(member), 8); //                               8 flags
  header.writeUInt16LE(methodOf(member), 10); //                            10 method
  header.writeUInt32LE(dosTime(member.mtime), 12); //                       12 time and date
  header.writeUInt32LE(member.crc, 16); //                                  16 crc-32
  header.writeUInt32LE(member.packed.length, 20); //                        20 compressed size
  header.writeUInt32LE(member.content.length, 24); //                       24 size
  header.writeUInt16LE(name.length, 28); //                                 28 name length
  header.writeUInt16LE(extra.length, 30); //                                30 extra length
  header.writeUInt16LE(dosAttributes, 38); //                               38 external attributes of MS-DOS,
  header.writeUInt16LE(member.mode, 40); //                                 40 and of Unix
  header.writeUInt32LE(offset, 42); //                                      42 offset of the local header
  return Buffer.concat([header, name, extra]);
}

function endRecord(count: number, size: number, offset: number): Buffer {
  const record = Buffer.alloc(END_BYTES);
  record.writeUInt32LE(0x06054b50, 0); //  0 signature
  record.writeUInt16LE(count, 8); //       8 entries on this disk
  record.writeUInt16LE(count, 10); //     10 entries
  record.writeUInt32LE(size, 12); //      12 size of the directory
  record.writeUInt32LE(offset, 16); //    16 offset of the directory
  return record;
}

function flagsOf(member: PackedMember): number {
  const isAscii = /^[ -~]*$/.test(member.path);
  return (isStreamed(member) ? HAS_DESCRIPTOR : 0) | (isAscii ? 0 : NAME_IS_UTF8);
}

function methodOf({ method }: PackedMember): number {
  return method === "deflated" ? 8 : 0;
}

/** The owner (0x7875) and, once from the archiver and once from the zip library beneath it, the time (0x5455). */
function extraOf({ mtime }: ZipMember): Buffer {
  const time = Buffer.alloc(9);
  time.writeUInt16LE(0x5455, 0);
  time.writeUInt16LE(5, 2);
  time.writeUInt8(1, 4); // only the time of the last change follows
  time.writeUInt32LE(mtime, 5);
  const owner = Buffer.alloc(15);
  owner.writeUInt16LE(0x7875, 0);
  owner.writeUInt16LE(11, 2);
  owner.writeUInt8(1, 4); // version
  owner.writeUInt8(4, 5); // a user id of four bytes, root's
  owner.writeUInt8(4, 10); // and a group id
  return Buffer.concat([time, owner, time]);
}

/** Half seconds, minutes and hours in the lower half, days, months and years since 1980 in the upper; UTC. */
function dosTime(seconds: number): number {
  const at = new Date(seconds * 1000);
  const time = (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1);
  const date = ((at.getUTCFullYear() - 1980) << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate();
  return date * 0x10000 + time;
}

function lengthOf(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
