import type { ByteRange } from "./blob-response.ts";

/** What Gitea makes of a `Range` header. */
export type GiteaRange =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly range: ByteRange }
  | { readonly kind: "refused"; readonly status: 400 | 416; readonly message: string };

/**
 * Gitea's own reading, which knows one range that says where it starts: a suffix is refused with 416, several ranges with 400,
 * and `If-Range` is not looked at.
 */
export function giteaRange(header: string | undefined, size: number): GiteaRange {
  if (size === 0 || header === undefined || !header.startsWith("bytes=")) return { kind: "whole" };
  const [, first = "", dash, last = ""] = /^bytes=([^-]*)(-?)(.*)$/s.exec(header) ?? [];
  const start = wholeNumber(first);
  if (start === undefined || start >= size)
    return { kind: "refused", status: 416, message: "invalid start range" };
  const end = last === "" && dash === "-" ? size - 1 : wholeNumber(last);
  if (end === undefined || end < start) return { kind: "refused", status: 400, message: "invalid end range" };
  return { kind: "part", range: { start, end: Math.min(end + 1, size) } };
}

function wholeNumber(text: string): number | undefined {
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
