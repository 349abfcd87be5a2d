import { createCipheriv } from "node:crypto";

const CHUNK_BYTES = 1024 * 1024;

/** `size` bytes that no compression shrinks and that are the same in every run: the AES-CTR key stream of `seed`. */
export function* pseudoRandomBytes(seed: string, size: number): Generator<Uint8Array, void> {
  const key = Buffer.alloc(16, seed);
  const cipher = createCipheriv("aes-128-ctr", key, Buffer.alloc(16));
  const zeros = Buffer.alloc(CHUNK_BYTES);
  for (let offset = 0; offset < size; offset += CHUNK_BYTES) {
    yield cipher.update(zeros.subarray(0, Math.min(CHUNK_BYTES, size - offset)));
  }
}
