import { readTruth } from "./grape-truth.ts";
import { innerPath } from "./inner-path.ts";
import type { Inside } from "./target.ts";

/** Parameters that say what is wanted of an archive, by name, each decoded once. */
export type InsideQuery = {
  readonly path?: string;
  readonly recursive?: string;
  readonly page?: string;
  readonly per_page?: string;
};

/** GitLab's API: "Offset-based pagination". */
const PER_PAGE = { fallback: 20, most: 100 };
const LAST_PAGE = 1_000_000;

/** A listing, or a subtree as another archive; `undefined` where a parameter cannot be read. */
export function readInside(kind: "tree" | "browse" | "tar" | "zip", query: InsideQuery): Inside | undefined {
  const path = innerPath(query.path === "/" ? "" : (query.path ?? ""));
  if (path === undefined) return undefined;
  if (kind === "tar" || kind === "zip") return { kind, path };
  const page = readCount(query.page, 1, LAST_PAGE);
  const perPage = readCount(query.per_page, PER_PAGE.fallback, PER_PAGE.most);
  const isRecursive = readTruth(
    query.recursive === undefined || query.recursive === "" ? "false" : query.recursive,
  );
  if (page === undefined || perPage === undefined || isRecursive === undefined) return undefined;
  return kind === "browse" ? { kind, path, page } : { kind, path, isRecursive, page, perPage };
}

/** A whole number; 0 is 1, and one above the most is the most, as GitLab has it. */
function readCount(text: string | undefined, fallback: number, most: number): number | undefined {
  if (text === undefined || text === "") return fallback;
  return /^\d{1,9}$/.test(text) ? Math.min(Math.max(Number(text), 1), most) : undefined;
}
