import { createCipheriv } from "node:crypto";
import type { ByteRange } from "./blob-response.ts";

/** An object's bytes, read by parts, so that they need not all be in memory. */
export interface S3Content {
  readonly size: number;
  read(range: ByteRange): Iterable<Uint8Array>;
}

const CIPHER_BLOCK_BYTES = 16;
const CHUNK_BYTES = 256 * 1024;
const ZEROS = Buffer.alloc(CHUNK_BYTES);

export function bufferContent(bytes: Uint8Array): S3Content {
  return {
    size: bytes.length,
    *read({ start, end }) {
      if (end > start) yield bytes.subarray(start, end);
    },
  };
}

/** The bytes of `pseudoRandomBytes(seed, size)`, any part of them computed as it is read. */
export function generatedContent(seed: string, size: number): S3Content {
  const key = Buffer.alloc(CIPHER_BLOCK_BYTES, seed);
  return {
    size,
    *read({ start, end }) {
      const counter = Buffer.alloc(CIPHER_BLOCK_BYTES);
      counter.writeBigUInt64BE(BigInt(Math.floor(start / CIPHER_BLOCK_BYTES)), 8);
      const cipher = createCipheriv("aes-128-ctr", key, counter);
      cipher.update(ZEROS.subarray(0, start % CIPHER_BLOCK_BYTES));
      for (let offset = start; offset < end; offset += CHUNK_BYTES) {
        yield cipher.update(ZEROS.subarray(0, Math.min(CHUNK_BYTES, end - offset)));
      }
    },
  };
}

/** Contents one after the other. */
export function joinedContent(parts: readonly S3Content[]): S3Content {
  return {
    size: parts.reduce((sum, part) => sum + part.size, 0),
    *read({ start, end }) {
      let offset = 0;
      for (const part of parts) {
        const range = { start: Math.max(0, start - offset), end: Math.min(part.size, end - offset) };
        if (range.start < range.end) yield* part.read(range);
        offset += part.size;
      }
    },
  };
}

/** All of it at once. */
export function allBytes(content: S3Content): Buffer {
  return Buffer.concat([...content.read({ start: 0, end: content.size })]);
}
