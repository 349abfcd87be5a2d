/** Pieces one after another, in memory of their own. */
export function concatenate(pieces: readonly Uint8Array[]): Uint8Array {
  const length = pieces.reduce((sum, { byteLength }) => sum + byteLength, 0);
  const all = new Uint8Array(length);
  let position = 0;
  for (const piece of pieces) {
    all.set(piece, position);
    position += piece.byteLength;
  }
  return all;
}
