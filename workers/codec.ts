import { createInflateRaw, createZstdDecompress, crc32, inflateRawSync, zstdDecompressSync } from "node:zlib";
import { DEFLATED, ZSTANDARD, type Codec } from "../src/core/codec.ts";
import { toHex } from "./hex.ts";

/** workerd compares the room it has taken with the most that may come out, and it takes more than it needs. */
const ROOM_BYTES = 64 * 1024;
/** Content that is unpacked as it flows comes in pieces of this size; as much may wait to be taken. */
const PIECE_BYTES = 256 * 1024;

/**
 * Unpacks with zlib as Node has it. The platform's own `DecompressionStream` is as fast, but it takes whatever it is given and
 * keeps all that comes of it in memory until it is read.
 */
export const codec: Codec = {
  crc32: (bytes, before) => crc32(bytes, before),
  async sha256(...parts) {
    const [only, second] = parts;
    if (only !== undefined && second === undefined) return toHex(await crypto.subtle.digest("SHA-256", only));
    const stream = new crypto.DigestStream("SHA-256");
    const writer = stream.getWriter();
    for (const part of parts) await writer.write(part);
    await writer.close();
    return toHex(await stream.digest);
  },
  unpack(method, packed, size) {
    const options = { maxOutputLength: 2 * size + ROOM_BYTES };
    if (method === DEFLATED) return inflateRawSync(packed, options);
    if (method === ZSTANDARD) return zstdDecompressSync(packed, options);
    return packed;
  },
  unpacking(method, packed) {
    const options = { chunkSize: PIECE_BYTES, readableHighWaterMark: PIECE_BYTES };
    if (method === DEFLATED) return through(packed, createInflateRaw(options));
    return method === ZSTANDARD ? through(packed, createZstdDecompress(options)) : packed;
  },
};

type Unpacker = ReturnType<typeof createInflateRaw> | ReturnType<typeof createZstdDecompress>;

/** What comes out of an unpacker while it is fed; it takes the next piece when it is done with the last. */
async function* through(packed: AsyncIterable<Uint8Array>, unpacker: Unpacker): AsyncGenerator<Uint8Array> {
  const feeding = feed(packed, unpacker);
  try {
    for await (const piece of unpacker) yield piece as Uint8Array;
  } finally {
    unpacker.destroy();
    await feeding;
  }
}

async function feed(packed: AsyncIterable<Uint8Array>, unpacker: Unpacker): Promise<void> {
  try {
    for await (const piece of packed) {
      await write(unpacker, piece);
      if (unpacker.destroyed) return; // nobody takes any more
    }
    unpacker.end();
  } catch (error) {
    unpacker.destroy(error instanceof Error ? error : new Error("Nothing to unpack", { cause: error }));
  }
}

/** Settles when a piece has been unpacked, and so all but the last of what comes of it been taken. */
function write(unpacker: Unpacker, piece: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    unpacker.once("close", resolve);
    unpacker.write(piece, (error) => {
      unpacker.off("close", resolve);
      if (error === null || error === undefined) resolve();
      else reject(error);
    });
  });
}
