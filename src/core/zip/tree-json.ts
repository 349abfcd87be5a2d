import { directoriesFirst } from "./tree-page.ts";
import type { TreeItem, TreeListing } from "./tree.ts";

/** A page of a list as GitLab's REST API counts them: the first is 1. */
export type Paging = { readonly page: number; readonly perPage: number };

export type TreeJson = {
  readonly body: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
};

/** Where a list is longer than this GitLab does not say how long, so that nobody has to count it. */
const COUNTED_ITEMS = 10_000;

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
  const { items, total } = takePage(listing, paging);
  const body = JSON.stringify(items.map(describe));
  const headers: (readonly [string, string])[] = [
    ["Content-Type", "application/json"],
    ["X-Content-Type-Options", "nosniff"],
    ...pagingHeaders(paging, total, url),
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

/** `total` is not known where there are many more. */
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
    if (count > COUNTED_ITEMS && count > end) return { items, total: undefined };
  }
  return { items, total: count };
}

function* withoutProblems(items: Iterable<TreeItem>): Generator<TreeItem> {
  for (const item of items) if (item.problem === undefined) yield item;
}

function pagingHeaders({ page, perPage }: Paging, total: number | undefined, url: URL): [string, string][] {
  const pages = total === undefined ? undefined : Math.max(Math.ceil(total / perPage), 1);
  const next = pages === undefined || page < pages ? page + 1 : undefined;
  const previous = page > 1 && page <= (pages ?? page) ? page - 1 : undefined;
  const headers: [string, string][] = [
    ["X-Page", String(page)],
    ["X-Per-Page", String(perPage)],
    ["X-Next-Page", String(next ?? "")],
    ["X-Prev-Page", String(previous ?? "")],
  ];
  if (total !== undefined) headers.push(["X-Total", String(total)], ["X-Total-Pages", String(pages)]);
  const relations = [
    ["prev", previous],
    ["next", next],
    ["first", 1],
    ["last", pages],
  ] as const;
  const links = relations.flatMap(([relation, target]) =>
    target === undefined ? [] : [`<${pageUrl(url, target, perPage)}>; rel="${relation}"`],
  );
  headers.push(["Link", links.join(", ")]);
  return headers;
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
