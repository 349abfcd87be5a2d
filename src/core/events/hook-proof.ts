/** What the header fields of a delivery prove; where they need it, `prove` tells by the body's very bytes. */
export type HookProof =
  | { readonly kind: "refused" }
  | { readonly kind: "proven" }
  | { readonly kind: "needs body"; readonly prove: (body: Uint8Array) => boolean };
