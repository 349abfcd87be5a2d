import { dosSeconds } from "./dos-seconds.ts";
import { type ExtraFields, readExtraFields } from "./extra-fields.ts";
import { uint64 } from "./uint64.ts";

/** One record of a central directory, with its zip64 numbers in place (APPNOTE 4.3.12). */
export type CentralRecord = {
  /** Who made it, and so what its external attributes mean (APPNOTE 4.4.2). */
  readonly host: number;
  readonly flags: number;
  readonly method: number;
  readonly mtime: number;
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  readonly externalAttributes: number;
  /** As the record has it. */
  readonly headerOffset: number;
  readonly name: Uint8Array;
  readonly unicodePath: Uint8Array | undefined;
  /** Where the next record begins. */
  readonly end: number;
};

type Wide = Pick<CentralRecord, "size" | "compressedSize" | "headerOffset"> & { readonly disk: number };

const SIGNATURE = 0x02014b50;
const FIXED_BYTES = 46;
const SENTINEL_16 = 0xffff;
/** What a size or an offset of four bytes is where zip64's extra field has it (APPNOTE 4.4.1.4). */
export const SENTINEL_32 = 0xffff_ffff;

/** The record at a position of the central directory, or why it is none. */
export function readCentralRecord(
  bytes: Uint8Array,
  view: DataView,
  at: number,
): CentralRecord | "archive_broken" | "archive_spanned" {
  const nameStart = at + FIXED_BYTES;
  if (nameStart > view.byteLength || view.getUint32(at, true) !== SIGNATURE) return "archive_broken";
  const fixed = readFixed(view, at);
  const extraStart = nameStart + fixed.nameLength;
  const commentStart = extraStart + fixed.extraLength;
  const end = commentStart + fixed.commentLength;
  if (end > view.byteLength) return "archive_broken";
  const name = bytes.subarray(nameStart, extraStart);
  const extra = readExtraFields(bytes.subarray(extraStart, commentStart), name);
  const wide = widen(fixed, extra.zip64);
  if (wide === undefined) return "archive_broken";
  if (wide.disk !== 0) return "archive_spanned";
  const mtime = extra.mtime ?? dosSeconds(fixed.date, fixed.time);
  return { ...fixed, ...wide, mtime, name, unicodePath: extra.unicodePath, end };
}

function readFixed(view: DataView, at: number) {
  return {
    host: view.getUint8(at + 5), // upper byte of "version made by"
    flags: view.getUint16(at + 8, true),
    method: view.getUint16(at + 10, true),
    time: view.getUint16(at + 12, true),
    date: view.getUint16(at + 14, true),
    crc: view.getUint32(at + 16, true),
    compressedSize: view.getUint32(at + 20, true),
    size: view.getUint32(at + 24, true),
    nameLength: view.getUint16(at + 28, true),
    extraLength: view.getUint16(at + 30, true),
    commentLength: view.getUint16(at + 32, true),
    disk: view.getUint16(at + 34, true),
    externalAttributes: view.getUint32(at + 38, true),
    headerOffset: view.getUint32(at + 42, true),
  };
}

/**
 * The numbers of a record, those that are sentinels taken from its zip64 field: they stand there in this order, each only
 * if its sentinel is set (APPNOTE 4.5.3). Go's writer adds an offset that has none; it is last, and so not in the way.
 */
function widen(fixed: Wide, zip64: ExtraFields["zip64"]): Wide | undefined {
  let at = 0;
  let isShort = false;
  const take = (narrow: number, sentinel: number, bytes: 4 | 8): number => {
    if (narrow !== sentinel) return narrow;
    const start = at;
    at += bytes;
    if (zip64 !== undefined && at <= zip64.byteLength) {
      return bytes === 8 ? uint64(zip64, start) : zip64.getUint32(start, true);
    }
    isShort = true;
    return narrow;
  };
  const size = take(fixed.size, SENTINEL_32, 8);
  const compressedSize = take(fixed.compressedSize, SENTINEL_32, 8);
  const headerOffset = take(fixed.headerOffset, SENTINEL_32, 8);
  const disk = take(fixed.disk, SENTINEL_16, 4);
  return isShort ? undefined : { size, compressedSize, headerOffset, disk };
}
