import type { StoreSite } from "../../src/core/site.ts";
import type { ObjectTarget } from "../../src/core/target.ts";
import { sigv4 } from "../../src/origin/sigv4.ts";
import type { StoreAddress } from "../../src/origin/store-request.ts";

export const ACCESS_KEY = "AKIAIOSFODNN7EXAMPLE";
export const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
export const NOW = Date.UTC(2013, 4, 24);
export const ORIGIN = "http://origin.example:7480";

export const SITE: StoreSite = {
  kind: "s3",
  host: "*.s3.example",
  origin: ORIGIN,
  auth: "edge",
  region: "eu-central-1",
};

/** A site and all that is needed to ask its origin at `NOW`. */
export function addressOf(site: Partial<StoreSite> = {}): StoreAddress {
  return {
    site: { ...SITE, ...site },
    signer: sigv4(),
    keys: new Map([[ACCESS_KEY, SECRET]]),
    now: () => NOW,
  };
}

export const TARGET: ObjectTarget = {
  lane: "object",
  bucket: "bucket",
  key: "key",
  versionId: undefined,
  overrides: "",
  corsOrigin: undefined,
  inside: undefined,
  literal: undefined,
};
