import type { Signable } from "./signable.ts";
import type { Signature } from "./signature.ts";

/** What a signature is made for: a day, a region and a service (SigV4: "credential scope"). */
export type SigningScope = Pick<Signature, "day" | "region" | "service">;

/** Makes and checks signatures; synchronous, as it stands on the path of every hit. */
export interface Signer {
  /** The signature of a request in hex, made at `date` (`YYYYMMDD'T'HHMMSS'Z'`). */
  sign(
    signable: Signable,
    made: { readonly secret: string; readonly date: string; readonly scope: SigningScope },
  ): string;
  /** Whether a signature is that of the request by this secret, in constant time. */
  verify(signable: Signable, signature: Signature, secret: string): boolean;
}
