import { pieces } from "../core/blocks.ts";
import type { Codec } from "../core/codec.ts";
import { Failure } from "../core/problem.ts";
import type { ByteRange } from "../core/range.ts";
import type { Member } from "../core/zip/member.ts";
import { dataRange, type ArchiveBytes } from "./archive-bytes.ts";
import { BodyRefused } from "./body-reader.ts";
import { skipping, type ExactReader } from "./exact-reader.ts";
import { holdPiece } from "./held-piece.ts";

/**
 * A member's content, unpacked from its first byte on, and only as far as it is read: what waits to be read is a few
 * pieces at most. Fails where its packed bytes cannot be had (as they do) or are not where the directory says (`entry_lies`);
 * where it is shorter, longer or another than the directory says (`entry_corrupt`), its last bytes are not given.
 */
export async function contentReader(
  codec: Codec,
  archive: ArchiveBytes,
  member: Member,
): Promise<ExactReader> {
  const { size, crc, method, path } = member;
  const range = await dataRange(archive, member);
  const unpacked = codec.unpacking(method, packedBytes(archive, range))[Symbol.asyncIterator]();
  let rest: Uint8Array = new Uint8Array(0);
  let position = 0;
  let seen = 0;

  const corrupt = (cause?: unknown) => new Failure("entry_corrupt", path, cause);

  const next = async (): Promise<boolean> => {
    try {
      const { value, done } = await unpacked.next();
      if (done === true) return false;
      rest = value;
      return true;
    } catch (error) {
      throw error instanceof Failure || error instanceof BodyRefused ? error : corrupt(error);
    }
  };

  const isAtEnd = async (): Promise<boolean> => {
    while (rest.byteLength === 0) if (!(await next())) return true;
    return false;
  };

  const read = async (bytes: number, buffer?: ArrayBufferLike): Promise<Uint8Array> => {
    const view = buffer === undefined ? new Uint8Array(bytes) : new Uint8Array(buffer, 0, bytes);
    for (let filled = 0; filled < bytes;) {
      if (await isAtEnd()) throw corrupt();
      const part = rest.subarray(0, bytes - filled);
      view.set(part, filled);
      filled += part.byteLength;
      rest = rest.subarray(part.byteLength);
    }
    seen = codec.crc32(view, seen);
    position += bytes;
    if (position === size && (seen !== crc || !(await isAtEnd()))) throw corrupt();
    return view;
  };

  return {
    read,
    skip: skipping(read),
    async end() {
      if (position !== size || seen !== crc || !(await isAtEnd())) throw corrupt();
    },
    async close() {
      await unpacked.return?.().catch(() => undefined); // it is not read any more
    },
  };
}

/** The packed bytes of a member, block by block; each is over when the next is asked for. */
async function* packedBytes(archive: ArchiveBytes, range: ByteRange): AsyncGenerator<Uint8Array> {
  const { reader, size, blockBytes, stallMs, spare } = archive;
  for (const piece of pieces(range, size, blockBytes)) {
    const held = await holdPiece(reader, piece, { stallMs, room: { spare, blockBytes } });
    try {
      yield held.bytes;
    } finally {
      held.done();
    }
  }
}
