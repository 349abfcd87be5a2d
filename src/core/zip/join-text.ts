import type { Run } from "./runs.ts";

/** Text is sent on as soon as there is so much of it. */
const PIECE_BYTES = 16 * 1024;

/**
 * The same bytes in fewer runs: texts that follow one another become one, of some 16 KiB where there are enough of them.
 * A header each would cost whoever executes the runs a write each, and all of them in one would have to be held.
 */
export function* joinText(runs: Iterable<Run>): Generator<Run> {
  let pieces: Uint8Array[] = [];
  let length = 0;
  for (const run of runs) {
    if (run.kind === "text") {
      pieces.push(run.bytes);
      length += run.bytes.byteLength;
      if (length < PIECE_BYTES) continue;
    }
    if (length > 0) yield { kind: "text", bytes: concatenate(pieces, length) };
    pieces = [];
    length = 0;
    if (run.kind !== "text") yield run;
  }
  if (length > 0) yield { kind: "text", bytes: concatenate(pieces, length) };
}

function concatenate(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces[0]?.byteLength === length) return pieces[0];
  const joined = new Uint8Array(length);
  let position = 0;
  for (const piece of pieces) {
    joined.set(piece, position);
    position += piece.byteLength;
  }
  return joined;
}
