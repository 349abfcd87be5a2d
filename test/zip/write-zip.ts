import { crc32, deflateRawSync, zstdCompressSync } from "node:zlib";

/**
 * An entry as a test wants it; all but its name may be left out. Fields of `local` and `central` are written into its two
 * headers in place of the right ones, so that a header may lie about anything; all others stay what they would have been.
 */
export type EntrySpec = {
  /** Text is written as UTF-8, with flag bit 11 where it is not ASCII; bytes are written as they are, without the bit. */
  readonly name: string | Uint8Array;
  readonly content?: string | Uint8Array;
  /** 0 stored (what it is if not given), 8 deflated, 93 Zstandard; any other number is written over stored content. */
  readonly method?: number;
  /** What stands in the archive as the data, in place of what the method makes of the content. */
  readonly packed?: Uint8Array;
  /** Added to the bits the writer sets. */
  readonly flags?: number;
  /**
   * A data descriptor of so many bytes: 12 and 20 are without the signature, 20 and 24 with sizes of 8 bytes. Sets flag
   * bit 3, and the CRC and both sizes of the local header are 0 then, as GitLab Runner writes all its files.
   */
  readonly descriptor?: 12 | 16 | 20 | 24;
  /**
   * `always` puts both sizes and the offset into the zip64 extra field; `sizes` puts them all there but leaves the offset
   * in the header as well, as Go's and GitLab Runner's writers do; else those that do not fit into 4 bytes are put there.
   */
  readonly zip64?: "always" | "sizes";
  /** All 16 bits of a Unix mode; a regular file's 0o100644 or a directory's 0o040755 if it is not given. */
  readonly mode?: number;
  /** Makes a symbolic link to this: stored content, mode 0o120777. */
  readonly link?: string;
  /** In seconds since 1970: an 0x5455 extra field in both headers. */
  readonly mtime?: number;
  /** MS-DOS date and time, one word each (APPNOTE 4.4.6); 0 if they are not given. */
  readonly dos?: readonly [date: number, time: number];
  /** Whole extra fields, as `extraField()` makes them, after those of the writer. */
  readonly extras?: readonly Uint8Array[];
  readonly localExtras?: readonly Uint8Array[];
  readonly comment?: string;
  readonly local?: Partial<LocalFields>;
  readonly central?: Partial<CentralFields>;
  /** Leaves out the local header, the data and the descriptor, or the record in the central directory. */
  readonly without?: "local" | "central";
};

export type ZipShape = {
  readonly comment?: string | Uint8Array;
  /** Bytes before the archive that its offsets do not count, as in a self-extracting archive; see `countsPrefix`. */
  readonly prefix?: Uint8Array;
  readonly countsPrefix?: boolean;
  /** This many bytes stand before what is written, and are counted, but are not written: for offsets past 4 GiB. */
  readonly hole?: number;
  /** Between the last entry and the central directory. */
  readonly gap?: Uint8Array;
  /** Between the central directory and the end records. */
  readonly gapBeforeEnd?: Uint8Array;
  /** `always`: an end record and a locator of zip64, and nothing but sentinels in the other; else where it is needed. */
  readonly zip64?: "always";
  /** Changes the central directory after it is made; the end record goes by the outcome. */
  readonly directory?: (bytes: Uint8Array) => Uint8Array;
  readonly end?: Partial<EndFields>;
  readonly end64?: Partial<EndFields64>;
  readonly locator?: Partial<LocatorFields>;
  /** After everything, and in no comment. */
  readonly suffix?: Uint8Array;
};

export type PlacedEntry = {
  /** From the archive's first byte, prefix and hole counted. */
  readonly headerOffset: number;
  readonly dataOffset: number;
  readonly packed: Uint8Array;
  readonly content: Uint8Array;
  readonly crc: number;
};

export type WrittenZip = {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** In the order of the entries. */
  readonly placed: readonly PlacedEntry[];
  /** All offsets are from the archive's first byte, prefix and hole counted. */
  readonly directoryOffset: number;
  readonly directorySize: number;
  /** Where the (classic) end record is. */
  readonly endOffset: number;
  /** Hole and bytes. */
  readonly size: number;
};

