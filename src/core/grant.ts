import type { Refusal } from "./refusal.ts";

/** The origin's verdict on one principal in one scope; `at` is when the question was sent, in milliseconds. */
export type Grant =
  /** `seen` is by what the very question knew what it was about (`seenIn`), where it could. */
  | { readonly at: number; readonly kind: "yes"; readonly seen?: string | undefined }
  | { readonly at: number; readonly kind: "no"; readonly refusal: Refusal }
  /** The origin asked for quiet (429) until this time, in milliseconds. */
  | { readonly at: number; readonly kind: "hold"; readonly until: number; readonly refusal: Refusal };
