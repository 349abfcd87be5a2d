import { S3Failure } from "./s3-failure.ts";
import { sameSignature, sha256Hex, signatureOf } from "./s3-signature.ts";
import type { SignatureChain } from "./s3-verify.ts";

/** A body out of its aws-chunked framing; the trailer's fields by lower-case name. */
export interface Unchunked {
  readonly bytes: Buffer;
  readonly trailer: ReadonlyMap<string, string>;
}

const MIN_CHUNK_BYTES = 8192;
const TRAILER_SIGNATURE = "x-amz-trailer-signature";

/**
 * Reads the framing of `Content-Encoding: aws-chunked`, with each chunk's signature where a chain is given
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html):
 *
 *   <size in hexadecimal>[;chunk-signature=<64 hexadecimal digits>] CRLF <bytes> CRLF
 *   ...
 *   0[;chunk-signature=...] CRLF [<name>:<value> CRLF ...] [x-amz-trailer-signature:... CRLF] CRLF
 */
export function readAwsChunked(body: Buffer, chain: SignatureChain | undefined): Unchunked {
  const chunks: Buffer[] = [];
  let previous = chain?.seed ?? "";
  let offset = 0;
  for (;;) {
    const head = readChunkHead(body, offset);
    const chunk = body.subarray(head.end, head.end + head.size);
    if (chunk.length < head.size) throw new S3Failure("IncompleteBody");
    if (chain !== undefined) {
      insistOnChunk(chain, previous, chunk, head.signature);
      if (head.size > 0 && (chunks.at(-1)?.length ?? MIN_CHUNK_BYTES) < MIN_CHUNK_BYTES)
        throw new S3Failure("InvalidChunkSizeError");
    }
    previous = head.signature;
    if (head.size === 0)
      return { bytes: Buffer.concat(chunks), trailer: readTrailer(body.subarray(head.end), chain, previous) };
    chunks.push(chunk);
    offset = head.end + head.size;
    if (body.toString("latin1", offset, offset + 2) !== "\r\n") throw new S3Failure("IncompleteBody");
    offset += 2;
  }
}

function readChunkHead(body: Buffer, offset: number) {
  const end = body.indexOf("\r\n", offset);
  const line = end < 0 ? "" : body.toString("latin1", offset, end);
  const [, size, signature = ""] = /^([0-9a-f]{1,8})(?:;chunk-signature=([0-9a-f]{64}))?$/i.exec(line) ?? [];
  if (size === undefined) throw new S3Failure("IncompleteBody");
  return { size: Number.parseInt(size, 16), signature, end: end + 2 };
}

function insistOnChunk(
  { signingKey, time, scope }: SignatureChain,
  previous: string,
  chunk: Buffer,
  signature: string,
): void {
  const text = ["AWS4-HMAC-SHA256-PAYLOAD", time, scope, previous, sha256Hex(""), sha256Hex(chunk)].join(
    "\n",
  );
  if (!sameSignature(signatureOf(signingKey, text), signature))
    throw new S3Failure("SignatureDoesNotMatch", {
      elements: { StringToSign: text, SignatureProvided: signature },
    });
}

function readTrailer(
  rest: Buffer,
  chain: SignatureChain | undefined,
  previous: string,
): ReadonlyMap<string, string> {
  // The documentation's own example ends the field with a bare line feed.
  const lines = rest
    .toString("latin1")
    .split(/\r?\n/)
    .filter((line) => line !== "");
  const fields = lines.map((line) => {
    const [, name, value] = /^([^:\s]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new S3Failure("MalformedTrailerError");
    return [name.toLowerCase(), value] as const;
  });
  const signed = fields.filter(([name]) => name !== TRAILER_SIGNATURE);
  if (chain !== undefined && signed.length > 0) {
    const signature = new Map(fields).get(TRAILER_SIGNATURE) ?? "";
    insistOnTrailer(chain, previous, signed, signature);
  }
  return new Map(signed);
}

function insistOnTrailer(
  { signingKey, time, scope }: SignatureChain,
  previous: string,
  fields: readonly (readonly [string, string])[],
  signature: string,
): void {
  const canonical = fields.map(([name, value]) => `${name}:${value}\n`).join("");
  const text = ["AWS4-HMAC-SHA256-TRAILER", time, scope, previous, sha256Hex(canonical)].join("\n");
  if (!sameSignature(signatureOf(signingKey, text), signature))
    throw new S3Failure("SignatureDoesNotMatch", {
      elements: { StringToSign: text, SignatureProvided: signature },
    });
}
