import type { ReadHeader } from "../header-fields.ts";
import { withoutCredentials } from "./link-queries.ts";

/** Header fields that describe a list and nobody who asked for it (GitLab: `OffsetHeaderBuilder`; Gitea: `services/context/api.go`). */
const LIST_HEADERS = [
  "content-type",
  "x-content-type-options",
  "x-frame-options",
  "x-hasmore",
  "x-next-page",
  "x-page",
  "x-pagecount",
  "x-per-page",
  "x-perpage",
  "x-prev-page",
  "x-total",
  "x-total-count",
  "x-total-pages",
] as const;

/**
 * What of a list's header fields is kept; all others are dropped (Set-Cookie, request ids, run times, rate limits, Vary).
 * The URLs of `Link` repeat the query that the list was asked by: credentials in it are left out.
 */
export function listHeaders(header: ReadHeader): [string, string][] {
  const kept = LIST_HEADERS.flatMap((name) => field(name, header(name)));
  const link = header("link");
  if (link !== null) kept.push(["link", withoutCredentials(link)]);
  if (header("access-control-allow-origin") !== "*") return kept;
  const exposed = field("access-control-expose-headers", header("access-control-expose-headers"));
  return [...kept, ["access-control-allow-origin", "*"], ...exposed];
}

function field(name: string, value: string | null): [string, string][] {
  return value === null ? [] : [[name, value]];
}
