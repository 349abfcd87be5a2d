import { createHash, createHmac, createSecretKey, timingSafeEqual, type KeyObject } from "node:crypto";
import { getCanonicalHeaders, SignatureV4Base } from "@smithy/signature-v4";
import type { Signable } from "../core/signable.ts";
import type { Signature } from "../core/signature.ts";
import type { Signer, SigningScope } from "../core/signer.ts";

/**
 * The canonical form of requests, from the library that AWS's own SDK signs with. Its signer is not used whole: it is
 * asynchronous, sets dates itself, and cannot check a presigned URL.
 */
class CanonicalForm extends SignatureV4Base {
  constructor() {
    super({
      service: "s3",
      region: "",
      credentials: { accessKeyId: "", secretAccessKey: "" },
      sha256: NoHash,
      uriEscapePath: false, // S3 is the one service whose paths are encoded once
      applyChecksum: false,
    });
  }

  of({ method, path, query, headers, payload }: Signable): string {
    const request = {
      method,
      path,
      query: { ...query },
      headers: { ...headers },
      protocol: "",
      hostname: "",
    };
    const signed = getCanonicalHeaders(request, undefined, new Set(Object.keys(headers)));
    return this.createCanonicalRequest(request, signed, payload);
  }
}

/** The base class asks for a hash that only its own signer would use. */
class NoHash {
  update(): void {
    throw new TypeError("Hashes are made with node:crypto");
  }
  digest(): Promise<Uint8Array> {
    throw new TypeError("Hashes are made with node:crypto");
  }
  reset(): void {}
}

const canonicalForm = new CanonicalForm();
/** Signing keys change with the day; a few thousand are those of a few thousand keys. */
const MOST_SIGNING_KEYS = 4096;

/** Signatures by node:crypto: native, and synchronous in workerd. */
export function sigv4(): Signer {
  const signingKeys = new Map<string, KeyObject>();

  const keyFor = (secret: string, scope: SigningScope): KeyObject => {
    const name = `${scope.day}/${scope.region}/${scope.service}/${secret}`;
    const known = signingKeys.get(name);
    if (known !== undefined) return known;
    const key = createSecretKey(signingKey(secret, scope)); // half the cost of a signature, made once
    if (signingKeys.size >= MOST_SIGNING_KEYS) signingKeys.clear();
    signingKeys.set(name, key);
    return key;
  };

  const digest = (signable: Signable, secret: string, date: string, scope: SigningScope): Buffer => {
    const { day, region, service } = scope;
    const hashed = createHash("sha256").update(canonicalForm.of(signable)).digest("hex");
    const text = `AWS4-HMAC-SHA256\n${date}\n${day}/${region}/${service}/aws4_request\n${hashed}`;
    return createHmac("sha256", keyFor(secret, scope)).update(text).digest();
  };

  return {
    sign: (signable, { secret, date, scope }) => digest(signable, secret, date, scope).toString("hex"),
    verify(signable, signature, secret) {
      if (hasUncovered(signable, signature)) return false;
      const wanted = digest(signable, secret, signature.date, signature);
      return timingSafeEqual(wanted, Buffer.from(signature.hex, "hex"));
    },
  };
}

/**
 * Whether a query has a parameter that the library leaves out of the canonical form, so that no signature covers it: the
 * signature's own name spelled otherwise, and the one name that is no plain property of an object.
 */
function hasUncovered({ query }: Signable, { place }: Signature): boolean {
  return Object.entries(query).some(([name, value]) => {
    if (name === "__proto__") return true;
    if (name.toLowerCase() !== "x-amz-signature") return false;
    return place === "header" || name !== "X-Amz-Signature" || typeof value !== "string";
  });
}

/** The key of one day, region and service (SigV4: "Calculate the signature"). */
export function signingKey(secret: string, { day, region, service }: SigningScope): Buffer {
  const parts = [day, region, service, "aws4_request"];
  return parts.reduce<Buffer>(
    (key, part) => createHmac("sha256", key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
}
