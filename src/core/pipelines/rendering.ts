import type { HeaderFields } from "../header-fields.ts";

/*
 * A list is rendered once and kept once for everyone who was told the same. What each asker was told is a fact of its own, as old
 * as the asker's own question: nobody is ever shown what the origin has not itself given to that very asker, not long ago.
 * That a rendering still is what it was, one asker's word says for all who were told it.
 */

/** What an asker was itself told last; `at` is when the question was sent, in milliseconds. */
export type Standing = { readonly at: number; readonly tag: string };

/** A list as it was rendered, without its bytes; the same for everyone who was told it. */
export type Rendering = {
  /** When it was last told to be so, in milliseconds. */
  readonly at: number;
  /** Made of its bytes and header fields: equal tag, equal answer. */
  readonly tag: string;
  /** Names its bytes. */
  readonly identity: string;
  readonly size: number;
  readonly headers: HeaderFields;
  readonly origin: OriginTag | undefined;
  /** Whether it says that everything is over, so that it changes by somebody's doing alone. */
  readonly isFinished: boolean;
};

/** The origin's own validator. */
export type OriginTag = {
  readonly etag: string;
  /** Whether it was seen to be a digest of the bytes: only then a 304 to it tells one asker of what another was given. */
  readonly isDigest: boolean;
};

/** What tells which page of how many a list is. */
const PAGING = /^(?:link|x-(?!content-type-options|frame-options))/;

/**
 * Header fields of a list after a 304: of a full set of its own, those; only the content is as it was (RFC 9110 §15.4.5).
 * `undefined` where it has left out those of a page: what they are now is not told.
 */
export function headersAfter(before: HeaderFields, told: HeaderFields): HeaderFields | undefined {
  const isPaged = (headers: HeaderFields) => headers.some(([name]) => PAGING.test(name));
  if (isPaged(told)) return [...before.filter(([name]) => name === "content-type"), ...told];
  return isPaged(before) ? undefined : before;
}
