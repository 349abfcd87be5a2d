import { pieces } from "../core/blocks.ts";
import { Failure } from "../core/problem.ts";
import type { ByteRange } from "../core/range.ts";
import { LOCAL_HEADER_BYTES, readLocalHeader } from "../core/zip/local-header.ts";
import type { Member } from "../core/zip/member.ts";
import { holdPiece } from "./held-piece.ts";
import { bodyKey } from "./keys.ts";
import { spareBlocks, type SpareBlocks } from "./spare-memory.ts";
import { bodyReader, type BodyReader, type BodySource } from "./body-reader.ts";
import { stallMsOf } from "./stall.ts";

/** An archive that bytes are taken from here and there. */
export type ArchiveBytes = {
  readonly key: string;
  readonly reader: BodyReader;
  readonly size: number;
  readonly blockBytes: number;
  readonly stallMs: number;
  readonly spare: SpareBlocks;
  close(): void;
};

export function archiveBytes(source: BodySource): ArchiveBytes {
  const reader = bodyReader(source);
  const { ports } = source.visit.isolate;
  const { BLOCK_BYTES } = ports.config.limits;
  const stallMs = stallMsOf(ports);
  const key = bodyKey(source.visit, source.entry);
  const spare = spareBlocks(source.visit.isolate.spare, key);
  return {
    key,
    reader,
    size: source.entry.size,
    blockBytes: BLOCK_BYTES,
    stallMs,
    spare,
    close: () => reader.close(),
  };
}

/** Reads with an archive's bytes, and lets go of them. */
export async function withArchiveBytes<T>(
  source: BodySource,
  read: (archive: ArchiveBytes) => Promise<T>,
): Promise<T> {
  const archive = archiveBytes(source);
  try {
    return await read(archive);
  } finally {
    archive.close();
  }
}

/** The bytes of a range, to be held in memory; `ahead` is the end of what will be read next, so that it is asked for at once. */
export async function readRange(
  { reader, size, blockBytes, stallMs }: ArchiveBytes,
  range: ByteRange,
  ahead = range.end,
): Promise<Uint8Array> {
  const bytes = new Uint8Array(range.end - range.start);
  let position = 0;
  for (const piece of pieces(range, size, blockBytes)) {
    const wanted = { ...piece, rangeEnd: Math.max(ahead, piece.rangeEnd) };
    const held = await holdPiece(reader, wanted, { stallMs, room: undefined });
    bytes.set(held.bytes, position);
    held.done();
    position += held.bytes.byteLength;
  }
  if (position !== bytes.byteLength) throw new Failure("origin_changed");
  return bytes;
}

/** What a local header is thought to have beside its fixed part, at first: names and extra fields are rarely longer. */
const VARIABLE_BYTES = 512;

/**
 * Where a member's data is in its archive; its local header is read for nothing else. `wanted` is what of the data will be read
 * next: it is asked for along with the header, where it is near. Fails with the member's own problem.
 */
export async function dataRange(
  archive: ArchiveBytes,
  member: Member,
  wanted: ByteRange = { start: 0, end: member.compressedSize },
): Promise<ByteRange> {
  const { headerOffset, compressedSize, limit } = member;
  const isNear = wanted.start < archive.blockBytes;
  const end = isNear
    ? Math.min(limit, headerOffset + LOCAL_HEADER_BYTES + VARIABLE_BYTES + wanted.end)
    : undefined;
  let length = Math.min(limit - headerOffset, LOCAL_HEADER_BYTES + VARIABLE_BYTES);
  for (;;) {
    const header = await readRange(archive, { start: headerOffset, end: headerOffset + length }, end);
    const answer = readLocalHeader(header, member);
    if (answer.kind === "problem") throw new Failure(answer.problem, member.path);
    if (answer.kind === "data") {
      const start = headerOffset + answer.offset;
      return { start, end: start + compressedSize };
    }
    if (answer.bytes <= length || headerOffset + answer.bytes > limit)
      throw new Failure("entry_lies", member.path);
    length = answer.bytes;
  }
}

/** A member's packed bytes, few enough to be held in memory, in one read with its local header. */
export async function readPacked(archive: ArchiveBytes, member: Member): Promise<Uint8Array> {
  const { headerOffset, compressedSize, limit } = member;
  const end = Math.min(limit, headerOffset + LOCAL_HEADER_BYTES + VARIABLE_BYTES + compressedSize);
  const bytes = await readRange(archive, { start: headerOffset, end });
  const answer = readLocalHeader(bytes, member);
  if (answer.kind === "problem") throw new Failure(answer.problem, member.path);
  const dataEnd = answer.kind === "data" ? answer.offset + compressedSize : Infinity;
  if (answer.kind === "data" && dataEnd <= bytes.byteLength) return bytes.subarray(answer.offset, dataEnd);
  return await readRange(archive, await dataRange(archive, member));
}
