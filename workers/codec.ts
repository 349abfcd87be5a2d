import { createZstdDecompress, crc32, inflateRawSync, zstdDecompressSync } from "node:zlib";
import { Readable, Writable } from "node:stream";
import { DEFLATED, ZSTANDARD, type Codec, type Unpacking } from "../src/core/codec.ts";

/** workerd compares the room it has taken with the most that may come out, and it takes more than it needs. */
const ROOM_BYTES = 64 * 1024;

/** Unpacks natively: with the platform's own streams where it has them, else with zlib as Node has it. */
export const codec: Codec = {
  crc32: (bytes, before) => crc32(bytes, before),
  async sha256(...parts) {
    const stream = new crypto.DigestStream("SHA-256");
    const writer = stream.getWriter();
    for (const part of parts) await writer.write(part);
    await writer.close();
    return Array.from(new Uint8Array(await stream.digest), (byte) => byte.toString(16).padStart(2, "0")).join(
      "",
    );
  },
  unpack(method, packed, size) {
    const options = { maxOutputLength: 2 * size + ROOM_BYTES };
    if (method === DEFLATED) return inflateRawSync(packed, options);
    if (method === ZSTANDARD) return zstdDecompressSync(packed, options);
    return packed;
  },
  unpacking(method) {
    if (method === DEFLATED) return new DecompressionStream("deflate-raw");
    return method === ZSTANDARD ? zstandard() : new IdentityTransformStream();
  },
};

/** Node's stream, with a native one behind it that can be read into buffers. */
function zstandard(): Unpacking {
  const unpacking = createZstdDecompress();
  const { readable, writable } = new IdentityTransformStream();
  const unpacked = Readable.toWeb(unpacking) as unknown as ReadableStream<Uint8Array>;
  void unpacked.pipeTo(writable).catch(() => undefined); // the reader sees it fail
  return { writable: Writable.toWeb(unpacking), readable };
}
