import { utf8Length } from "./utf8-length.ts";

/** What tar says of a file, directory or symbolic link; only a file has a size, and only a link a target. */
export type TarEntry = {
  readonly path: string;
  readonly type: "file" | "directory" | "symlink";
  readonly mode: number;
  readonly size: number;
  /** Whole seconds since 1970. */
  readonly mtime: number;
  readonly target: string;
};

/** Everything in an archive starts at a multiple of this. */
const BLOCK_BYTES = 512;

/** Two blocks of zeros end an archive (POSIX.1-2017 pax, "ustar Interchange Format"). */
export const TAR_END_BYTES = 2 * BLOCK_BYTES;

const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
/** 11 octal digits, before the NUL: 8 GiB less one, or the year 2242. */
const MAX_OCTAL = 8 ** 11 - 1;

const TYPE_FLAGS = { file: "0", symlink: "2", directory: "5", extended: "x" } as const;

/** What POSIX leaves out of ustar's character set, readers take in different ways. */
const PLAIN = /^[ -~]*$/;

const ZERO = 0x30;
const BLANK = 0x20;

const encoder = new TextEncoder();

/** How many zeros follow so many bytes, up to where the next block starts. */
export function tarPadding(size: number): number {
  return (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
}

/** How long the headers of an entry will be, without making them. */
export function tarHeadLength(entry: TarEntry): number {
  const records = extendedRecords(entry);
  if (records.length === 0) return BLOCK_BYTES;
  const length = records.reduce((sum, [keyword, value]) => sum + recordLength(keyword, value), 0);
  return BLOCK_BYTES + length + tarPadding(length) + BLOCK_BYTES;
}

/**
 * What stands before an entry's content: its header block (POSIX.1-2017 pax, "ustar Interchange Format"), and before that an
 * extended header ("pax Extended Header") with whatever does not fit into it: names that are too long or not ASCII, sizes
 * from 8 GiB on, times before 1970.
 */
export function tarHead(entry: TarEntry): Uint8Array {
  const head = new Uint8Array(tarHeadLength(entry));
  const header = head.byteLength - BLOCK_BYTES;
  if (header > 0) {
    const records = extendedRecords(entry).map(([keyword, value]) => record(keyword, value));
    const { written } = encoder.encodeInto(records.join(""), head.subarray(BLOCK_BYTES, header));
    const name = { prefix: "", name: "PaxHeader" };
    writeBlock(head.subarray(0, BLOCK_BYTES), name, { ...EXTENDED, size: written });
  }
  // Where an extended header has the whole path, readers ignore as much of it as there is room for here.
  writeBlock(head.subarray(header), splitPath(entry.path) ?? { prefix: "", name: entry.path }, entry);
  return head;
}

const EXTENDED = { type: "extended", mode: 0o644, mtime: 0, target: "" } as const;

type BlockFields = Omit<TarEntry, "path" | "type"> & { readonly type: keyof typeof TYPE_FLAGS };

function writeBlock(block: Uint8Array, { prefix, name }: SplitPath, fields: BlockFields): void {
  writeText(block, 0, NAME_BYTES, name); // name
  writeOctal(block, 100, 8, fields.mode); // mode
  writeOctal(block, 108, 8, 0); // uid
  writeOctal(block, 116, 8, 0); // gid
  writeOctal(block, 124, 12, fieldNumber(fields.size)); // size
  writeOctal(block, 136, 12, fieldNumber(fields.mtime)); // mtime
  block.fill(BLANK, 148, 156); // chksum, which counts as blanks in itself
  writeText(block, 156, 1, TYPE_FLAGS[fields.type]); // typeflag
  writeText(block, 157, NAME_BYTES, fields.target); // linkname
  writeText(block, 257, 6, "ustar\0"); // magic
  writeText(block, 263, 2, "00"); // version
  // uname and gname, 32 bytes each from 265 on, stay empty
  writeOctal(block, 329, 8, 0); // devmajor
  writeOctal(block, 337, 8, 0); // devminor
  writeText(block, 345, PREFIX_BYTES, prefix); // prefix
  writeOctal(block, 148, 7, checksum(block)); // chksum: six digits, a NUL, a blank
  block[154] = 0;
}

/** Characters that do not fit are left out whole. */
function writeText(block: Uint8Array, offset: number, length: number, text: string): void {
  if (text !== "") encoder.encodeInto(text, block.subarray(offset, offset + length));
}

/** Digits up to the last byte, which stays as it is; one by one, as encoding so many short texts takes most of the time. */
function writeOctal(block: Uint8Array, offset: number, length: number, value: number): void {
  let rest = value;
  for (let at = offset + length - 2; at >= offset; at -= 1) {
    block[at] = ZERO + (rest % 8);
    rest = Math.floor(rest / 8);
  }
}

function checksum(block: Uint8Array): number {
  let sum = 0;
  for (const byte of block) sum += byte;
  return sum;
}

function fits(value: number): boolean {
  return value >= 0 && value <= MAX_OCTAL;
}

/** Readers take the extended header's number where there is one, and this one is 0. */
function fieldNumber(value: number): number {
  return fits(value) ? value : 0;
}

type SplitPath = { readonly prefix: string; readonly name: string };

/** A path as the two fields have it, between which a reader puts a slash; `undefined` where it does not fit into them. */
function splitPath(path: string): SplitPath | undefined {
  if (!PLAIN.test(path)) return undefined;
  if (path.length <= NAME_BYTES) return { prefix: "", name: path };
  // The slash at the end of a directory's path is not to leave the name empty.
  const slash = path.lastIndexOf("/", Math.min(PREFIX_BYTES, path.length - 2));
  const name = path.slice(slash + 1);
  return slash > 0 && name.length <= NAME_BYTES ? { prefix: path.slice(0, slash), name } : undefined;
}

type ExtendedRecord = readonly [keyword: string, value: string];

function extendedRecords({ path, target, size, mtime }: TarEntry): readonly ExtendedRecord[] {
  const records: ExtendedRecord[] = [];
  if (splitPath(path) === undefined) records.push(["path", path]);
  if (target.length > NAME_BYTES || !PLAIN.test(target)) records.push(["linkpath", target]);
  if (!fits(size)) records.push(["size", String(size)]);
  if (!fits(mtime)) records.push(["mtime", String(mtime)]);
  return records;
}

function record(keyword: string, value: string): string {
  return `${recordLength(keyword, value)} ${keyword}=${value}\n`;
}

/** The decimal number a record starts with counts the whole record in bytes, itself included. */
function recordLength(keyword: string, value: string): number {
  const others = ` ${keyword}=\n`.length + utf8Length(value);
  const digits = String(others).length;
  const length = others + digits;
  return String(length).length === digits ? length : length + 1;
}
