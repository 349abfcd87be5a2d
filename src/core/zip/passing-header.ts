import { SENTINEL_32 } from "./central-record.ts";
import { dosSeconds } from "./dos-seconds.ts";
import { entryName } from "./entry-name.ts";
import { entryProblem, LOCKED_FLAGS } from "./entry-problem.ts";
import { readExtraFields } from "./extra-fields.ts";
import { LINK_BYTES } from "./links.ts";
import { DESCRIPTOR_FLAG, LOCAL_HEADER_BYTES, LOCAL_SIGNATURE } from "./local-header.ts";
import type { Member } from "./member.ts";
import { uint64 } from "./uint64.ts";

export type PassingAnswer =
  /** `next` is where the following header begins, from the archive's first byte. */
  | { readonly kind: "entry"; readonly member: Member; readonly next: number }
  /** So many bytes are needed. */
  | { readonly kind: "more"; readonly bytes: number }
  /** Only the directory tells what comes here. */
  | { readonly kind: "unknown" };

const UNKNOWN: PassingAnswer = { kind: "unknown" };

/**
 * The entry whose local header begins at `offset` of an archive, as long as its directory has not come (APPNOTE 4.3.7). Nothing is
 * guessed: where the sizes follow the data (flag bit 3), or there is no such header, the directory must be waited for.
 */
export function readPassingHeader(bytes: Uint8Array, offset: number, ratio: number): PassingAnswer {
  if (bytes.byteLength < LOCAL_HEADER_BYTES) return { kind: "more", bytes: LOCAL_HEADER_BYTES };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const flags = view.getUint16(6, true);
  const fixed = {
    signature: view.getUint32(0, true),
    method: view.getUint16(8, true),
    time: view.getUint16(10, true),
    date: view.getUint16(12, true),
    crc: view.getUint32(14, true),
    compressedSize: view.getUint32(18, true),
    size: view.getUint32(22, true),
    nameLength: view.getUint16(26, true),
    extraLength: view.getUint16(28, true),
  };
  if (fixed.signature !== LOCAL_SIGNATURE || (flags & (DESCRIPTOR_FLAG | LOCKED_FLAGS)) !== 0) return UNKNOWN;
  const nameEnd = LOCAL_HEADER_BYTES + fixed.nameLength;
  const dataStart = nameEnd + fixed.extraLength;
  if (bytes.byteLength < dataStart) return { kind: "more", bytes: dataStart };
  const name = bytes.subarray(LOCAL_HEADER_BYTES, nameEnd);
  const extra = readExtraFields(bytes.subarray(nameEnd, dataStart), name);
  const sizes = sizesOf(fixed, extra.zip64);
  if (sizes === undefined) return UNKNOWN;
  const mtime = extra.mtime ?? dosSeconds(fixed.date, fixed.time);
  const nothingMore = { host: 0, externalAttributes: 0, headerOffset: offset, end: dataStart };
  const record = { ...fixed, ...sizes, ...nothingMore, flags, mtime, name, unicodePath: extra.unicodePath };
  const { path, type, mode, problem } = entryName(record);
  const next = offset + dataStart + sizes.compressedSize;
  return {
    kind: "entry",
    next,
    member: {
      path,
      type,
      mode,
      mtime,
      ...sizes,
      method: fixed.method,
      crc: fixed.crc,
      headerOffset: offset,
      limit: next,
      problem: problem ?? entryProblem(record, type === "directory", ratio),
    },
  };
}

type Sizes = Pick<Member, "size" | "compressedSize">;

/** In a local header, zip64's field has both sizes if it has any (APPNOTE 4.5.3). */
function sizesOf({ size, compressedSize }: Sizes, zip64: DataView | undefined): Sizes | undefined {
  if (size !== SENTINEL_32 && compressedSize !== SENTINEL_32) return { size, compressedSize };
  if (zip64 === undefined || zip64.byteLength < 16) return undefined;
  return { size: uint64(zip64, 0), compressedSize: uint64(zip64, 8) };
}

/** Whether a member may be a link: only the directory has its mode, and a link's content is a path. */
export function mayBeLink({ size }: Member): boolean {
  return size <= LINK_BYTES;
}
