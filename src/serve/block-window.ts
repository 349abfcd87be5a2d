import type { Piece } from "../core/blocks.ts";
import { archiveBytes, type ArchiveBytes } from "./archive-bytes.ts";
import type { BodyReader, BodySource, Chunk } from "./body-reader.ts";
import { holdPiece, type HeldPiece } from "./held-piece.ts";

/** How many blocks are held: the one that is read, the next one, and one that may still be written. */
const HELD_BLOCKS = 3;

/** The same archive, to take many small pieces in a row from. */
export function windowedArchive(source: BodySource): ArchiveBytes {
  const bytes = archiveBytes(source);
  const reader = blockWindow(bytes);
  return { ...bytes, reader, close: () => reader.close() };
}

/** A reader for many small pieces in a row: the blocks they lie in are held whole, instead of looked up for each. */
export function blockWindow({ reader, stallMs, blockBytes, spare }: ArchiveBytes): BodyReader {
  const held = new Map<number, Promise<HeldPiece>>();

  const hold = (piece: Piece): Promise<HeldPiece> => {
    const known = held.get(piece.index);
    if (known !== undefined) {
      held.delete(piece.index); // what was looked at last is let go of last
      held.set(piece.index, known);
      return known;
    }
    const whole = { ...piece, start: 0, end: piece.length };
    const block = holdPiece(reader, whole, { stallMs, room: { spare, blockBytes } });
    block.catch(() => held.delete(piece.index)); // whoever awaits it sees it fail
    held.set(piece.index, block);
    for (const [index, old] of held) {
      if (held.size <= HELD_BLOCKS) break;
      held.delete(index);
      void letGo(old);
    }
    return block;
  };

  return {
    async piece(piece): Promise<Chunk> {
      const isWhole = piece.start === 0 && piece.end === piece.length;
      if (isWhole && !held.has(piece.index)) return await reader.piece(piece);
      const { bytes } = await hold(piece);
      return { kind: "bytes", bytes: bytes.subarray(piece.start, piece.end), done: () => undefined };
    },
    forget: (piece) => reader.forget(piece),
    close() {
      for (const block of held.values()) void letGo(block);
      held.clear();
      reader.close();
    },
  };
}

async function letGo(block: Promise<HeldPiece>): Promise<void> {
  const loaded = await block.catch(() => undefined);
  loaded?.done();
}
