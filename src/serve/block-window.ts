import type { Piece } from "../core/blocks.ts";
import type { BodyReader, Chunk } from "./body-reader.ts";

/** How many blocks are held: the one that is read, the next one, and one that may still be written. */
const HELD_BLOCKS = 3;

/** A reader for many small pieces in a row: the blocks they lie in are held whole, instead of looked up for each. */
export function blockWindow(reader: BodyReader): BodyReader {
  const held = new Map<number, Promise<HeldBlock>>();

  const hold = (piece: Piece): Promise<HeldBlock> => {
    const known = held.get(piece.index);
    if (known !== undefined) return known;
    const block = reader.piece({ ...piece, start: 0, end: piece.length }).then(inMemory);
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
    close() {
      for (const block of held.values()) void letGo(block);
      held.clear();
      reader.close();
    },
  };
}

type HeldBlock = { readonly bytes: Uint8Array; readonly done: () => void };

async function inMemory(chunk: Chunk): Promise<HeldBlock> {
  if (chunk.kind === "bytes") return chunk;
  return { bytes: new Uint8Array(await new Response(chunk.stream).arrayBuffer()), done: () => undefined };
}

async function letGo(block: Promise<HeldBlock>): Promise<void> {
  const loaded = await block.catch(() => undefined);
  loaded?.done();
}
