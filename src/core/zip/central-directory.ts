import { type CentralRecord, readCentralRecord } from "./central-record.ts";
import { compactDirectory } from "./compact-directory.ts";
import type { EndRecord } from "./end-record.ts";
import { entryName } from "./entry-name.ts";
import { entryProblem } from "./entry-problem.ts";
import { extentLimits } from "./extents.ts";
import type { Directory, Member } from "./member.ts";
import { nameClashes } from "./name-clashes.ts";
import type { ZipProblem } from "./problems.ts";

/** How much of an archive is put up with. */
export type ZipLimits = {
  readonly entries: number;
  /** How many times its packed size a member may have. */
  readonly ratio: number;
  /** Symbolic links. */
  readonly links: number;
};

export type DirectoryAnswer =
  | { readonly kind: "directory"; readonly directory: Directory }
  | { readonly kind: "problem"; readonly problem: ZipProblem };

/**
 * What is in an archive, read from the bytes of its central directory, all of them (APPNOTE 4.3.12).
 *
 * What makes the archive as a whole doubtful is a problem of it: records that are cut off, too many, too few, or of another
 * archive's disk, entries that share bytes or reach into the directory, and numbers past the limits. What makes one entry
 * doubtful is that member's problem, and the others are served: first what its name says, then how it stands to other
 * names, then its content. The archive's root is left out.
 */
export function readDirectory(bytes: Uint8Array, end: EndRecord, limits: ZipLimits): DirectoryAnswer {
  if (end.count > limits.entries) return { kind: "problem", problem: "archive_too_many_entries" };
  const drafts = readDrafts(bytes, end, limits.ratio);
  if (typeof drafts === "string") return { kind: "problem", problem: drafts };
  const ends = extentLimits(drafts, end.directoryOffset);
  if (typeof ends === "string") return { kind: "problem", problem: ends };
  const links = drafts.reduce((count, { type }) => count + (type === "symlink" ? 1 : 0), 0);
  if (links > limits.links) return { kind: "problem", problem: "archive_too_many_links" };
  const clashes = nameClashes(drafts);
  for (const [index, draft] of drafts.entries()) {
    draft.limit = ends[index]!;
    draft.problem ??= clashes[index] ?? draft.contentProblem;
  }
  return { kind: "directory", directory: compactDirectory(drafts.filter(({ isRoot }) => !isRoot)) };
}

/** A member before it is known how it stands to others. It is finished in place, as there may be a great many. */
type Draft = { -readonly [Field in keyof Member]: Member[Field] } & {
  readonly nameLength: number;
  readonly isRoot: boolean;
  /** `problem` is that of the name alone, as yet. */
  readonly contentProblem: ZipProblem | undefined;
};

function readDrafts(
  bytes: Uint8Array,
  end: EndRecord,
  ratio: number,
): Draft[] | "archive_broken" | "archive_spanned" {
  if (bytes.byteLength !== end.directorySize) return "archive_broken";
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const drafts: Draft[] = [];
  let at = 0;
  while (drafts.length < end.count) {
    const record = readCentralRecord(bytes, view, at);
    if (typeof record === "string") return record;
    drafts.push(draftOf(record, end.shift, ratio));
    at = record.end;
  }
  return at === bytes.byteLength ? drafts : "archive_broken";
}

function draftOf(record: CentralRecord, shift: number, ratio: number): Draft {
  const { method, crc, compressedSize, size, mtime, headerOffset, name } = record;
  const { path, type, mode, problem, isRoot } = entryName(record);
  const contentProblem = entryProblem(record, type === "directory", ratio);
  const known = {
    path,
    type,
    method,
    crc,
    compressedSize,
    size,
    mode,
    mtime,
    problem,
    contentProblem,
    isRoot,
  };
  return { ...known, headerOffset: headerOffset + shift, limit: 0, nameLength: name.byteLength };
}
