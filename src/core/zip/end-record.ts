import type { ZipProblem } from "./problems.ts";
import { uint64 } from "./uint64.ts";

/** Where an archive's central directory is, and of what. */
export type EndRecord = {
  /** From the archive's first byte. */
  readonly directoryOffset: number;
  readonly directorySize: number;
  readonly count: number;
  /** How many bytes were put before the archive after it was made: what its own offsets leave out. */
  readonly shift: number;
};

export type EndAnswer =
  | ({ readonly kind: "end" } & EndRecord)
  /** The tail is to begin at `from`, which is before it does now. */
  | { readonly kind: "more"; readonly from: number }
  | { readonly kind: "problem"; readonly problem: ZipProblem };

const END_BYTES = 22;
const MOST_COMMENT_BYTES = 0xffff;
const LOCATOR_BYTES = 20;
const END_64_BYTES = 56;
const CENTRAL_RECORD_BYTES = 46;

/** A tail of so many bytes is enough, but for a zip64 end record with an extensible data sector. */
export const TAIL_BYTES = END_BYTES + MOST_COMMENT_BYTES + LOCATOR_BYTES + END_64_BYTES;

/** With its extensible data sector. Nothing is known to write one; more is not worth reading. */
const MOST_END_64_BYTES = 1024 * 1024;

const END_SIGNATURE = 0x06054b50;
const LOCATOR_SIGNATURE = 0x07064b50;
const END_64_SIGNATURE = 0x06064b50;

/** What the two kinds of end record say alike. */
type Ends = Record<keyof typeof SENTINELS, number>;

/** What the classic record says where only the one of zip64 knows (APPNOTE 4.4.1.4). */
const SENTINELS = {
  disk: 0xffff,
  directoryDisk: 0xffff,
  countOnDisk: 0xffff,
  count: 0xffff,
  directorySize: 0xffff_ffff,
  directoryOffset: 0xffff_ffff,
} as const;

/**
 * Where the central directory of an archive of `size` bytes is, going by `tail`, its last bytes (APPNOTE 4.3.14 to 4.3.16).
 *
 * - An end record's comment reaches exactly to the archive's end. Of several such, one in the comment of another, the last
 *   counts. Without any, the last counts whose comment ends before: what is put into a pipe may be padded. None at all:
 *   `archive_not_zip`.
 * - A zip64 locator before it always counts. The record it leads to must say the same as the classic one wherever that
 *   has no sentinel. A sentinel without a locator is a number like any other.
 * - The directory ends where the end records begin; what its stated offset is short of that was put before the archive.
 * - More than one disk: `archive_spanned`. Numbers that cannot be, and zip64 records that are not there: `archive_broken`.
 */
export function findEndRecord(tail: Uint8Array, size: number): EndAnswer {
  const view = new DataView(tail.buffer, tail.byteOffset, tail.byteLength);
  const tailOffset = size - tail.byteLength;
  const at = lastEndRecord(view);
  const isCut = tailOffset > 0 && (at ?? 0) < LOCATOR_BYTES + END_64_BYTES;
  if (isCut && tail.byteLength < TAIL_BYTES) return { kind: "more", from: Math.max(size - TAIL_BYTES, 0) };
  if (at === undefined) return problem("archive_not_zip");
  const ends = readEnds(view, at);
  const locatorAt = at - LOCATOR_BYTES;
  const isZip64 = locatorAt >= 0 && view.getUint32(locatorAt, true) === LOCATOR_SIGNATURE;
  return isZip64 ? followLocator(view, tailOffset, locatorAt, ends) : endAnswer(ends, tailOffset + at);
}

function problem(name: ZipProblem): EndAnswer {
  return { kind: "problem", problem: name };
}

function lastEndRecord(view: DataView): number | undefined {
  const last = view.byteLength - END_BYTES;
  const first = Math.max(last - MOST_COMMENT_BYTES, 0);
  let padded: number | undefined;
  for (let at = last; at >= first; at -= 1) {
    if (view.getUint32(at, true) !== END_SIGNATURE) continue;
    const commentBytes = view.getUint16(at + 20, true);
    if (commentBytes === last - at) return at;
    if (commentBytes < last - at) padded ??= at;
  }
  return padded;
}

/** APPNOTE 4.3.16. */
function readEnds(view: DataView, at: number): Ends {
  return {
    disk: view.getUint16(at + 4, true),
    directoryDisk: view.getUint16(at + 6, true),
    countOnDisk: view.getUint16(at + 8, true),
    count: view.getUint16(at + 10, true),
    directorySize: view.getUint32(at + 12, true),
    directoryOffset: view.getUint32(at + 16, true),
  };
}

/** APPNOTE 4.3.14; `undefined` where there is no such record of that many bytes. */
function readEnds64(view: DataView, at: number, bytes: number): Ends | undefined {
  if (at < 0 || view.getUint32(at, true) !== END_64_SIGNATURE) return undefined;
  if (uint64(view, at + 4) !== bytes - 12) return undefined; // size of the record, without signature and itself
  return {
    disk: view.getUint32(at + 16, true),
    directoryDisk: view.getUint32(at + 20, true),
    countOnDisk: uint64(view, at + 24),
    count: uint64(view, at + 32),
    directorySize: uint64(view, at + 40),
    directoryOffset: uint64(view, at + 48),
  };
}

/** APPNOTE 4.3.15: a record directly before the locator is it, however many bytes were put before the archive. */
function followLocator(view: DataView, tailOffset: number, locatorAt: number, classic: Ends): EndAnswer {
  const endDisk = view.getUint32(locatorAt + 4, true);
  const statedOffset = uint64(view, locatorAt + 8);
  const disks = view.getUint32(locatorAt + 16, true);
  if (endDisk !== 0 || disks > 1) return problem("archive_spanned");
  const nearAt = locatorAt - END_64_BYTES;
  const near = readEnds64(view, nearAt, END_64_BYTES);
  if (near !== undefined) return endAnswer64(classic, near, tailOffset + nearAt, statedOffset);
  const bytes = tailOffset + locatorAt - statedOffset;
  if (bytes < END_64_BYTES || bytes > MOST_END_64_BYTES) return problem("archive_broken");
  if (statedOffset < tailOffset) return { kind: "more", from: statedOffset };
  const far = readEnds64(view, statedOffset - tailOffset, bytes);
  return far === undefined
    ? problem("archive_broken")
    : endAnswer64(classic, far, statedOffset, statedOffset);
}

function endAnswer64(classic: Ends, wide: Ends, offset: number, statedOffset: number): EndAnswer {
  const names = Object.keys(SENTINELS) as (keyof Ends)[];
  const agrees = names.every((name) => classic[name] === SENTINELS[name] || classic[name] === wide[name]);
  if (!agrees) return problem("archive_broken");
  const answer = endAnswer(wide, offset);
  const isMisplaced = answer.kind === "end" && answer.shift !== offset - statedOffset;
  return isMisplaced ? problem("archive_broken") : answer;
}

function endAnswer(ends: Ends, directoryEnd: number): EndAnswer {
  const { directorySize, directoryOffset, count } = ends;
  if (ends.disk !== 0 || ends.directoryDisk !== 0 || ends.countOnDisk !== count)
    return problem("archive_spanned");
  const shift = directoryEnd - directorySize - directoryOffset;
  if (shift < 0 || count * CENTRAL_RECORD_BYTES > directorySize) return problem("archive_broken");
  return { kind: "end", directoryOffset: directoryOffset + shift, directorySize, count, shift };
}