type LocalFields = Record<(typeof LOCAL)[number][0], number>;
type CentralFields = Record<(typeof CENTRAL)[number][0], number>;
type EndFields = Record<(typeof END)[number][0], number>;
type EndFields64 = Record<(typeof END_64)[number][0], number>;
type LocatorFields = Record<(typeof LOCATOR)[number][0], number>;

/** APPNOTE 4.3.7, as every table here: name of the field, bytes. */
const LOCAL = [
  ["signature", 4],
  ["versionNeeded", 2],
  ["flags", 2],
  ["method", 2],
  ["time", 2],
  ["date", 2],
  ["crc", 4],
  ["compressedSize", 4],
  ["size", 4],
  ["nameLength", 2],
  ["extraLength", 2],
] as const;

/** APPNOTE 4.3.12. */
const CENTRAL = [
  ["signature", 4],
  ["versionMadeBy", 2],
  ["versionNeeded", 2],
  ["flags", 2],
  ["method", 2],
  ["time", 2],
  ["date", 2],
  ["crc", 4],
  ["compressedSize", 4],
  ["size", 4],
  ["nameLength", 2],
  ["extraLength", 2],
  ["commentLength", 2],
  ["disk", 2],
  ["internalAttributes", 2],
  ["externalAttributes", 4],
  ["headerOffset", 4],
] as const;

/** APPNOTE 4.3.16. */
const END = [
  ["signature", 4],
  ["disk", 2],
  ["directoryDisk", 2],
  ["countOnDisk", 2],
  ["count", 2],
  ["directorySize", 4],
  ["directoryOffset", 4],
  ["commentLength", 2],
] as const;

/** APPNOTE 4.3.14. */
const END_64 = [
  ["signature", 4],
  ["recordSize", 8],
  ["versionMadeBy", 2],
  ["versionNeeded", 2],
  ["disk", 4],
  ["directoryDisk", 4],
  ["countOnDisk", 8],
  ["count", 8],
  ["directorySize", 8],
  ["directoryOffset", 8],
] as const;

/** APPNOTE 4.3.15. */
const LOCATOR = [
  ["signature", 4],
  ["endDisk", 4],
  ["endOffset", 8],
  ["disks", 4],
] as const;

const MOST_16 = 0xffff;
const MOST_32 = 0xffff_ffff;
const UNIX = 3;
const EMPTY = new Uint8Array();

/**
 * Writes a zip archive for tests, right or as wrong as asked; never for anything but tests. It checks nothing.
 *
 * ```ts
 * writeZip([{ name: "a.txt", content: "hello", method: 8 }, { name: "to-a", link: "a.txt" }]).bytes;
 * writeZip([{ name: "lie", content: "x", central: { size: 9 } }], { comment: "signed" }).bytes;
 * ```
 */
export function writeZip(entries: readonly EntrySpec[], shape: ZipShape = {}): WrittenZip {
  const prefix = shape.prefix ?? EMPTY;
  const start = shape.hole ?? 0;
  const uncounted = shape.countsPrefix === true ? 0 : prefix.byteLength;
  const pieces: Uint8Array[] = [prefix];
  let position = start + prefix.byteLength;
  const put = (...more: readonly Uint8Array[]): void => {
    for (const piece of more) {
      pieces.push(piece);
      position += piece.byteLength;
    }
  };
  const records: Uint8Array[] = [];
  const placed = entries.map((spec): PlacedEntry => {
    const entry = prepare(spec);
    const headerOffset = position;
    const header = localHeader(entry);
    if (spec.without !== "local") put(header, entry.packed, descriptor(entry));
    if (spec.without !== "central") records.push(centralRecord(entry, headerOffset - uncounted));
    const { packed, content, crc } = entry;
    return { headerOffset, dataOffset: headerOffset + header.byteLength, packed, content, crc };
  });
  put(shape.gap ?? EMPTY);
  const directoryOffset = position;
  const made = concat(records);
  const directory = shape.directory?.(made) ?? made;
  put(directory, shape.gapBeforeEnd ?? EMPTY);
  const directorySize = directory.byteLength;
  const ends = endRecords(shape, {
    count: records.length,
    directorySize,
    directoryOffset: directoryOffset - uncounted,
    position: position - uncounted,
  });
  put(ends.zip64);
  const endOffset = position;
  put(ends.classic, shape.suffix ?? EMPTY);
  return { bytes: concat(pieces), placed, directoryOffset, directorySize, endOffset, size: position };
}

