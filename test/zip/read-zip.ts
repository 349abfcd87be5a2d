import { type DirectoryAnswer, readDirectory, type ZipLimits } from "../../src/core/zip/central-directory.ts";
import { findEndRecord } from "../../src/core/zip/end-record.ts";
import type { Directory } from "../../src/core/zip/member.ts";

export const LIMITS: ZipLimits = { entries: 1000, ratio: 1000, links: 100 };

/** What the library makes of a whole archive, which it is given as it asks for it. */
export function readZip(bytes: Uint8Array, limits: ZipLimits = LIMITS): DirectoryAnswer {
  let end = findEndRecord(bytes.subarray(-22), bytes.byteLength);
  for (let questions = 0; end.kind === "more" && questions < 3; questions += 1) {
    end = findEndRecord(bytes.subarray(end.from), bytes.byteLength);
  }
  if (end.kind === "more") throw new Error(`Tail is not enough from ${end.from} on`);
  if (end.kind === "problem") return end;
  const { directoryOffset, directorySize } = end;
  return readDirectory(bytes.subarray(directoryOffset, directoryOffset + directorySize), end, limits);
}

/** The directory of an archive that is read without a problem of the whole. */
export function directoryIn(bytes: Uint8Array, limits: ZipLimits = LIMITS): Directory {
  const answer = readZip(bytes, limits);
  if (answer.kind === "problem") throw new Error(`Archive cannot be read: ${answer.problem}`);
  return answer.directory;
}
