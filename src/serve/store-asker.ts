import type { ReadHeader } from "../core/header-fields.ts";
import type { ProblemName } from "../core/problem.ts";
import { signableOf } from "../core/signable.ts";
import { isSigned, judgeSignature, readSignature, signatureEnd, type Signature } from "../core/signature.ts";
import { hasOverrides } from "../core/overrides.ts";
import type { StoreSite } from "../core/site.ts";
import { keyPrincipal, signedPrincipal, type StorePrincipal } from "../core/store-principal.ts";
import type { Arrival } from "./arrival.ts";
import { NOBODY, type AskerParts } from "./asker.ts";
import type { Ports } from "./ports.ts";
import type { Asker } from "./visit.ts";

/** Who asks an object store, as far as the edge can tell. */
export type StoreAsker =
  | { readonly kind: "nobody" }
  /** The holder of a key: the signature is right. */
  | {
      readonly kind: "key";
      readonly accessKey: string;
      readonly signature: Signature;
      readonly payload: string;
    }
  /** The holder of a signature that the origin must judge. */
  | { readonly kind: "signed"; readonly principal: StorePrincipal }
  | { readonly kind: "refused"; readonly problem: ProblemName }
  /** Signed in a way that only the origin can judge, for this one time. */
  | { readonly kind: "foreign" };

const NOBODY_ASKS: StoreAsker = { kind: "nobody" };
const FOREIGN: StoreAsker = { kind: "foreign" };
const OVERRIDING: StoreAsker = { kind: "refused", problem: "override_unsigned" };

type Request = Pick<Arrival, "method" | "host" | "path" | "search" | "headers" | "acceptEncoding">;

/** Header fields as they were signed: in the place of one of them Cloudflare puts its own. */
function asSent({ headers, acceptEncoding }: Request): ReadHeader {
  return (name) => (name === "accept-encoding" ? acceptEncoding() : headers.get(name));
}

/** Reads who asks, and where the edge has the keys, verifies it: for every request, as a grant is believed only of who they are. */
export function readStoreAsker(ports: Ports, site: StoreSite, request: Request): StoreAsker {
  const { method, host, path, search, headers } = request;
  const header = asSent(request);
  const answer = readSignature(header, search);
  // Ceph sends two answers in one to nobody's overrides (16.2), whatever looks like a signature: they are not even sent there
  if (hasOverrides(search) && (answer.kind === "none" || !isSigned(header, search))) return OVERRIDING;
  if (answer.kind === "none") return NOBODY_ASKS;
  if (answer.kind === "foreign") return FOREIGN;
  const now = ports.now();
  if (site.auth !== "edge") {
    if (answer.kind === "problem" || now >= signatureEnd(answer.signature)) return FOREIGN;
    return signedAsker(request, answer.signature);
  }
  if (answer.kind === "problem") return { kind: "refused", problem: answer.problem };
  const { signature } = answer;
  const secret = ports.config.storeKeys.get(signature.accessKey);
  if (secret === undefined) return { kind: "refused", problem: "access_key_unknown" };
  const problem = judgeSignature(signature, now, site.region);
  if (problem !== undefined) return { kind: "refused", problem };
  const signable = signableOf({ method, host, path, search, header }, signature);
  if (signable === undefined) return { kind: "refused", problem: "payload_hash_missing" };
  if (!ports.signer.verify(signable, signature, secret))
    return { kind: "refused", problem: "signature_mismatch" };
  if (hasUnsigned(headers, signature)) return { kind: "refused", problem: "headers_unsigned" };
  return { kind: "key", accessKey: signature.accessKey, signature, payload: signable.payload };
}

/** Whether something was added to a request behind its signature (S3: all `x-amz-*` header fields must be signed). */
function hasUnsigned(headers: Headers, { signedHeaders, place }: Signature): boolean {
  for (const name of headers.keys()) {
    if (!name.startsWith("x-amz-") || signedHeaders.includes(name)) continue;
    if (place === "query" && name === "x-amz-content-sha256") continue; // a presigned URL is for any payload
    return true;
  }
  return false;
}

/** Header fields that change an answer: a signature over them is good for no other read of the object. */
const BINDING = /^(?:range|if-|x-amz-server-side-encryption|x-amz-expected|x-amz-request-payer|x-amz-copy)/;

/** What origins are asked with, as the bytes are kept as they are stored; a signature over another word would be found wrong. */
const CODINGS = "identity";

function signedAsker(request: Request, { signedHeaders }: Signature): StoreAsker {
  const { method, host, path, search, headers } = request;
  const header = asSent(request);
  if (signedHeaders.some((name) => BINDING.test(name))) return FOREIGN;
  if (signedHeaders.includes("accept-encoding") && header("accept-encoding") !== CODINGS) return FOREIGN;
  const names = new Set([...signedHeaders.filter((name) => name !== "host"), "authorization", "x-amz-date"]);
  for (const name of headers.keys()) if (name.startsWith("x-amz-")) names.add(name);
  const sent = [...names].flatMap((name): [string, string][] => {
    const value = header(name);
    return value === null ? [] : [[name, value]];
  });
  return { kind: "signed", principal: signedPrincipal({ method, host, path, search, headers: sent }) };
}

/** Header fields with which a read is another one than its URL says, each decided by the origin alone. */
const DECIDING = [
  "x-amz-server-side-encryption-customer-algorithm",
  "x-amz-expected-bucket-owner",
  "x-amz-request-payer",
  "x-auth-token", // Ceph speaks Swift on the same host
];

/** Whether a read is one that the origin has to answer itself. */
export function isDecidedByOrigin(headers: Headers): boolean {
  return DECIDING.some((name) => headers.get(name) !== null);
}

/** Who asks as the journey knows them, with the hash that stands for them in keys; `undefined` where the origin must answer. */
export async function storeAsker(
  { digest, known }: AskerParts,
  who: Exclude<StoreAsker, { kind: "refused" }>,
): Promise<Asker | undefined> {
  if (who.kind === "foreign") return undefined;
  if (who.kind === "nobody") return NOBODY;
  const name = who.kind === "key" ? who.accessKey : who.principal.text; // no access key reads like the text of a principal
  const found = known.get(name);
  if (found !== undefined) return found;
  const principal = who.kind === "key" ? keyPrincipal(who.accessKey) : who.principal;
  const asker = { principal, id: await digest(principal.text) };
  known.set(name, asker);
  return asker;
}
