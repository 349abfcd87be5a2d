import type { Directory, Member, Span } from "./member.ts";
import type { ZipProblem } from "./problems.ts";

/** "FZD" and the version: another for every change of the layout or of the lists below. */
const MARK = 0x01_44_5a_46;

const HEADER_BYTES = 16;

const TYPES = ["file", "directory", "symlink"] as const satisfies readonly Member["type"][];

/** By the number they are stored as. */
const PROBLEMS = [
  undefined,
  "name_malformed",
  "name_control",
  "name_backslash",
  "name_absolute",
  "name_drive",
  "name_escapes",
  "name_device",
  "entry_duplicate",
  "entry_collides",
  "entry_through_link",
  "entry_encrypted",
  "entry_method",
  "entry_lies",
  "entry_ratio",
] as const satisfies readonly (ZipProblem | undefined)[];

const UNKNOWN_MODE = 0xffff;

/** A value a member, by its position. */
type Columns = {
  readonly compressedSize: Float64Array;
  readonly size: Float64Array;
  readonly headerOffset: Float64Array;
  readonly limit: Float64Array;
  readonly mtime: Float64Array;
  readonly crc: Uint32Array;
  /** Where its path ends among the names; it begins where the one before it ends. */
  readonly pathEnd: Uint32Array;
  readonly method: Uint16Array;
  readonly mode: Uint16Array;
  readonly type: Uint8Array;
  readonly problem: Uint8Array;
  readonly names: Uint8Array;
};

const UTF8_DECODER = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const UTF8_ENCODER = new TextEncoder();

/**
 * The directory of members given in the order of the archive: its bytes, to be kept, and the questions that can be asked of
 * them. Every number is as wide as a view on memory reads it, so nothing is parsed to open them again.
 *
 * ```text
 * 0     4   mark and version
 * 4     4   count
 * 8     4   bytes of all names
 * 12    4   0
 * 16    8   a member each: compressed size, size, header offset, limit, mtime
 *       4   a member each: CRC-32, end of its path
 *       2   a member each: method, mode
 *       1   a member each: type, problem
 *           paths in UTF-8, sorted by their bytes, with nothing between them
 * ```
 */
export function compactDirectory(members: readonly Member[]): Directory {
  const { names, ends } = encodePaths(members);
  const startOf = (index: number): number => ends[index - 1] ?? 0;
  const order = Uint32Array.from(members.keys());
  order.sort((a, b) => compareParts(names, [startOf(a), ends[a]!], [startOf(b), ends[b]!]) || a - b);
  const bytes = new Uint8Array(compactBytes(members.length, names.byteLength));
  new Uint32Array(bytes.buffer, 0, 3).set([MARK, members.length, names.byteLength]);
  const columns = columnsOf(bytes, members.length, names.byteLength);
  let pathEnd = 0;
  for (const [position, index] of order.entries()) {
    const path = names.subarray(startOf(index), ends[index]);
    columns.names.set(path, pathEnd);
    pathEnd += path.byteLength;
    columns.pathEnd[position] = pathEnd;
    writeMember(columns, position, members[index]!);
  }
  return directoryOf(bytes, columns);
}

/** All paths in one piece of memory: one of its own for each would weigh more than what is in it. */
function encodePaths(members: readonly Member[]): { readonly names: Uint8Array; readonly ends: Uint32Array } {
  const most = members.reduce((sum, { path }) => sum + 3 * path.length, 0); // bytes of UTF-8 for one unit of UTF-16
  const names = new Uint8Array(most);
  const ends = new Uint32Array(members.length);
  let end = 0;
  for (const [index, { path }] of members.entries()) {
    end += UTF8_ENCODER.encodeInto(path, names.subarray(end)).written;
    ends[index] = end;
  }
  return { names: names.subarray(0, end), ends };
}

type Part = readonly [start: number, end: number];

function compareParts(bytes: Uint8Array, [start, end]: Part, [otherStart, otherEnd]: Part): number {
  const common = Math.min(end - start, otherEnd - otherStart);
  for (let index = 0; index < common; index += 1) {
    const difference = bytes[start + index]! - bytes[otherStart + index]!;
    if (difference !== 0) return difference;
  }
  return end - start - (otherEnd - otherStart);
}

/**
 * The directory that `bytes` hold, which must be those of another one, in full; `undefined` for anything else. They are not
 * copied unless they begin at an odd place in memory, so nobody may write to them any more.
 */
