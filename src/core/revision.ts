import type { Entry } from "./entry.ts";
import type { Ref } from "./ref-path.ts";

/** Whether two answers list the same refs; an answer of any other kind is worth remembering by itself. */
export function sameRefs(one: Revision, other: Revision): boolean {
  if (one.kind !== "refs" || other.kind !== "refs" || one.refs.length !== other.refs.length) return false;
  return one.refs.every((ref, index) => isSameRef(ref, other.refs[index]));
}

function isSameRef(one: Ref, other: Ref | undefined): boolean {
  return one.name === other?.name && one.oid === other.oid;
}

/** What a name stood for when the origin was asked at `at`, in milliseconds; the same for every asker. */
export type Revision =
  /** All refs that begin as asked, and HEAD. */
  | { readonly at: number; readonly kind: "refs"; readonly refs: readonly Ref[] }
  /** More refs begin like this than one answer may hold: a longer beginning must be asked for. */
  | { readonly at: number; readonly kind: "crowded" }
  | { readonly at: number; readonly kind: "commit"; readonly oid: string }
  /** A name only its own validator is known of: what the origin serves for it as it stands. */
  | { readonly at: number; readonly kind: "validator"; readonly etag: string }
  /** What an object was; it says itself for how long that may be believed, where it says so. */
  | {
      readonly at: number;
      readonly kind: "object";
      readonly entry: Entry;
      readonly freshS: number | undefined;
    }
  /** There is an object, but not one that may be cached: the origin serves it. */
  | { readonly at: number; readonly kind: "uncacheable" };
