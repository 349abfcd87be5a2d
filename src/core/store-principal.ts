import type { HeaderFields } from "./header-fields.ts";
import type { Principal } from "./principal.ts";

/** A request that nothing but its own signature speaks for: all of it that is to be sent again. */
export type SignedRequest = {
  readonly method: string;
  /** The host it was signed for, with what the site's own may have before it. */
  readonly host: string;
  readonly path: string;
  readonly search: string;
  /** Every header field that was signed but `host`, and the signature. */
  readonly headers: HeaderFields;
};

/** Who asks an object store. Two with the same `text` are the same asker. */
export type StorePrincipal =
  /** The holder of a key, whose signature the edge has verified. */
  | { readonly kind: "access key"; readonly accessKey: string; readonly text: string }
  /** The holder of one signature, which only the origin can verify. */
  | { readonly kind: "signed"; readonly request: SignedRequest; readonly text: string };

export type AnyPrincipal = Principal | StorePrincipal;

export function keyPrincipal(accessKey: string): StorePrincipal {
  return { kind: "access key", accessKey, text: JSON.stringify(["access key", accessKey]) };
}

export function signedPrincipal(request: SignedRequest): StorePrincipal {
  const { method, host, path, search, headers } = request;
  return { kind: "signed", request, text: JSON.stringify(["signed", method, host, path, search, headers]) };
}
