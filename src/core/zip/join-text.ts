import { concatenate } from "../concatenate.ts";
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
    if (length > 0) yield { kind: "text", bytes: joined(pieces) };
    pieces = [];
    length = 0;
    if (run.kind !== "text") yield run;
  }
  if (length > 0) yield { kind: "text", bytes: joined(pieces) };
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const [only, second] = pieces;
  return only !== undefined && second === undefined ? only : concatenate(pieces);
}
