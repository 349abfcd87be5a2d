import type { ArchiveTarget, Inside, Target } from "../core/target.ts";

/** What is asked for inside of an archive. */
export type InsideTarget = ArchiveTarget & { readonly inside: Inside };

export function isInside(target: Target): target is InsideTarget {
  return target.lane !== "raw" && target.lane !== "pipelines" && target.inside !== undefined;
}
