import type { Refusal } from "./refusal.ts";

/** The origin's verdict on one principal in one scope; `at` is when the question was sent, in milliseconds. */
export type Grant =
  | { readonly at: number; readonly kind: "yes" }
  | { readonly at: number; readonly kind: "no"; readonly refusal: Refusal }
  /** The origin asked for quiet (429) until this time, in milliseconds. */
  | { readonly at: number; readonly kind: "hold"; readonly until: number; readonly refusal: Refusal };