/** An extra field: its header id, its size, its data (APPNOTE 4.5.1); `size` lies about the size. */
export function extraField(id: number, data: Uint8Array, size = data.byteLength): Uint8Array {
  return concat([littleEndian(2, id), littleEndian(2, size), data]);
}

/** A number in so many bytes, the lowest first; what does not fit is cut off. */
export function littleEndian(length: number, value: number): Uint8Array {
  const bytes = new Uint8Array(length);
  writeLittleEndian(bytes, 0, length, value);
  return bytes;
}

export function concat(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let position = 0;
  for (const piece of pieces) {
    all.set(piece, position);
    position += piece.byteLength;
  }
  return all;
}

type PreparedEntry = {
  readonly spec: EntrySpec;
  readonly name: Uint8Array;
  readonly content: Uint8Array;
  readonly packed: Uint8Array;
  readonly crc: number;
  readonly flags: number;
  readonly method: number;
  readonly timestamps: readonly Uint8Array[];
};

function prepare(spec: EntrySpec): PreparedEntry {
  const name = bytesOf(spec.name);
  const isMarked = typeof spec.name === "string" && name.some((byte) => byte > 0x7f);
  const content = bytesOf(spec.link ?? spec.content ?? EMPTY);
  const method = spec.method ?? 0;
  const flags = (isMarked ? 0x800 : 0) | (spec.descriptor === undefined ? 0 : 8) | (spec.flags ?? 0);
  const timestamps =
    spec.mtime === undefined
      ? []
      : [extraField(0x5455, concat([littleEndian(1, 1), littleEndian(4, spec.mtime >>> 0)]))];
  const packed = spec.packed ?? pack(method, content);
  return { spec, name, content, packed, crc: crc32(content), flags, method, timestamps };
}

function pack(method: number, content: Uint8Array): Uint8Array {
  if (method === 8) return deflateRawSync(content);
  return method === 93 ? zstdCompressSync(content) : content;
}

function localHeader({
  spec,
  name,
  packed,
  content,
  crc,
  flags,
  method,
  timestamps,
}: PreparedEntry): Uint8Array {
  const isKnown = spec.descriptor === undefined;
  const sizes = [isKnown ? content.byteLength : 0, isKnown ? packed.byteLength : 0];
  const isWide = spec.zip64 !== undefined && isKnown;
  const extra = concat([
    isWide ? extraField(1, concat(sizes.map((size) => littleEndian(8, size)))) : EMPTY,
    ...timestamps,
    ...(spec.localExtras ?? []),
  ]);
  const [size = 0, compressedSize = 0] = isWide ? [MOST_32, MOST_32] : sizes;
  const header = record(LOCAL, {
    signature: 0x04034b50,
    versionNeeded: spec.zip64 === undefined ? 20 : 45,
    flags,
    method,
    time: spec.dos?.[1] ?? 0,
    date: spec.dos?.[0] ?? 0,
    crc: isKnown ? crc : 0,
    compressedSize,
    size,
    nameLength: name.byteLength,
    extraLength: extra.byteLength,
    ...spec.local,
  });
  return concat([header, name, extra]);
}

/** APPNOTE 4.3.9. */
function descriptor({ spec, packed, content, crc }: PreparedEntry): Uint8Array {
  if (spec.descriptor === undefined) return EMPTY;
  const isSigned = spec.descriptor === 16 || spec.descriptor === 24;
  const sizeBytes = spec.descriptor >= 20 ? 8 : 4;
  return concat([
    isSigned ? littleEndian(4, 0x08074b50) : EMPTY,
    littleEndian(4, crc),
    littleEndian(sizeBytes, packed.byteLength),
    littleEndian(sizeBytes, content.byteLength),
  ]);
}

