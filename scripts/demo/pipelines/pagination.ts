import type { OutgoingHttpHeaders } from "node:http";
import type { ParameterValue } from "./parameters.ts";
import type { Page, PageRequest } from "./source.ts";

export const DEFAULT_PAGE_SIZE = 20;
const LARGEST_PAGE_SIZE = 100;

/** The page that `page` and `per_page` ask for; what makes no sense is the first page, or a page of the usual size. */
export function pageRequest(
  page: ParameterValue | undefined,
  perPage: ParameterValue | undefined,
): PageRequest {
  const size = typeof perPage === "number" && perPage > 0 ? perPage : DEFAULT_PAGE_SIZE;
  const number = typeof page === "number" && page > 0 ? page : 1;
  return { page: number, perPage: Math.min(size, LARGEST_PAGE_SIZE) };
}

export interface Listing {
  /** The forge's own idea of its URL, without a slash at the end. */
  readonly externalUrl: string;
  /** The request's path, as it was asked for. */
  readonly path: string;
  readonly texts: ReadonlyMap<string, string | readonly string[]>;
}

/** Where a list goes on, as GitLab says it (`Gitlab::Pagination::OffsetHeaderBuilder`). */
export function paginationHeaders(
  listing: Listing,
  { page, perPage }: PageRequest,
  { rows, total, hasNext }: Page<unknown>,
): OutgoingHttpHeaders {
  const next = hasNext ? page + 1 : undefined;
  // A page after the last has no neighbours.
  const previous = page > 1 && rows.length > 0 ? page - 1 : undefined;
  const pages = total === undefined ? undefined : Math.max(Math.ceil(total / perPage), 1);
  const links = Object.entries({ prev: previous, next, first: 1, last: pages }).flatMap(
    ([relation, target]) =>
      target === undefined ? [] : [`<${pageUrl(listing, target)}>; rel="${relation}"`],
  );
  return {
    "X-Per-Page": perPage,
    "X-Page": page,
    "X-Next-Page": next ?? "",
    "X-Prev-Page": previous ?? "",
    Link: links.join(", "),
    ...(total === undefined ? {} : { "X-Total": total, "X-Total-Pages": pages }),
  };
}

/** All parameters of the request with another page, sorted as whole pairs (`to_query` of Rails). */
function pageUrl({ externalUrl, path, texts }: Listing, page: number): string {
  const pairs = [...texts, ["page", String(page)] as const].flatMap(([name, text]) => {
    if (name === "page" && text !== String(page)) return [];
    if (typeof text === "string") return [`${escape(name)}=${escape(text)}`];
    return text.map((one) => `${escape(`${name}[]`)}=${escape(one)}`);
  });
  return `${externalUrl}${path}?${[...new Set(pairs)].toSorted().join("&")}`;
}

/** `CGI.escape` of Ruby. */
function escape(text: string): string {
  return encodeURIComponent(text)
    .replaceAll("%20", "+")
    .replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);
}
