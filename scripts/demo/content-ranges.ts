import type { ByteRange } from "./blob-response.ts";

/** What `http.ServeContent` of Go makes of a `Range` header. */
export type ContentRanges =
  /** All of the content, where there are no ranges. */
  | { readonly kind: "send"; readonly ranges: readonly ByteRange[] }
  | { readonly kind: "refused"; readonly message: string; readonly contentRange: string | undefined };

const WHOLE: ContentRanges = { kind: "send", ranges: [] };
const UNIT = "bytes=";

/**
 * The ranges to send, in the order in which they were asked for, and neither merged nor sorted. An empty suffix (`-0`) is a range
 * of no bytes; empty content has no range that could be refused.
 */
export function contentRanges(header: string | undefined, size: number): ContentRanges {
  if (header === undefined || header === "") return WHOLE;
  const members = header
    .slice(UNIT.length)
    .split(",")
    .map((member) => member.trim());
  const ranges = header.startsWith(UNIT)
    ? members.filter((member) => member !== "").map((member) => readRange(member, size))
    : ["invalid" as const];
  if (ranges.includes("invalid"))
    return { kind: "refused", message: "invalid range", contentRange: undefined };
  const found = ranges.filter((range) => typeof range === "object");
  if (ranges.length > 0 && found.length === 0) {
    if (size === 0) return WHOLE;
    return { kind: "refused", message: "invalid range: failed to overlap", contentRange: `bytes */${size}` };
  }
  const asked = found.reduce((sum, { start, end }) => sum + end - start, 0);
  return asked > size ? WHOLE : { kind: "send", ranges: found };
}

function readRange(member: string, size: number): ByteRange | "invalid" | "beyond" {
  const [, first, last] = /^(\d*)\s*-\s*(\d*)$/.exec(member) ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return "invalid";
  if (first === "") return { start: Math.max(0, size - Number(last)), end: size };
  if (Number(first) >= size) return "beyond";
  if (last === "") return { start: Number(first), end: size };
  if (Number(last) < Number(first)) return "invalid";
  return { start: Number(first), end: Math.min(size, Number(last) + 1) };
}