function centralRecord(entry: PreparedEntry, offset: number): Uint8Array {
  const { spec, name, packed, content, crc, flags, method, timestamps } = entry;
  const numbers = [content.byteLength, packed.byteLength, offset] as const;
  const isWide = numbers.map((value, index) => value >= MOST_32 || isForced(spec.zip64, index));
  const [size, compressedSize, headerOffset] = numbers.map((value, index) =>
    isWide[index] === true ? MOST_32 : value,
  );
  const wide = numbers.filter((_, index) => spec.zip64 === "sizes" || isWide[index]);
  const extra = concat([
    wide.length > 0 ? extraField(1, concat(wide.map((value) => littleEndian(8, value)))) : EMPTY,
    ...timestamps,
    ...(spec.extras ?? []),
  ]);
  const comment = bytesOf(spec.comment ?? EMPTY);
  const header = record(CENTRAL, {
    signature: 0x02014b50,
    versionMadeBy: (UNIX << 8) | 45,
    versionNeeded: wide.length > 0 ? 45 : 20,
    flags,
    method,
    time: spec.dos?.[1] ?? 0,
    date: spec.dos?.[0] ?? 0,
    crc,
    compressedSize,
    size,
    nameLength: name.byteLength,
    extraLength: extra.byteLength,
    commentLength: comment.byteLength,
    disk: 0,
    internalAttributes: 0,
    externalAttributes: (modeOf(spec, name) << 16) >>> 0,
    headerOffset,
    ...spec.central,
  });
  return concat([header, name, extra, comment]);
}

const OFFSET_INDEX = 2;

function isForced(zip64: EntrySpec["zip64"], index: number): boolean {
  return zip64 === "always" || (zip64 === "sizes" && index !== OFFSET_INDEX);
}

function modeOf(spec: EntrySpec, name: Uint8Array): number {
  if (spec.mode !== undefined) return spec.mode;
  if (spec.link !== undefined) return 0o120777;
  return name.at(-1) === 0x2f ? 0o040755 : 0o100644;
}

type EndNumbers = {
  readonly count: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
  /** Where the end records begin, as the archive counts. */
  readonly position: number;
};

function endRecords(shape: ZipShape, numbers: EndNumbers): { zip64: Uint8Array; classic: Uint8Array } {
  const { count, directorySize, directoryOffset, position } = numbers;
  const isForced64 = shape.zip64 === "always";
  const needs64 = isForced64 || count >= MOST_16 || directorySize >= MOST_32 || directoryOffset >= MOST_32;
  const comment = bytesOf(shape.comment ?? EMPTY);
  const classicCount = isForced64 ? MOST_16 : Math.min(count, MOST_16);
  const classic = record(END, {
    signature: 0x06054b50,
    disk: 0,
    directoryDisk: 0,
    countOnDisk: classicCount,
    count: classicCount,
    directorySize: isForced64 ? MOST_32 : Math.min(directorySize, MOST_32),
    directoryOffset: isForced64 ? MOST_32 : Math.min(directoryOffset, MOST_32),
    commentLength: comment.byteLength,
    ...shape.end,
  });
  const end64 = record(END_64, {
    signature: 0x06064b50,
    recordSize: 44,
    versionMadeBy: (UNIX << 8) | 45,
    versionNeeded: 45,
    disk: 0,
    directoryDisk: 0,
    countOnDisk: count,
    count,
    directorySize,
    directoryOffset,
    ...shape.end64,
  });
  const locator = record(LOCATOR, {
    signature: 0x07064b50,
    endDisk: 0,
    endOffset: position,
    disks: 1,
    ...shape.locator,
  });
  return { zip64: needs64 ? concat([end64, locator]) : EMPTY, classic: concat([classic, comment]) };
}

function record<Name extends string>(
  layout: readonly (readonly [Name, number])[],
  fields: Partial<Record<NoInfer<Name>, number | undefined>>,
): Uint8Array {
  const bytes = new Uint8Array(layout.reduce((sum, [, length]) => sum + length, 0));
  let at = 0;
  for (const [name, length] of layout) {
    writeLittleEndian(bytes, at, length, fields[name] ?? 0);
    at += length;
  }
  return bytes;
}

function writeLittleEndian(bytes: Uint8Array, at: number, length: number, value: number): void {
  let rest = value;
  for (let index = 0; index < length; index += 1) {
    bytes[at + index] = rest % 256;
    rest = Math.floor(rest / 256);
  }
}

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === "string" ? new TextEncoder().encode(text) : text;
}
