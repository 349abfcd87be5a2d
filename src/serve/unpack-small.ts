import type { Codec } from "../core/codec.ts";
import { Failure } from "../core/problem.ts";
import type { Member } from "../core/zip/member.ts";

/** The content of a member that is small enough to be unpacked at once; fails (`entry_corrupt`) unless it is just what the directory says. */
export function unpackSmall(
  codec: Codec,
  { method, size, crc, path }: Member,
  packed: Uint8Array,
): Uint8Array {
  const content = tryUnpack(codec, method, packed, size);
  if (content?.byteLength !== size || codec.crc32(content, 0) !== crc)
    throw new Failure("entry_corrupt", path);
  return content;
}

function tryUnpack(codec: Codec, method: number, packed: Uint8Array, size: number): Uint8Array | undefined {
  try {
    return codec.unpack(method, packed, size);
  } catch {
    return undefined; // zlib says in many ways that it is not what it should be
  }
}
