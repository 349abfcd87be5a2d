import type { ByteRange } from "../range.ts";
import type { Member } from "./member.ts";

/** A run of bytes that something made from an archive consists of; `from` and `until` count from the first byte of what they are a part of. */
export type Run =
  | { readonly kind: "text"; readonly bytes: Uint8Array }
  /** A member's bytes as they are in the archive, compressed or not. */
  | { readonly kind: "raw"; readonly member: Member; readonly from: number; readonly until: number }
  /** A member's content, unpacked. */
  | { readonly kind: "content"; readonly member: Member; readonly from: number; readonly until: number };

export function runLength(run: Run): number {
  return run.kind === "text" ? run.bytes.byteLength : run.until - run.from;
}

/** The part of a sequence of runs that a range of all their bytes covers; empty runs are left out. */
export function* sliceRuns(runs: Iterable<Run>, { start, end }: ByteRange): Generator<Run> {
  let position = 0;
  for (const run of runs) {
    const length = runLength(run);
    const from = Math.max(start - position, 0);
    const until = Math.min(end - position, length);
    if (from < until) yield sliceRun(run, from, until);
    position += length;
    if (position >= end) return;
  }
}

function sliceRun(run: Run, from: number, until: number): Run {
  if (run.kind === "text") return { kind: "text", bytes: run.bytes.subarray(from, until) };
  return { ...run, from: run.from + from, until: run.from + until };
}
