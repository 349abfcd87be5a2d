import { createHmac, timingSafeEqual } from "node:crypto";
import type { ReadHeader } from "../src/core/header-fields.ts";
import type { HookProof } from "../src/core/events/hook-proof.ts";
import { signingKeyOf } from "../src/core/events/signing-key.ts";
import type { SiteKind } from "../src/core/site.ts";

const REFUSED: HookProof = { kind: "refused" };
const PROVEN: HookProof = { kind: "proven" };

/** How far a signed time may be from now (Standard Webhooks: "Webhook authenticity", as its libraries have it). */
const TOLERANCE_S = 5 * 60;

/**
 * Whether a delivery comes from who knows the secret. One that begins with `whsec_` is a signing key (Standard
 * Webhooks): then GitLab's deliveries must be signed by it. `now` is in milliseconds.
 *
 * From `node:crypto`, as other signatures here: it answers at once, and Node.js has it too.
 */
export function hookProof(
  secret: string,
  now: () => number,
): (kind: SiteKind, header: ReadHeader) => HookProof {
  return (kind, header) => {
    if (secret === "") return REFUSED;
    if (kind === "gitea") return giteaProof(secret, header);
    if (kind === "s3") return storeProof(secret, header);
    if (secret.startsWith("whsec_")) return signedProof(secret, now, header);
    return isSecret(secret, header("x-gitlab-token")) ? PROVEN : REFUSED;
  };
}

/** What a header field says, as bytes: runtimes read its bytes either as UTF-8 or each as one character. */
function readings(text: string): readonly Uint8Array[] {
  const utf8 = Buffer.from(text, "utf8");
  return /[\u0100-\uffff]/.test(text) ? [utf8] : [utf8, Buffer.from(text, "latin1")];
}

function isSecret(secret: string, text: string | null): boolean {
  return text !== null && readings(text).some((bytes) => areEqual(secret, bytes));
}

/** Compares what was hashed with the secret, so that the time tells neither where they differ nor how long it is. */
function areEqual(secret: string, bytes: Uint8Array): boolean {
  const hash = (value: string | Uint8Array) => createHmac("sha256", secret).update(value).digest();
  return timingSafeEqual(hash(secret), hash(bytes));
}

/** Standard Webhooks: HMAC-SHA256 of `id.timestamp.body`, one of the `v1` signatures must be it. */
function signedProof(secret: string, now: () => number, header: ReadHeader): HookProof {
  const key = signingKeyOf(secret);
  const id = header("webhook-id") ?? "";
  const timestamp = header("webhook-timestamp") ?? "";
  // A dot in the id would let the same signed bytes be cut in two ways.
  if (key === undefined || !/^[\x21-\x2d\x2f-\x7e]{1,256}$/.test(id)) return REFUSED;
  if (!/^\d{1,12}$/.test(timestamp)) return REFUSED;
  if (Math.abs(now() / 1000 - Number(timestamp)) > TOLERANCE_S) return REFUSED;
  const signatures = (header("webhook-signature") ?? "")
    .split(" ")
    .map((each) => /^v1,([A-Za-z0-9+/]{43}=)$/.exec(each)?.[1])
    .filter((each) => each !== undefined)
    .map((each) => Buffer.from(each, "base64"));
  if (signatures.length === 0) return REFUSED;
  return {
    kind: "needs body",
    prove(body) {
      const hmac = createHmac("sha256", Buffer.from(key, "base64"));
      const wanted = hmac.update(`${id}.${timestamp}.`).update(body).digest();
      return signatures.some((signature) => timingSafeEqual(wanted, signature));
    },
  };
}

/** HMAC-SHA256 of the body in hex; Forgejo sends it by its own name and by Gitea's, and all that are sent must hold. */
function giteaProof(secret: string, header: ReadHeader): HookProof {
  const sent = ["x-forgejo-signature", "x-gitea-signature"].map(header).filter((each) => each !== null);
  if (sent.length === 0 || !sent.every((each) => /^[0-9a-f]{64}$/i.test(each))) return REFUSED;
  const signatures = sent.map((each) => Buffer.from(each, "hex"));
  return {
    kind: "needs body",
    prove(body) {
      const wanted = createHmac("sha256", secret).update(body).digest();
      return signatures.every((signature) => timingSafeEqual(wanted, signature));
    },
  };
}

/** The password of an endpoint `https://any:secret@host` (RGW), or MinIO's `auth_token`, sent with or without `Bearer`. */
function storeProof(secret: string, header: ReadHeader): HookProof {
  const authorization = header("authorization");
  if (authorization === null) return REFUSED;
  const [, scheme = "", credentials = ""] = /^(\S+) +(.*)$/s.exec(authorization) ?? [];
  const isProven =
    isSecret(secret, authorization) ||
    (/^bearer$/i.test(scheme) && isSecret(secret, credentials)) ||
    (/^basic$/i.test(scheme) && isPassword(secret, credentials));
  return isProven ? PROVEN : REFUSED;
}

/** The password is what follows the first colon, of any user (RFC 7617 §2). */
function isPassword(secret: string, credentials: string): boolean {
  const bytes = Buffer.from(credentials, "base64");
  const colon = bytes.indexOf(":");
  return colon !== -1 && areEqual(secret, bytes.subarray(colon + 1));
}
