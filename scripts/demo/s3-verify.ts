import type { IncomingMessage } from "node:http";
import type { S3Access } from "./s3-access.ts";
import { parseTime, readClaim } from "./s3-claim.ts";
import type { SignatureClaim } from "./s3-claim.ts";
import { S3Failure } from "./s3-failure.ts";
import {
  canonicalRequest,
  sameSignature,
  scopeText,
  signatureOf,
  signingKey,
  stringToSign,
} from "./s3-signature.ts";
import type { S3Target } from "./s3-target.ts";

/** Who sent a request, and what the signature says about the body that is still to come. */
export type Requester =
  | { readonly kind: "anonymous" }
  | {
      readonly kind: "key";
      readonly keyId: string;
      /** A SHA-256 in hexadecimal, `UNSIGNED-PAYLOAD` or one of the `STREAMING-` values. */
      readonly payload: string;
      /** What chunks of the body are signed with, each after the one before, beginning with the request's own signature. */
      readonly chain: SignatureChain;
    };

export interface SignatureChain {
  readonly signingKey: Buffer;
  readonly seed: string;
  readonly time: string;
  readonly scope: string;
}

export interface Verification {
  readonly request: IncomingMessage;
  readonly target: S3Target;
  readonly access: S3Access;
  /** The only region that signatures are accepted for. */
  readonly region: string;
  /** Milliseconds since 1970. */
  readonly now: number;
}

export const UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
export const STREAMING_PAYLOADS: readonly string[] = [
  "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
  "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
];
const MAX_SKEW_MS = 15 * 60 * 1000;

/** Finds out who sent a request, by Signature Version 4 with everything that AWS checks; throws what S3 refuses with. */
export function verifyRequest(verification: Verification): Requester {
  const { request, target, access, now } = verification;
  const claim = readClaim(request, target);
  if (claim === undefined) return { kind: "anonymous" };
  insistOnScope(claim, verification.region);
  insistOnTime(claim, now);
  const key = access.find(claim.keyId);
  if (key === undefined)
    throw new S3Failure("InvalidAccessKeyId", { elements: { AWSAccessKeyId: claim.keyId } });
  if (claim.sessionToken !== key.sessionToken) throw new S3Failure("InvalidToken");
  insistOnSignedHeaders(claim, request);
  const payload = payloadHash(claim, verification);
  const derived = signingKey(key.secret, claim.scope);
  insistOnSignature(claim, verification, payload, derived);
  const { scope, signature: seed, time } = claim;
  const chain = { signingKey: derived, seed, time, scope: scopeText(scope) };
  return { kind: "key", keyId: claim.keyId, payload, chain };
}

function insistOnScope({ by, scope, time }: SignatureClaim, region: string): void {
  const [code, subject] =
    by === "header"
      ? (["AuthorizationHeaderMalformed", "The authorization header is malformed"] as const)
      : (["AuthorizationQueryParametersError", "Error parsing the X-Amz-Credential parameter"] as const);
  const fault = (message: string, elements = {}) =>
    new S3Failure(code, { message: `${subject}; ${message}`, elements });
  if (scope.service !== "s3")
    throw fault(`incorrect service "${scope.service}". This endpoint belongs to "s3".`);
  if (scope.region !== region)
    throw fault(`the region '${scope.region}' is wrong; expecting '${region}'`, { Region: region });
  if (!time.startsWith(`${scope.date}T`))
    throw fault(
      `Invalid credential date "${scope.date}". This date is not the same as X-Amz-Date: "${time.slice(0, 8)}".`,
    );
}

function insistOnTime({ time, expiresSeconds }: SignatureClaim, now: number): void {
  const signed = parseTime(time) ?? 0;
  const ServerTime = new Date(now).toISOString();
  if (expiresSeconds === undefined) {
    if (Math.abs(now - signed) <= MAX_SKEW_MS) return;
    throw new S3Failure("RequestTimeTooSkewed", {
      elements: { RequestTime: time, ServerTime, MaxAllowedSkewMilliseconds: MAX_SKEW_MS },
    });
  }
  if (signed - now > MAX_SKEW_MS)
    throw new S3Failure("AccessDenied", {
      message: "Request is not valid yet",
      elements: { "X-Amz-Date": time, ServerTime },
    });
  const expiry = signed + expiresSeconds * 1000;
  if (now > expiry)
    throw new S3Failure("AccessDenied", {
      message: "Request has expired",
      elements: { "X-Amz-Expires": expiresSeconds, Expires: new Date(expiry).toISOString(), ServerTime },
    });
}

/** The Host and every x-amz-* header must be signed, or they could be changed on the way. */
function insistOnSignedHeaders({ signedHeaders }: SignatureClaim, request: IncomingMessage): void {
  const needed = Object.keys(request.headers).filter((name) => name.startsWith("x-amz-"));
  const unsigned = ["host", ...needed].filter((name) => !signedHeaders.includes(name));
  if (unsigned.length > 0)
    throw new S3Failure("AccessDenied", {
      message: "There were headers present in the request which were not signed",
      elements: { HeadersNotSigned: unsigned.join(", ") },
    });
}

function payloadHash({ by }: SignatureClaim, { request, target }: Verification): string {
  const header = rawHeader(request, "x-amz-content-sha256");
  if (by === "query") return header ?? target.query.get("X-Amz-Content-Sha256") ?? UNSIGNED_PAYLOAD;
  if (header === undefined)
    throw new S3Failure("InvalidRequest", {
      message: "Missing required header for this request: x-amz-content-sha256",
    });
  if (/^[0-9a-f]{64}$/.test(header) || header === UNSIGNED_PAYLOAD || STREAMING_PAYLOADS.includes(header))
    return header;
  throw new S3Failure("InvalidArgument", {
    message: `x-amz-content-sha256 must be ${[UNSIGNED_PAYLOAD, ...STREAMING_PAYLOADS].join(", ")}, or a valid sha256 value.`,
    elements: { ArgumentName: "x-amz-content-sha256", ArgumentValue: header },
  });
}

function insistOnSignature(
  claim: SignatureClaim,
  { request, target }: Verification,
  payload: string,
  derived: Buffer,
): void {
  const canonical = canonicalRequest({
    method: request.method ?? "",
    path: target.path,
    parameters: target.parameters.filter(([name]) => claim.by === "header" || name !== "X-Amz-Signature"),
    signedHeaders: claim.signedHeaders.map((name) => name.toLowerCase()).toSorted(),
    header: (name) => rawHeader(request, name) ?? "",
    payloadHash: payload,
  });
  const text = stringToSign(claim.time, claim.scope, canonical);
  if (sameSignature(signatureOf(derived, text), claim.signature)) return;
  throw new S3Failure("SignatureDoesNotMatch", {
    elements: {
      AWSAccessKeyId: claim.keyId,
      StringToSign: text,
      SignatureProvided: claim.signature,
      CanonicalRequest: canonical,
    },
  });
}

/** A header as the wire has it, its repetitions joined by commas; Node drops the second of many. */
export function rawHeader({ rawHeaders }: IncomingMessage, name: string): string | undefined {
  const values = rawHeaders.filter(
    (_value, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  );
  return values.length === 0 ? undefined : values.join(",");
}
