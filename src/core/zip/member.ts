import type { ZipProblem } from "./problems.ts";

/** One entry of a zip archive, as its central directory has it (APPNOTE 4.3.12): the only truth about it. */
export type Member = {
  /** UTF-8, by `/`, without a leading `./`; that of a directory ends with `/`. */
  readonly path: string;
  readonly type: "file" | "directory" | "symlink";
  /** APPNOTE 4.4.5: 0 stored, 8 deflated, 93 Zstandard. */
  readonly method: number;
  /** CRC-32 of the content, unsigned. */
  readonly crc: number;
  readonly compressedSize: number;
  readonly size: number;
  /** Where its local header is, from the archive's first byte. */
  readonly headerOffset: number;
  /** Where the next thing in the archive begins: its data must end at or before it. */
  readonly limit: number;
  /** Permission bits (`0o777` at most), where its maker said them. */
  readonly mode: number | undefined;
  /** When it was last modified, in seconds since 1970; 0 where that is not known. */
  readonly mtime: number;
  /** Why it is not served. */
  readonly problem: ZipProblem | undefined;
};

/** Positions of a directory's order, from `first` up to, but not including, `end`. */
export type Span = { readonly first: number; readonly end: number };

/** The directory of an archive in a compact form, members in the order of their paths' UTF-8 bytes (equal ones in the archive's). */
export type Directory = {
  /** All of it, as one buffer, to be kept and opened again. */
  readonly bytes: Uint8Array;
  readonly count: number;
  /** The member at a position of the order; made anew each time. */
  at(position: number): Member;
  /** The first position whose path is not before this one; `count` where there is none. */
  lowerBound(path: string): number;
  /** What is at or below a directory, whose path ends with "/" (that of the root is empty): nothing, where there is none. */
  below(path: string): Span;
  /** The first member of that very path. */
  find(path: string): Member | undefined;
};
