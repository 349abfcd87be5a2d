import { toHex } from "./hex.ts";

/** Keyed hashing of credentials, so that what is stored cannot be turned back or recognised elsewhere. */
export type SecretHash = {
  /** HMAC-SHA-256 of a text, in hex. */
  digest(text: string): Promise<string>;
  /** Whether two texts are the same, in a time that does not tell where they differ. */
  equal(left: string, right: string): Promise<boolean>;
};

export function secretHash(secret: string): SecretHash {
  const encoder = new TextEncoder();
  let imported: Promise<CryptoKey> | undefined;

  const sign = async (text: string): Promise<ArrayBuffer> => {
    imported ??= crypto.subtle.importKey(
      "raw",
      encoder.encode(secret),
      { name: "HMAC", hash: "SHA-256" },
      false,
      ["sign"],
    );
    return await crypto.subtle.sign("HMAC", await imported, encoder.encode(text));
  };

  return {
    async digest(text) {
      return toHex(await sign(text));
    },
    async equal(left, right) {
      return crypto.subtle.timingSafeEqual(await sign(left), await sign(right));
    },
  };
}
