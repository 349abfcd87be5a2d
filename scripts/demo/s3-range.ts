import type { ByteRange } from "./blob-response.ts";

/** What S3 makes of a `Range` header. */
export type S3Range =
  | { readonly kind: "whole" }
  | { readonly kind: "part"; readonly range: ByteRange }
  | { readonly kind: "unsatisfiable" };

/** One range or suffix is answered; several, or what cannot be read, are as if they were not there. */
export function s3Range(header: string | undefined, size: number): S3Range {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/i.exec(header?.trim() ?? "") ?? [];
  if (first === undefined || last === undefined || (first === "" && last === "")) return { kind: "whole" };
  if (first === "") return part(Math.max(0, size - Number(last)), size, size);
  if (last !== "" && Number(last) < Number(first)) return { kind: "whole" };
  return part(Number(first), last === "" ? size : Number(last) + 1, size);
}

function part(start: number, end: number, size: number): S3Range {
  return start >= size
    ? { kind: "unsatisfiable" }
    : { kind: "part", range: { start, end: Math.min(end, size) } };
}
