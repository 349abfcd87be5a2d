import { SENTINEL_32 } from "./central-record.ts";
import { LOCKED_FLAGS } from "./entry-problem.ts";
import type { Member } from "./member.ts";

/** The local header without name and extra field (APPNOTE 4.3.7). */
export const LOCAL_HEADER_BYTES = 30;

export type LocalHeaderAnswer =
  /** Where the data begins, from the header's first byte. */
  | { readonly kind: "data"; readonly offset: number }
  /** So many bytes are needed. */
  | { readonly kind: "more"; readonly bytes: number }
  | { readonly kind: "problem"; readonly problem: "entry_lies" | "entry_encrypted" };

/** What a local header begins with. */
export const LOCAL_SIGNATURE = 0x04034b50;
/** The flag bit that says that CRC and sizes follow the data (APPNOTE 4.4.4). */
export const DESCRIPTOR_FLAG = 1 << 3;

/**
 * Where a member's data begins, if its local header at the start of `bytes` does not contradict the directory
 * (APPNOTE 4.3.7): method, CRC and sizes are the same, and the data ends at or before the member's limit.
 *
 * With a data descriptor to follow (flag bit 3), CRC and sizes may be 0; where zip64 has them, they may be its sentinel.
 */
export function readLocalHeader(bytes: Uint8Array, member: Member): LocalHeaderAnswer {
  if (bytes.byteLength < LOCAL_HEADER_BYTES) return { kind: "more", bytes: LOCAL_HEADER_BYTES };
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const signature = view.getUint32(0, true);
  const flags = view.getUint16(6, true);
  const method = view.getUint16(8, true);
  const crc = view.getUint32(14, true);
  const compressedSize = view.getUint32(18, true);
  const size = view.getUint32(22, true);
  const nameLength = view.getUint16(26, true);
  const extraLength = view.getUint16(28, true);

  if (signature !== LOCAL_SIGNATURE) return { kind: "problem", problem: "entry_lies" };
  if ((flags & LOCKED_FLAGS) !== 0) return { kind: "problem", problem: "entry_encrypted" };
  const offset = LOCAL_HEADER_BYTES + nameLength + extraLength;
  const isLater = (flags & DESCRIPTOR_FLAG) !== 0;
  const agrees =
    method === member.method &&
    (crc === member.crc || (isLater && crc === 0)) &&
    isSize(compressedSize, member.compressedSize, isLater) &&
    isSize(size, member.size, isLater) &&
    member.headerOffset + offset + member.compressedSize <= member.limit;
  return agrees ? { kind: "data", offset } : { kind: "problem", problem: "entry_lies" };
}

function isSize(local: number, known: number, isLater: boolean): boolean {
  return local === known || local === SENTINEL_32 || (isLater && local === 0);
}
