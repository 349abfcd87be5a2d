import type { HeaderFields } from "../header-fields.ts";
import { COUNT_LIMIT, pagingHeaders, type Paging } from "../offset-pagination.ts";
import { directoriesFirst } from "./tree-page.ts";
import type { TreeItem, TreeListing } from "./tree.ts";

export type TreeJson = {
  readonly body: string;
  readonly headers: HeaderFields;
};

/** The other parameters a listing is made from; whatever else a URL has, a credential even, is no part of a link. */
const KEPT_PARAMETERS = ["zip", "path", "recursive"];

/** Bits of a Unix file mode that say what it is the mode of (`S_IFMT`). */
const TYPE_BITS = { file: 0o100000, directory: 0o040000, symlink: 0o120000 } as const;
const MODE_DIGITS = 6;

/**
 * The answer to `GET /projects/:id/jobs/:job_id/artifacts/tree` (GitLab "Job artifacts API", since 18.8). Right below a
 * directory, directories come before files; recursively, all is in the order of paths. What has a problem is left out, as
 * no client could get it. A link is a "file" there, and only its mode tells.
 */
export function treeJson(listing: TreeListing, paging: Paging, url: URL): TreeJson {
  const { page, perPage } = paging;
  const { items, total } = takePage(listing, paging);
  const hasNext = total === undefined || page * perPage < total;
  const listed = { ...paging, total, hasNext, isEmpty: items.length === 0 };
  const body = JSON.stringify(items.map(describe));
  const headers: (readonly [string, string])[] = [
    ["Content-Type", "application/json"],
    ["X-Content-Type-Options", "nosniff"],
    ...pagingHeaders(listed, (other) => pageUrl(url, other, perPage)),
  ];
  return { body, headers };
}

function describe({ name, path, type, size, mode }: TreeItem) {
  return {
    name,
    path,
    type: type === "directory" ? "directory" : "file",
    size,
    mode: mode === undefined ? null : (TYPE_BITS[type] + mode).toString(8).padStart(MODE_DIGITS, "0"),
  };
}

/** `total` is not known where there are many more: nobody has to walk through all of them for it, though GitLab does. */
type Taken = { readonly items: readonly TreeItem[]; readonly total: number | undefined };

function takePage(listing: TreeListing, { page, perPage }: Paging): Taken {
  const start = (page - 1) * perPage;
  const end = start + perPage;
  const served = withoutProblems(listing.items);
  if (listing.recursive) return takeInOrder(served, start, end);
  const { items, directories, files } = directoriesFirst(served, start, end);
  return { items, total: directories + files };
}

function takeInOrder(all: Iterable<TreeItem>, start: number, end: number): Taken {
  const items: TreeItem[] = [];
  let count = 0;
  for (const item of all) {
    if (count >= start && count < end) items.push(item);
    count += 1;
    if (count > COUNT_LIMIT && count > end) return { items, total: undefined };
  }
  return { items, total: count };
}

function* withoutProblems(items: Iterable<TreeItem>): Generator<TreeItem> {
  for (const item of items) if (item.problem === undefined) yield item;
}

function pageUrl(url: URL, page: number, perPage: number): string {
  const query = new URLSearchParams();
  for (const name of KEPT_PARAMETERS) {
    const value = url.searchParams.get(name);
    if (value !== null) query.set(name, value);
  }
  query.set("page", String(page));
  query.set("per_page", String(perPage));
  return `${url.origin}${url.pathname}?${query.toString()}`;
}
