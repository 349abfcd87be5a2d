import type { Entry } from "./entry.ts";
import type { HeaderFields } from "./header-fields.ts";
import type { OriginTag } from "./pipelines/rendering.ts";
import type { ByteRange } from "./range.ts";
import type { AnyPrincipal } from "./store-principal.ts";
import type { Question } from "./question.ts";
import type { Refusal } from "./refusal.ts";
import type { Pin } from "./pin.ts";
import type { Revision } from "./revision.ts";
import type { Target } from "./target.ts";

/** What one question to the origin taught. */
export type Answer =
  /**
   * `revision` is what the question's name stands for, where it had one; `seen` by what it is known what was asked about, where the
   * revision does not say it; `body` is what came along, where bytes were asked for; `list` what a list is.
   */
  | {
      readonly kind: "admitted";
      readonly revision: Revision | undefined;
      readonly seen?: string | undefined;
      readonly body?: OriginBody;
      readonly list?: ToldList;
    }
  /** `about` tells whether the whole scope was refused, or perhaps only the name (a 404 that does not say). */
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly about: "scope" | "name" }
  | { readonly kind: "busy"; readonly refusal: Refusal; readonly seconds: number }
  /** An answer this dialect cannot read (a moved project, say): the origin must serve the request itself. */
  | { readonly kind: "unclear" };

/** A list as an asker was told it: in full, or that it is the one it was asked to differ from. */
export type ToldList =
  | {
      readonly kind: "list";
      readonly headers: HeaderFields;
      /** As it is sent on: with the site's own addresses. */
      readonly bytes: Uint8Array;
      readonly origin: OriginTag | undefined;
      readonly isFinished: boolean;
      /** The number of the project it is of, where it tells that. */
      readonly projectNumber: string | undefined;
    }
  | { readonly kind: "same"; readonly headers: HeaderFields };

/** Bytes of an entry on their way: those from `offset` up to, but not including, `until`. */
export type OriginBody = {
  readonly entry: Entry;
  readonly stream: ReadableStream<Uint8Array>;
  readonly offset: number;
  readonly until: number;
};

/** What is put to a dialect: one of a forge is asked for files, artifacts and lists of pipelines, one of a store for objects. */
export type Asking<T extends Target = Target, P extends AnyPrincipal = AnyPrincipal> = {
  readonly question: Question;
  readonly target: T;
  readonly principal: P;
  /** A validator the name had before, for a conditional request. */
  readonly etag: string | undefined;
  /** What an object was when it was last asked for. */
  readonly known: Entry | undefined;
  /** Which bytes of an object to bring along; absent for none. */
  readonly wanted: Wanted | undefined;
};

/** Bytes of an object whose size may not be known: all of them, or a range that may end past the object's own end. */
export type Wanted = { readonly kind: "whole" } | ({ readonly kind: "range" } & ByteRange);

export type Opening<T extends Target = Target, P extends AnyPrincipal = AnyPrincipal> = {
  readonly target: T;
  readonly pin: Pin;
  readonly principal: P;
  /** `HEAD` asks for no bytes. */
  readonly method: "GET" | "HEAD";
  /** What this path held at another commit, for a conditional request. */
  readonly known: Entry | undefined;
  /** The first byte that is needed; the origin may begin earlier. */
  readonly from: number;
  /** The end of what is needed; for an object it is all that is asked for. */
  readonly until: number | undefined;
};

export type Opened =
  /** `body` begins at byte `offset` and ends with the entry, or at `until`; it is absent for HEAD. */
  | {
      readonly kind: "entry";
      readonly entry: Entry;
      readonly body: ReadableStream<Uint8Array> | undefined;
      readonly offset: number;
      readonly until?: number;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "missing"; readonly refusal: Refusal }
  | { readonly kind: "busy"; readonly refusal: Refusal; readonly seconds: number }
  /** No length, no validator or a content coding: not to be cached. */
  | { readonly kind: "unclear" };

/** One forge's way of answering who, which and what; made for one site. Failures to answer at all are thrown. */
export interface Dialect {
  ask(asking: Asking): Promise<Answer>;
  open(opening: Opening): Promise<Opened>;
}
