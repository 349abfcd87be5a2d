import { isStrongDate } from "../core/conditional.ts";
import type { Wanted } from "../core/dialect.ts";
import { strongEtag, type Entry } from "../core/entry.ts";
import { parseHttpDate } from "../core/http-date.ts";
import { objectCaching } from "../core/object-caching.ts";
import { objectHeaders } from "../core/object-headers.ts";
import type { ByteRange } from "../core/range.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { partExtent, type Extent } from "./part-extent.ts";

/** What a store's answer says of an object, and which of its bytes came along. */
export type StoredObject =
  | {
      readonly kind: "object";
      readonly entry: Entry;
      readonly freshS: number | undefined;
      readonly part: ByteRange;
    }
  /** It forbids to be cached, or cannot be told from another one of the same name. */
  | { readonly kind: "uncacheable" }
  /** Not the part that was asked for, or one of unknown size. */
  | { readonly kind: "senseless" };

export type CachingLimits = {
  readonly blockBytes: number;
  readonly objectBytes: number;
};

/**
 * Reads the header of a 200 or 206 to a GET, or of a 200 to HEAD. An object is identified by entity tag, size, date and
 * version together, and by its coding, as it is the coded bytes that are kept. Without a strong tag it is known by the
 * rest alone, and cached only where that is some seconds old and one block holds all of it: blocks of two answers are never
 * joined then (RFC 9110 §15.3.7.3).
 */
export function readStoredObject(response: Response, at: number, limits: CachingLimits): StoredObject {
  const header = (name: string) => response.headers.get(name);
  const extent = response.status === 206 ? partExtent(header) : wholeExtent(header);
  if (extent === undefined) return response.status === 206 ? { kind: "senseless" } : { kind: "uncacheable" };
  const { size, part } = extent;
  const caching = objectCaching({
    cacheControl: header("cache-control"),
    expires: header("expires"),
    date: header("date"),
    age: header("age"),
  });
  const etag = header("etag") ?? undefined;
  const lastModified = header("last-modified") ?? undefined;
  const strong = strongEtag(etag ?? null);
  const isTellable =
    strong !== undefined || (size <= limits.blockBytes && isSettled(lastModified, header("date")));
  const varies = (header("vary") ?? "").includes("*");
  if (caching.kind === "never" || !isTellable || varies || size > limits.objectBytes)
    return { kind: "uncacheable" };
  const told = [strong ?? "", String(size), lastModified ?? "", header("x-amz-version-id") ?? ""];
  const headers = objectHeaders(response.headers);
  const coding = headers.find(([name]) => name === "content-encoding")?.[1];
  const entry: Entry = {
    at,
    identity: (coding === undefined ? told : [...told, coding]).map(encodeURIComponent).join(":"),
    size,
    etag,
    lastModified,
    originEtag: strong,
    headers,
  };
  return { kind: "object", entry, freshS: caching.freshS, part };
}

/** How long ago an object was last modified for the second it names to be over, where one clock, the store's own, says both. */
const SETTLED_MS = 2000;

/** Whether a date of modification tells an object from those that came before and after it. */
function isSettled(lastModified: string | undefined, date: string | null): boolean {
  const sent = date === null ? undefined : parseHttpDate(date);
  return sent !== undefined && isStrongDate(lastModified, sent, SETTLED_MS);
}

function wholeExtent(header: (name: string) => string | null): Extent | undefined {
  const size = wholeNumber(header("content-length"));
  return size === undefined ? undefined : { size, part: { start: 0, end: size } };
}

/** A range is answered with just that, up to the object's end, or with the whole. */
export function bringsWanted(
  { part, entry }: StoredObject & { readonly kind: "object" },
  wanted: Wanted,
): boolean {
  const isWhole = part.start === 0 && part.end === entry.size;
  if (wanted.kind === "whole" || isWhole) return isWhole;
  return part.start === wanted.start && part.end === Math.min(wanted.end, entry.size);
}
