import type { HeaderFields } from "../core/header-fields.ts";
import { COUNT_LIMIT, pagingHeaders } from "../core/offset-pagination.ts";
import type { PipelinesTarget } from "../core/target.ts";
import { uriEncode } from "../core/uri-encode.ts";
import { type ListParameters, readInstant } from "./pipelines-parameters.ts";
import type { PipelinesRow } from "./pipelines-sql.ts";

type List = {
  readonly target: PipelinesTarget;
  readonly parameters: ListParameters;
  /** The site's, without a slash at its end. */
  readonly address: string;
};

/** The header fields of a page that GitLab describes it with, and those that every answer of its API has. */
export function pageHeaders(list: List, row: Pick<PipelinesRow, "total" | "rows">): HeaderFields {
  const { page, perPage } = list.parameters;
  const total = row.total > COUNT_LIMIT ? undefined : row.total;
  const listed = { page, perPage, total, hasNext: row.rows > perPage, isEmpty: row.rows === 0 };
  const paging = pagingHeaders(listed, (other) => pageUrl(list, String(other)));
  return [
    ["content-type", "application/json"],
    ["x-content-type-options", "nosniff"],
    ["x-frame-options", "SAMEORIGIN"],
    ...paging.map(([name, value]) => [name.toLowerCase(), value] as const),
  ];
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
