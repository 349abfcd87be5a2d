import { uriEncode } from "../core/uri-encode.ts";
import type { PipelinesTarget } from "../core/target.ts";
import { type ListParameters, readInstant } from "./pipelines-parameters.ts";
import { COUNT_LIMIT, type PipelinesRow } from "./pipelines-sql.ts";

export type Header = readonly [name: string, value: string];

type List = {
  readonly target: PipelinesTarget;
  readonly parameters: ListParameters;
  /** The site's, without a slash at its end. */
  readonly address: string;
};

/** The header fields of a page that GitLab describes it with, and those that every answer of its API has. */
export function pageHeaders(list: List, row: Pick<PipelinesRow, "total" | "rows">): readonly Header[] {
  const { page, perPage } = list.parameters;
  const total = row.total > COUNT_LIMIT ? undefined : row.total;
  const pages = total === undefined ? undefined : Math.max(Math.ceil(total / perPage), 1);
  const next = row.rows > perPage ? page + 1 : undefined;
  // A page after the last one has no neighbours.
  const previous = page > 1 && row.rows > 0 ? page - 1 : undefined;
  return [
    ["content-type", "application/json"],
    ["x-content-type-options", "nosniff"],
    ["x-frame-options", "SAMEORIGIN"],
    ["x-per-page", String(perPage)],
    ["x-page", String(page)],
    ["x-next-page", String(next ?? "")],
    ["x-prev-page", String(previous ?? "")],
    ["link", links(list, { prev: previous, next, first: 1, last: pages })],
    ...(total === undefined ? [] : ([["x-total", String(total)]] as const)),
    ...(pages === undefined ? [] : ([["x-total-pages", String(pages)]] as const)),
  ];
}

/** GitLab: `Gitlab::Pagination::OffsetHeaderBuilder`. */
function links(list: List, relations: Readonly<Record<string, number | undefined>>): string {
  return Object.entries(relations)
    .filter(([, page]) => page !== undefined)
    .map(([relation, page]) => `<${pageUrl(list, String(page))}>; rel="${relation}"`)
    .join(", ");
}

/** Beside what was asked, it names the project and the defaults; pairs are sorted as a whole (Rails: `Hash#to_query`). */
function pageUrl({ target, parameters: { texts }, address }: List, page: string): string {
  const defaults = { order_by: "id", sort: "desc", per_page: "20" };
  const given = [...texts].map(([name, text]) => [name, asRuby(name, text)] as const);
  const all = { id: target.project, ...defaults, ...Object.fromEntries(given), page };
  const pairs = Object.entries(all).map((pair) => pair.map(formEncode).join("="));
  const path = `/api/v4/projects/${encodeURIComponent(target.project)}/pipelines`;
  return `${address}${path}?${pairs.toSorted().join("&")}`;
}

function asRuby(name: string, text: string): string {
  return /_(?:after|before)$/.test(name) ? (readInstant(text)?.ruby ?? text) : text;
}

/** Ruby: `CGI.escape`. */
function formEncode(text: string): string {
  return uriEncode(text).replaceAll("%20", "+");
}
