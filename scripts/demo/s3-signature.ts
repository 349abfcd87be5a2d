import { createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Date (`YYYYMMDD`), region and service that a signature is good for. */
export interface CredentialScope {
  readonly date: string;
  readonly region: string;
  readonly service: string;
}

export interface CanonicalParts {
  readonly method: string;
  /** Decoded. */
  readonly path: string;
  readonly parameters: readonly (readonly [name: string, value: string])[];
  /** Lower case and sorted. */
  readonly signedHeaders: readonly string[];
  /** A header's value as the wire has it, one byte a character. */
  readonly header: (name: string) => string;
  readonly payloadHash: string;
}

/**
 * The canonical request of Signature Version 4 as S3 has it: the path is encoded once and never normalised
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 */
export function canonicalRequest(parts: CanonicalParts): string {
  return [
    parts.method,
    uriEncode(parts.path).replaceAll("%2F", "/"),
    canonicalQuery(parts.parameters),
    ...parts.signedHeaders.map((name) => `${name}:${collapse(parts.header(name))}`),
    "",
    parts.signedHeaders.join(";"),
    parts.payloadHash,
  ].join("\n");
}

function canonicalQuery(parameters: CanonicalParts["parameters"]): string {
  return parameters
    .map(([name, value]) => [uriEncode(name), uriEncode(value)] as const)
    .toSorted(([a, x], [b, y]) => compare(a, b) || compare(x, y))
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

/** By code unit, which for the ASCII of encoded names is by byte. */
function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function collapse(value: string): string {
  return value.replace(/^[ \t]+|[ \t]+$/g, "").replace(/ +/g, " ");
}

/** Encodes every byte but A-Z, a-z, 0-9, `-`, `.`, `_` and `~`. */
export function uriEncode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

export function scopeText({ date, region, service }: CredentialScope): string {
  return `${date}/${region}/${service}/aws4_request`;
}

/** The text that a request's signature signs; `time` as `YYYYMMDDTHHMMSSZ`. */
export function stringToSign(time: string, scope: CredentialScope, canonical: string): string {
  return ["AWS4-HMAC-SHA256", time, scopeText(scope), sha256Hex(canonical)].join("\n");
}

export function signingKey(secret: string, { date, region, service }: CredentialScope): Buffer {
  return [date, region, service, "aws4_request"].reduce<Buffer>(
    (key, part) => createHmac("sha256", key).update(part).digest(),
    Buffer.from(`AWS4${secret}`),
  );
}

export function signatureOf(key: Buffer, text: string): string {
  return createHmac("sha256", key).update(text, "latin1").digest("hex");
}

/** SHA-256 in lower-case hexadecimal; text is hashed as one byte a character, as headers are given. */
export function sha256Hex(data: string | Uint8Array): string {
  const hash = createHash("sha256");
  return (typeof data === "string" ? hash.update(data, "latin1") : hash.update(data)).digest("hex");
}

/** Compares in a time that says nothing about where two signatures differ. */
export function sameSignature(expected: string, provided: string): boolean {
  const [a, b] = [Buffer.from(expected), Buffer.from(provided)];
  return a.length === b.length && timingSafeEqual(a, b);
}
