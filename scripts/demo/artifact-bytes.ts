import { createReadStream, statSync } from "node:fs";
import type { ByteRange } from "./blob-response.ts";

/** The bytes of an artifact, read by parts, so that they need not be in memory. */
export interface ArtifactBytes {
  readonly size: number;
  /** When they were written, in milliseconds since 1970; full seconds. */
  readonly lastModified: number;
  read(range: ByteRange): AsyncIterable<Uint8Array>;
}

/** Where an artifact's bytes come from: memory, or a file on disk. */
export type ArtifactSource = Uint8Array | { readonly path: string };

const CHUNK_BYTES = 256 * 1024;

/** Opens a source; without `lastModified` a file has its own time, and bytes have this moment. */
export function openArtifact(source: ArtifactSource, lastModified?: number): ArtifactBytes {
  return source instanceof Uint8Array
    ? inMemory(source, lastModified ?? Date.now())
    : onDisk(source.path, lastModified);
}

/** A part of an artifact at once; for the small parts that describe the others. */
export async function readWhole(bytes: ArtifactBytes, range: ByteRange): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes.read(range)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

function inMemory(bytes: Uint8Array, lastModified: number): ArtifactBytes {
  return {
    size: bytes.length,
    lastModified: fullSeconds(lastModified),
    // oxlint-disable-next-line typescript/require-await -- a file's bytes do come later
    async *read({ start, end }) {
      for (let offset = start; offset < end; offset += CHUNK_BYTES)
        yield bytes.subarray(offset, Math.min(end, offset + CHUNK_BYTES));
    },
  };
}

function onDisk(path: string, lastModified: number | undefined): ArtifactBytes {
  const { size, mtimeMs } = statSync(path);
  return {
    size,
    lastModified: fullSeconds(lastModified ?? mtimeMs),
    async *read({ start, end }) {
      // The end of a read stream is inclusive, so that an empty part cannot be said.
      if (end > start) yield* createReadStream(path, { start, end: end - 1, highWaterMark: CHUNK_BYTES });
    },
  };
}

function fullSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / 1000) * 1000;
}
