import type { Directory } from "../core/zip/member.ts";
import type { ZipProblem } from "../core/zip/problems.ts";

/** What is remembered of an archive: its directory, or why it has none that can be used. */
export type KnownDirectory =
  | { readonly kind: "directory"; readonly directory: Directory; readonly stamp: string }
  | { readonly kind: "problem"; readonly problem: ZipProblem };
