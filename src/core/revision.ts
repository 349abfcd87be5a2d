import type { Entry } from "./entry.ts";
import type { Ref } from "./ref-path.ts";

/** Whether two answers say that a name stands for the same; what is known of an object is worth remembering each time. */
export function saySame(one: Revision, other: Revision): boolean {
  if (one.kind === "validator") return other.kind === "validator" && one.etag === other.etag;
  if (one.kind === "commit")
    return other.kind === "commit" && one.oid === other.oid && one.seen === other.seen;
  if (one.kind !== "refs" || other.kind !== "refs" || one.refs.length !== other.refs.length) return false;
  return one.refs.every((ref, index) => isSameRef(ref, other.refs[index]));
}

/**
 * What tells, in an answer, which project or object it is about, as a name may be given to another one: the commit that HEAD was, or
 * the identity of the object.
 */
export function seenIn(revision: Revision): string | undefined {
  if (revision.kind === "refs") return headOf(revision.refs);
  if (revision.kind === "object") return revision.entry.identity;
  return revision.kind === "commit" ? revision.seen : undefined;
}

/** The commit that HEAD is, among refs that were listed; an empty repository has none. */
export function headOf(refs: readonly Ref[]): string | undefined {
  return refs.find(({ name }) => name === "HEAD")?.oid;
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
  | {
      readonly at: number;
      readonly kind: "commit";
      readonly oid: string;
      /** Where it is that a commit named in full is there: what the asker's grant had seen. */
      readonly seen?: string | undefined;
    }
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
