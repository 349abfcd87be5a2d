import { CONTROL_CHARACTER } from "./control-characters.ts";

/** Where the key of a zip object ends and what is inside of it begins, in a path that names both. */
export const INNER_MARK = /(?<=.\.zip)!\//i;

/**
 * A path inside of an archive as it is looked up: by `/`, without one at either end; empty is all of the archive.
 * `undefined` for one that could be read in two ways (empty or dot segments, backslashes, control characters).
 */
export function innerPath(text: string): string | undefined {
  if (text === "") return "";
  const path = text.replace(/\/$/, "");
  if (CONTROL_CHARACTER.test(path) || path.includes("\\")) return undefined;
  const isOdd = path.split("/").some((segment) => segment === "" || segment === "." || segment === "..");
  return isOdd ? undefined : path;
}
