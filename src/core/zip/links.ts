import type { Directory, Member } from "./member.ts";
import { pathProblem } from "./path-problem.ts";
import type { ZipProblem } from "./problems.ts";

/** The text of each symbolic link that is served, by its path. */
export type Links = ReadonlyMap<string, string>;

/** A link whose text is longer is not followed: no system takes one (`PATH_MAX` of Linux). */
export const LINK_BYTES = 4096;

/** Linux allows 40; who builds an archive needs two or three. */
const MAX_HOPS = 8;

/** Where a link leads to: a path without a slash at its end, empty for the root of the archive; or why it leads nowhere. */
export type LinkTarget =
  | { readonly kind: "inside"; readonly path: string }
  | { readonly kind: "problem"; readonly problem: ZipProblem };

/** What is at the end of a link; the path of a directory, which may have no entry, ends with "/", and that of the root is empty. */
export type Followed =
  | { readonly kind: "member"; readonly member: Member }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "problem"; readonly problem: ZipProblem };

/** The segments that lead nowhere or up, at the beginning of a link's text. */
const DOTS = /^(?:\.\.?(?:\/|$))*/;

/**
 * The path in the archive that a link of this path and text leads to, so that nobody who unpacks the archive, in whatever
 * order, can be led out of it.
 *
 * The text has `..` only at its beginning, and no more of them than the link is deep. Entries are never below links, so what
 * is above a link are directories, and each of those `..` is what it seems. A `..` after a name would not be: where the name
 * is a link itself, it leads to what is above that link's target. Without such ones, a way through several links is a way
 * down from a place inside each time, and stays inside however they are put together. `.` is let pass at the beginning, and
 * what follows is to be a path that an entry might have.
 */
export function linkTarget(path: string, text: string): LinkTarget {
  const [dots = ""] = DOTS.exec(text) ?? [];
  const names = text.slice(dots.length);
  const problem = names === "" && text !== "" ? undefined : pathProblem(names);
  if (problem !== undefined)
    return { kind: "problem", problem: LEADING_OUT.has(problem) ? "link_escapes" : problem };
  const above = path.split("/").slice(0, -1);
  const up = dots.split("/").filter((segment) => segment === "..").length;
  if (up > above.length) return { kind: "problem", problem: "link_escapes" };
  const target = [...above.slice(0, above.length - up), names].join("/");
  return { kind: "inside", path: target.replace(/\/$/, "") };
}

/** What these are called where they are found in a link. */
const LEADING_OUT: ReadonlySet<ZipProblem> = new Set(["name_absolute", "name_escapes"]);

/**
 * What a link leads to in the end, through other links at the end of its way or on it, eight of them at most. It dangles
 * where that is nothing, or more links, as there are in a circle.
 */
export function followLink(directory: Directory, link: Member, links: Links): Followed {
  let { path } = link;
  for (let hops = 0; hops <= MAX_HOPS; hops += 1) {
    const first = firstLink(path, links);
    if (first === undefined) return arrive(directory, path);
    const target = linkTarget(first, links.get(first) ?? "");
    if (target.kind === "problem") return target;
    const rest = path.slice(first.length);
    path = target.path === "" ? rest.slice(1) : target.path + rest;
  }
  return { kind: "problem", problem: "link_dangling" };
}

/** The first link on the way from the root to a path, the path itself included. */
function firstLink(path: string, links: Links): string | undefined {
  for (let slash = path.indexOf("/"); slash !== -1; slash = path.indexOf("/", slash + 1)) {
    const above = path.slice(0, slash);
    if (links.has(above)) return above;
  }
  return links.has(path) ? path : undefined;
}

function arrive(directory: Directory, path: string): Followed {
  if (path === "") return { kind: "directory", path };
  const member = directory.find(path);
  if (member !== undefined) return arriveAt(member);
  const { first, end } = directory.below(`${path}/`);
  return first < end
    ? { kind: "directory", path: `${path}/` }
    : { kind: "problem", problem: "link_dangling" };
}

function arriveAt(member: Member): Followed {
  if (member.problem !== undefined) return { kind: "problem", problem: member.problem };
  // One whose text is not known, being too long or no text.
  if (member.type === "symlink") return { kind: "problem", problem: "name_malformed" };
  return { kind: "member", member };
}
