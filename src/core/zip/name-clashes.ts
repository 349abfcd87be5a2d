import type { EntryName } from "./entry-name.ts";
import type { ZipProblem } from "./problems.ts";

type Named = Pick<EntryName, "path" | "type" | "problem">;

/**
 * What is wrong with each entry's name beside the others', by its place in the archive.
 *
 * - `entry_duplicate`: an earlier entry has this path, be one a file and the other a directory.
 * - `entry_collides`: the path of an earlier entry differs from it only by case or Unicode composition.
 * - `entry_through_link`: a file or symbolic link, earlier or later, is where it needs a directory, to any file system.
 *
 * Names that have a problem of their own clash with nothing.
 */
export function nameClashes(names: readonly Named[]): readonly (ZipProblem | undefined)[] {
  const clashes = Array.from<ZipProblem | undefined>({ length: names.length });
  // Sorting takes n log n steps whatever the names are; to look up each ancestor of long paths would take n squared.
  const keys = names.map(({ path, problem }) => (problem === undefined ? sortKey(path) : ""));
  const order = [...keys.keys()].filter((index) => keys[index] !== "");
  order.sort((a, b) => compare(keys[a]!, keys[b]!));
  let obstacle = "";
  let equals: { key: string; first: string; others: Set<string> | undefined } | undefined;
  for (const index of order) {
    const key = keys[index]!;
    const { path, type } = names[index]!;
    const isObstructed = obstacle !== "" && key.startsWith(obstacle);
    if (isObstructed) clashes[index] = "entry_through_link";
    else if (type !== "directory") obstacle = key + SEPARATOR;
    const bare = withoutSlash(path);
    if (equals?.key !== key) {
      equals = { key, first: bare, others: undefined };
      continue;
    }
    const isKnown = equals.first === bare || equals.others?.has(bare) === true;
    clashes[index] = isKnown ? "entry_duplicate" : "entry_collides";
    equals.others ??= new Set();
    equals.others.add(bare);
  }
  return clashes;
}

/** It sorts before every other character, so that all that is below a path comes directly after it. */
const SEPARATOR = "\0";

/**
 * Equal for paths that some file system takes for one; no path without a problem has a NUL of its own. Split and joined, as
 * a replacement of each of 2,000 slashes makes a string of 4,000 pieces, which is slow to compare.
 */
function sortKey(path: string): string {
  return withoutSlash(path).toLowerCase().normalize("NFC").split("/").join(SEPARATOR);
}

function withoutSlash(path: string): string {
  return path.endsWith("/") ? path.slice(0, -1) : path;
}

function compare(a: string, b: string): number {
  if (a < b) return -1;
  return a > b ? 1 : 0;
}
