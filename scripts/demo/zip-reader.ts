import { Readable } from "node:stream";
import { createInflateRaw } from "node:zlib";
import { readWhole } from "./artifact-bytes.ts";
import type { ArtifactBytes } from "./artifact-bytes.ts";

/** A member of an archive, as the central directory has it. */
export interface ZipEntry {
  readonly name: string;
  readonly method: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly headerOffset: number;
  /** What it is and who may use it, as of stat(2); 0 where the maker was no Unix. */
  readonly mode: number;
}

const END_BYTES = 22;
const LONGEST_COMMENT_BYTES = 0xffff;
const END_SIGNATURE = 0x06054b50;
const ZIP64_LOCATOR_BYTES = 20;
const ZIP64_LOCATOR_SIGNATURE = 0x07064b50;
const ZIP64_END_BYTES = 56;
const ZIP64_END_SIGNATURE = 0x06064b50;
const ZIP64_EXTRA_ID = 0x0001;
const CENTRAL_BYTES = 46;
const CENTRAL_SIGNATURE = 0x02014b50;
const LOCAL_BYTES = 30;
const LOCAL_SIGNATURE = 0x04034b50;
const MAX_UINT32 = 0xffffffff;
const UNIX = 3;

/** Reads the directory of a zip archive anew, in the archive's order (APPNOTE 4.3.12); what is no zip archive is an error. */
export async function readZipDirectory(bytes: ArtifactBytes): Promise<ZipEntry[]> {
  const { start, end } = await findDirectory(bytes);
  const directory = await readWhole(bytes, { start, end });
  const entries: ZipEntry[] = [];
  for (let at = 0; at + CENTRAL_BYTES <= directory.length;) {
    if (directory.readUInt32LE(at) !== CENTRAL_SIGNATURE)
      throw new Error("Cannot read the archive's directory");
    const nameEnd = at + CENTRAL_BYTES + directory.readUInt16LE(at + 28); //  28 file name length
    const extraEnd = nameEnd + directory.readUInt16LE(at + 30); //            30 extra field length
    entries.push(readEntry(directory.subarray(at, extraEnd), nameEnd - at));
    at = extraEnd + directory.readUInt16LE(at + 32); //                       32 file comment length
  }
  return entries;
}

/** The unpacked bytes of an entry; undefined where it is packed in a way that is not known. */
export async function openZipEntry(bytes: ArtifactBytes, entry: ZipEntry): Promise<Readable | undefined> {
  const { headerOffset, compressedSize, method } = entry;
  const header = await readWhole(bytes, { start: headerOffset, end: headerOffset + LOCAL_BYTES });
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL_SIGNATURE)
    throw new Error(`Cannot find ${entry.name} in the archive`);
  const start = headerOffset + LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
  const packed = Readable.from(bytes.read({ start, end: start + compressedSize }));
  if (method === 0) return packed;
  if (method !== 8) return undefined;
  const unpacked = createInflateRaw();
  packed.once("error", (error) => unpacked.destroy(error));
  unpacked.once("close", () => packed.destroy());
  return packed.pipe(unpacked);
}

async function findDirectory(bytes: ArtifactBytes): Promise<{ start: number; end: number }> {
  const tailStart = Math.max(0, bytes.size - END_BYTES - LONGEST_COMMENT_BYTES - ZIP64_LOCATOR_BYTES);
  const tail = await readWhole(bytes, { start: tailStart, end: bytes.size });
  let at = tail.length - END_BYTES;
  while (at >= 0 && tail.readUInt32LE(at) !== END_SIGNATURE) at--;
  if (at < 0) throw new Error("Cannot read the archive: it is no zip file");
  const size = tail.readUInt32LE(at + 12); //   12 size of the central directory
  const start = tail.readUInt32LE(at + 16); //  16 offset of the central directory
  const locator = at - ZIP64_LOCATOR_BYTES;
  if (locator < 0 || tail.readUInt32LE(locator) !== ZIP64_LOCATOR_SIGNATURE)
    return { start, end: start + size };
  return findZip64Directory(bytes, Number(tail.readBigUInt64LE(locator + 8)));
}

async function findZip64Directory(bytes: ArtifactBytes, at: number): Promise<{ start: number; end: number }> {
  const record = await readWhole(bytes, { start: at, end: at + ZIP64_END_BYTES });
  if (record.length < ZIP64_END_BYTES || record.readUInt32LE(0) !== ZIP64_END_SIGNATURE)
    throw new Error("Cannot read the archive: its zip64 end record is missing");
  const size = Number(record.readBigUInt64LE(40));
  const start = Number(record.readBigUInt64LE(48));
  return { start, end: start + size };
}

function readEntry(record: Buffer, nameEnd: number): ZipEntry {
  const isUnix = record.readUInt8(5) === UNIX; //  4 version made by, whose upper byte is the system
  return {
    name: record.subarray(CENTRAL_BYTES, nameEnd).toString(),
    method: record.readUInt16LE(10),
    mode: isUnix ? record.readUInt16LE(40) : 0, // 38 external attributes, whose upper half is the mode
    ...readSizes(record, record.subarray(nameEnd)),
  };
}

/** The zip64 extra has, in this order, those of the three numbers that did not fit (APPNOTE 4.5.3). */
function readSizes(
  record: Buffer,
  extra: Buffer,
): Pick<ZipEntry, "size" | "compressedSize" | "headerOffset"> {
  const wide = findExtra(extra, ZIP64_EXTRA_ID);
  let at = 0;
  const read = (offset: number) => {
    const number = record.readUInt32LE(offset);
    if (number !== MAX_UINT32 || wide === undefined || at + 8 > wide.length) return number;
    at += 8;
    return Number(wide.readBigUInt64LE(at - 8));
  };
  const size = read(24);
  const compressedSize = read(20);
  return { size, compressedSize, headerOffset: read(42) };
}

function findExtra(extra: Buffer, id: number): Buffer | undefined {
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, end);
    at = end;
  }
  return undefined;
}
