/**
 * Memory of whole blocks to read into again: allocating anew for each would outrun the garbage collector. It goes back to the
 * body that it had before, so that even one who looked at it too long would see no other body's bytes.
 */
export type SpareMemory = {
  /** Room for a block of a body; `undefined` where there is none to spare, and it is to be allocated. */
  take(bodyKey: string): ArrayBufferLike | undefined;
  /** Gives memory back that nobody looks at any more. */
  give(bodyKey: string, buffer: ArrayBufferLike): void;
};

/** Spare memory for blocks of `blockBytes`, so many at most; what was given longest ago makes room. */
export function spareMemory(blockBytes: number, mostBlocks: number): SpareMemory {
  const spare: { readonly bodyKey: string; readonly buffer: ArrayBufferLike }[] = [];
  return {
    take(bodyKey) {
      const last = spare.findLastIndex((each) => each.bodyKey === bodyKey);
      return last === -1 ? undefined : spare.splice(last, 1)[0]?.buffer;
    },
    give(bodyKey, buffer) {
      if (buffer.byteLength !== blockBytes) return;
      spare.push({ bodyKey, buffer });
      if (spare.length > mostBlocks) spare.shift();
    },
  };
}

/** The same for one body. */
export type SpareBlocks = {
  take(): ArrayBufferLike | undefined;
  give(buffer: ArrayBufferLike): void;
};

export function spareBlocks(spare: SpareMemory, bodyKey: string): SpareBlocks {
  return {
    take: () => spare.take(bodyKey),
    give: (buffer) => spare.give(bodyKey, buffer),
  };
}
