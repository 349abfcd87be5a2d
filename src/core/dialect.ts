import type { Entry } from "./entry.ts";
import type { Principal } from "./principal.ts";
import type { Question } from "./question.ts";
import type { Refusal } from "./refusal.ts";
import type { Pin } from "./pin.ts";
import type { Revision } from "./revision.ts";
import type { RawTarget } from "./target.ts";

/** What one question to the origin taught. */
export type Answer =
  /** `revision` is what the question's name stands for, where it had one. */
  | { readonly kind: "admitted"; readonly revision: Revision | undefined }
  /** `about` tells whether the whole scope was refused, or perhaps only the name (a 404 that does not say). */
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly about: "scope" | "name" }
  | { readonly kind: "busy"; readonly refusal: Refusal; readonly seconds: number }
  /** An answer this dialect cannot read (a moved project, say): the origin must serve the request itself. */
  | { readonly kind: "unclear" };

export type Asking = {
  readonly question: Question;
  readonly target: RawTarget;
  readonly principal: Principal;
  /** A validator the name had before, for a conditional request. */
  readonly etag: string | undefined;
};

export type Opening = {
  readonly target: RawTarget;
  readonly pin: Pin;
  readonly principal: Principal;
  /** `HEAD` asks for no bytes. */
  readonly method: "GET" | "HEAD";
  /** What this path held at another commit, for a conditional request. */
  readonly known: Entry | undefined;
  /** The first byte that is needed; the origin may begin earlier. */
  readonly from: number;
};

export type Opened =
  /** `body` begins at byte `offset`; it is absent for HEAD. */
  | {
      readonly kind: "entry";
      readonly entry: Entry;
      readonly body: ReadableStream<Uint8Array> | undefined;
      readonly offset: number;
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
