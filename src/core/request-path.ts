import { CONTROL_CHARACTER } from "./control-characters.ts";
import { uriDecode } from "./uri-encode.ts";

/** A request path taken apart: raw segments as sent, and how each reads after one decoding. */
export type RequestPath = {
  readonly raw: readonly string[];
  readonly decoded: readonly string[];
};

export type PathAnswer =
  | { readonly kind: "path"; readonly path: RequestPath }
  /** It has a reading, but not one that all parties share (`%2F`, `%5C`, `//`, bytes that are not UTF-8). */
  | { readonly kind: "odd" }
  /** It is an attempt to change its own meaning (dot segments, control characters). */
  | { readonly kind: "hostile" };

const DOT_SEGMENT = /^(?:\.|%2e){1,2}$/i;

/**
 * Splits and decodes a path exactly once (RFC 3986 §2.4, §6.2.2).
 * `slashes` tells whether an encoded slash is part of the grammar, as in GitLab's `:id` and `:file_path`.
 */
export function parseRequestPath(pathname: string, slashes: "plain" | "encoded"): PathAnswer {
  const raw = pathname.slice(1).split("/");
  const decoded: string[] = [];
  let odd = false;
  for (const segment of raw) {
    if (DOT_SEGMENT.test(segment)) return { kind: "hostile" };
    const text = uriDecode(segment);
    if (text === undefined) {
      odd = true;
      continue;
    }
    if (CONTROL_CHARACTER.test(text) || hasDotSegment(text)) return { kind: "hostile" };
    odd ||= text === "" || text.includes("\\") || (slashes === "plain" && text.includes("/"));
    decoded.push(text);
  }
  return odd ? { kind: "odd" } : { kind: "path", path: { raw, decoded } };
}

/**
 * Whether a path would be another one after a URL parser has read it: dot segments, and backslashes that become slashes
 * (WHATWG URL, "path state"). Such a path cannot be sent on as it is.
 */
export function isRewrittenByUrl(pathname: string): boolean {
  if (pathname.includes("\\")) return true;
  return pathname.includes("/.") || /\/%2e/i.test(pathname)
    ? pathname.split("/").some((segment) => DOT_SEGMENT.test(segment))
    : false;
}

/** Encodes a path for a URL, segment by segment: the one spelling in which an origin is asked. */
export function encodePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function hasDotSegment(text: string): boolean {
  if (!text.includes(".")) return false;
  return text.split(/[/\\]/).some((part) => part === "." || part === "..");
}
