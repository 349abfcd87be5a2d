import type { Member } from "./member.ts";
import type { Run } from "./runs.ts";

/** No name, no time, no operating system (RFC 1952 §2.3). */
const HEADER = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff);
const TRAILER_BYTES = 8;

/** What gzip's framing adds. */
export const GZIP_BYTES = HEADER.byteLength + TRAILER_BYTES;

/** A deflated member as a gzip file: the very bytes of the archive between a header and what the directory says of them (RFC 1952 §2.2). */
export function gzipRuns(member: Member): readonly Run[] {
  const trailer = new Uint8Array(TRAILER_BYTES);
  const fields = new DataView(trailer.buffer);
  fields.setUint32(0, member.crc, true); // CRC32
  fields.setUint32(4, member.size % 2 ** 32, true); // ISIZE
  return [
    { kind: "text", bytes: HEADER },
    { kind: "raw", member, from: 0, until: member.compressedSize },
    { kind: "text", bytes: trailer },
  ];
}
