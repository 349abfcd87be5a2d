import { open } from "node:fs/promises";
import { type Run, runLength } from "../../src/core/zip/runs.ts";

/**
 * Writes runs of members that are in no archive: what is given for the path of one stands for all its bytes, and those of any
 * other are zeros, which are left to the file system, so that archives of any size take a moment and little room.
 */
export async function writeSparse(
  path: string,
  runs: Iterable<Run>,
  contents: Readonly<Record<string, string>>,
): Promise<void> {
  const file = await open(path, "w");
  try {
    let position = 0;
    for (const run of runs) {
      const bytes = run.kind === "text" ? run.bytes : Buffer.from(contents[run.member.path] ?? "");
      await file.write(bytes, 0, bytes.byteLength, position);
      position += runLength(run);
    }
    await file.truncate(position);
  } finally {
    await file.close();
  }
}
