/** Bytes `start` up to, but not including, `end`; never empty. */
export type ByteRange = { readonly start: number; readonly end: number };

/** What a request asks for: every byte under 200, some under 206, or none that exist under 416. */
export type RangeAnswer =
  | { readonly kind: "whole" }
  | { readonly kind: "parts"; readonly ranges: readonly ByteRange[] }
  | { readonly kind: "unsatisfiable" };

const UNIT = "bytes=";
const EMPTY_MEMBER = /^[ \t]*$/;
const MEMBER = /^[ \t]*(\d*)-(\d*)[ \t]*$/;

const WHOLE: RangeAnswer = { kind: "whole" };
const UNSATISFIABLE: RangeAnswer = { kind: "unsatisfiable" };

/**
 * Which bytes of a representation of `size` bytes a `Range` header selects (RFC 9110 §14.1.2, §14.2).
 *
 * - No header, another unit, a syntax error in any member, or more than `maxParts` members: `whole`.
 *   Members are counted as written, before merging; empty ones do not count (§5.6.1.2).
 * - Members that select nothing are dropped; when none is left: `unsatisfiable`. A representation
 *   of 0 bytes has nothing to select, so there even a suffix range is unsatisfiable.
 * - Otherwise `parts`, even if they add up to every byte. Ranges that overlap or touch are merged,
 *   and a merged range stands where the first of its members stood in the header.
 *
 * Optional whitespace is accepted around members, nowhere else. The method and `If-Range` are not
 * looked at here.
 */
export function selectRanges(header: string | null, size: number, maxParts: number): RangeAnswer {
  if (header === null) return WHOLE;
  if (header.slice(0, UNIT.length).toLowerCase() !== UNIT) return WHOLE;
  const asked = readRangeSet(header, size, maxParts);
  if (asked === undefined) return WHOLE;
  return asked.length === 0 ? UNSATISFIABLE : { kind: "parts", ranges: mergeRanges(asked) };
}

/** The `Content-Range` of a 206 or of one of its parts (RFC 9110 §14.4), as in `bytes 0-9/100`. */
export function contentRange(range: ByteRange, size: number): string {
  return `bytes ${range.start}-${range.end - 1}/${size}`;
}

/** The `Content-Range` of a 416 (RFC 9110 §14.4, §15.5.17): an asterisk, then the size. */
export function unsatisfiedContentRange(size: number): string {
  return `bytes */${size}`;
}

/** The satisfiable members in header order; undefined when the header is to be ignored. */
function readRangeSet(header: string, size: number, maxParts: number): ByteRange[] | undefined {
  const satisfiable: ByteRange[] = [];
  let members = 0;
  let at = UNIT.length;
  while (at <= header.length) {
    const comma = header.indexOf(",", at);
    const end = comma === -1 ? header.length : comma;
    const member = header.slice(at, end);
    at = end + 1;
    if (EMPTY_MEMBER.test(member)) continue;
    members += 1;
    if (members > maxParts) return undefined;
    const range = readMember(member, size);
    if (range === "invalid") return undefined;
    if (range !== "unsatisfiable") satisfiable.push(range);
  }
  return members === 0 ? undefined : satisfiable;
}

function readMember(member: string, size: number): ByteRange | "unsatisfiable" | "invalid" {
  const [, first = "", last = ""] = MEMBER.exec(member) ?? [];
  if (first === "" && last === "") return "invalid";
  if (first !== "" && last !== "" && isLess(last, first)) return "invalid";
  // Beyond 2^53 a number is rounded, at worst to Infinity; both stay past the end of any size.
  const start = first === "" ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === "" || last === "" ? size : Math.min(size, Number(last) + 1);
  return start < end ? { start, end } : "unsatisfiable";
}

/** Compares runs of digits exactly, where numbers would round two different positions to one. */
function isLess(left: string, right: string): boolean {
  const a = left.replace(/^0+/, "");
  const b = right.replace(/^0+/, "");
  return a.length === b.length ? a < b : a.length < b.length;
}

function mergeRanges(asked: readonly ByteRange[]): readonly ByteRange[] {
  if (asked.length === 1) return asked;
  const merged: { start: number; end: number; order: number }[] = [];
  const byStart = asked.map(({ start, end }, order) => ({ start, end, order }));
  for (const next of byStart.toSorted((a, b) => a.start - b.start)) {
    const previous = merged.at(-1);
    if (previous === undefined || next.start > previous.end) {
      merged.push(next);
      continue;
    }
    previous.end = Math.max(previous.end, next.end);
    previous.order = Math.min(previous.order, next.order);
  }
  return merged.toSorted((a, b) => a.order - b.order).map(({ start, end }) => ({ start, end }));
}