export function openDirectory(bytes: Uint8Array): Directory | undefined {
  if (bytes.byteLength < HEADER_BYTES) return undefined;
  const isAligned = bytes.byteOffset % Float64Array.BYTES_PER_ELEMENT === 0;
  const aligned = isAligned ? bytes : bytes.slice();
  const [mark, count = 0, nameBytes = 0] = new Uint32Array(aligned.buffer, aligned.byteOffset, 3);
  if (mark !== MARK || aligned.byteLength !== compactBytes(count, nameBytes)) return undefined;
  const columns = columnsOf(aligned, count, nameBytes);
  return isSound(columns) ? directoryOf(aligned, columns) : undefined;
}

function compactBytes(count: number, nameBytes: number): number {
  return HEADER_BYTES + count * (5 * 8 + 2 * 4 + 2 * 2 + 2) + nameBytes;
}

/** From the widest to the narrowest, so that each is aligned. */
function columnsOf(bytes: Uint8Array, count: number, nameBytes: number): Columns {
  const { buffer } = bytes;
  let at = bytes.byteOffset + HEADER_BYTES;
  const next = (width: number): number => {
    const start = at;
    at += count * width;
    return start;
  };
  return {
    compressedSize: new Float64Array(buffer, next(8), count),
    size: new Float64Array(buffer, next(8), count),
    headerOffset: new Float64Array(buffer, next(8), count),
    limit: new Float64Array(buffer, next(8), count),
    mtime: new Float64Array(buffer, next(8), count),
    crc: new Uint32Array(buffer, next(4), count),
    pathEnd: new Uint32Array(buffer, next(4), count),
    method: new Uint16Array(buffer, next(2), count),
    mode: new Uint16Array(buffer, next(2), count),
    type: new Uint8Array(buffer, next(1), count),
    problem: new Uint8Array(buffer, next(1), count),
    names: new Uint8Array(buffer, at, nameBytes),
  };
}

/** Whether all that leads somewhere leads to something. */
function isSound({ pathEnd, type, problem, names }: Columns): boolean {
  const isAscending = pathEnd.every((end, position) => position === 0 || end >= pathEnd[position - 1]!);
  return (
    isAscending &&
    (pathEnd.at(-1) ?? 0) === names.byteLength &&
    type.every((number) => number < TYPES.length) &&
    problem.every((number) => number < PROBLEMS.length)
  );
}

function writeMember(columns: Columns, position: number, member: Member): void {
  columns.compressedSize[position] = member.compressedSize;
  columns.size[position] = member.size;
  columns.headerOffset[position] = member.headerOffset;
  columns.limit[position] = member.limit;
  columns.mtime[position] = member.mtime;
  columns.crc[position] = member.crc;
  columns.method[position] = member.method;
  columns.mode[position] = member.mode ?? UNKNOWN_MODE;
  columns.type[position] = TYPES.indexOf(member.type);
  columns.problem[position] = (PROBLEMS as readonly (ZipProblem | undefined)[]).indexOf(member.problem);
}

function directoryOf(bytes: Uint8Array, columns: Columns): Directory {
  const count = columns.method.length;

  const pathAt = (position: number): Uint8Array =>
    columns.names.subarray(columns.pathEnd[position - 1] ?? 0, columns.pathEnd[position]);

  const at = (position: number): Member => {
    if (!(position in columns.method))
      throw new RangeError(`Directory of ${count} has no member ${position}`);
    const mode = columns.mode[position]!;
    return {
      path: UTF8_DECODER.decode(pathAt(position)),
      type: TYPES[columns.type[position]!]!,
      method: columns.method[position]!,
      crc: columns.crc[position]!,
      compressedSize: columns.compressedSize[position]!,
      size: columns.size[position]!,
      headerOffset: columns.headerOffset[position]!,
      limit: columns.limit[position]!,
      mode: mode === UNKNOWN_MODE ? undefined : mode,
      mtime: columns.mtime[position]!,
      problem: PROBLEMS[columns.problem[position]!],
    };
  };

  const lowerBound = (path: string): number => {
    const sought = UTF8_ENCODER.encode(path);
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareBytes(pathAt(middle), sought) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const find = (path: string): Member | undefined => {
    const position = lowerBound(path);
    const member = position < count ? at(position) : undefined;
    return member?.path === path ? member : undefined;
  };

  // "0" is the byte after "/", so what is below a directory ends where it would stand.
  const below = (path: string): Span =>
    path === ""
      ? { first: 0, end: count }
      : { first: lowerBound(path), end: lowerBound(`${path.slice(0, -1)}0`) };

  return { bytes, count, at, lowerBound, below, find };
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const common = Math.min(a.byteLength, b.byteLength);
  for (let index = 0; index < common; index += 1) {
    const difference = a[index]! - b[index]!;
    if (difference !== 0) return difference;
  }
  return a.byteLength - b.byteLength;
}
