import { linkTarget, type Links } from "./links.ts";
import type { Directory, Member, Span } from "./member.ts";

/** The members of a directory that something is made anew of. */
export type SelectedMembers = {
  readonly directory: Directory;
  /** Where they are in its order; they themselves are in that of the archive, so that it is read from front to back. */
  readonly positions: Uint32Array;
  /** The text of each link among them. */
  readonly links: Links;
  /** How many more there are below the path, but not to be had. */
  readonly omitted: number;
};

/**
 * The members that a path stands for: a file or a link is itself, a directory (with or without a slash at its end) is that
 * and all below it, and an empty path everything. What has a problem, and links that lead out of the archive or whose text
 * is not among `links`, are left out and counted.
 *
 * Nothing selected and nothing omitted means that the archive has no such path.
 */
export function select(directory: Directory, path: string, links: Links): SelectedMembers {
  const { first, end } = span(directory, path);
  const kept = new Uint32Array(end - first);
  const offsets = new Float64Array(end - first);
  let count = 0;
  for (let position = first; position < end; position += 1) {
    const member = directory.at(position);
    if (!isServed(member, links)) continue;
    kept[count] = position;
    offsets[position - first] = member.headerOffset;
    count += 1;
  }
  const offset = (position: number): number => offsets[position - first] ?? 0;
  const positions = kept.subarray(0, count).toSorted((a, b) => offset(a) - offset(b));
  return { directory, positions, links, omitted: end - first - count };
}

function span(directory: Directory, path: string): Span {
  if (path === "" || path.endsWith("/")) return directory.below(path);
  const first = directory.lowerBound(path);
  const isMember = first < directory.count && directory.at(first).path === path;
  return isMember ? { first, end: first + 1 } : directory.below(`${path}/`);
}

function isServed(member: Member, links: Links): boolean {
  if (member.problem !== undefined) return false;
  if (member.type !== "symlink") return true;
  const text = links.get(member.path);
  return text !== undefined && linkTarget(member.path, text).kind === "inside";
}
