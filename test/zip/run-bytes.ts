import { inflateRawSync, zstdDecompressSync } from "node:zlib";
import type { Member } from "../../src/core/zip/member.ts";
import { type Run, runLength } from "../../src/core/zip/runs.ts";

/** The bytes of runs over an archive, in memory and without a doubt about anything: for tests. */
export function runBytes(archive: Uint8Array, runs: Iterable<Run>): Buffer {
  return Buffer.concat(Array.from(runs, (run) => bytesOf(archive, run)));
}

/** How many bytes runs are, without making any. */
export function lengthOf(runs: Iterable<Run>): number {
  let length = 0;
  for (const run of runs) length += runLength(run);
  return length;
}

function bytesOf(archive: Uint8Array, run: Run): Uint8Array {
  if (run.kind === "text") return run.bytes;
  const packed = packedBytes(archive, run.member);
  const bytes = run.kind === "raw" ? packed : unpack(packed, run.member.method);
  if (run.from >= run.until || run.until > bytes.byteLength) {
    throw new RangeError(`Cannot take ${run.from} to ${run.until} of ${run.member.path}`);
  }
  return bytes.subarray(run.from, run.until);
}

function packedBytes(archive: Uint8Array, { headerOffset, compressedSize }: Member): Uint8Array {
  const view = new DataView(archive.buffer, archive.byteOffset + headerOffset);
  const start = headerOffset + 30 + view.getUint16(26, true) + view.getUint16(28, true);
  return archive.subarray(start, start + compressedSize);
}

function unpack(packed: Uint8Array, method: number): Uint8Array {
  if (method === 0) return packed;
  return method === 93 ? zstdDecompressSync(packed) : inflateRawSync(packed);
}
