import type { IncomingMessage } from "node:http";
import { readAwsChunked } from "./s3-aws-chunked.ts";
import type { Unchunked } from "./s3-aws-chunked.ts";
import { checksumAlgorithm, CHECKSUM_PREFIX, checksumOf, md5Hex } from "./s3-checksums.ts";
import { headerOf } from "./s3-exchange.ts";
import type { S3Exchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { sha256Hex } from "./s3-signature.ts";
import { STREAMING_PAYLOADS } from "./s3-verify.ts";

/** A request's body, which is what the request said it would be. */
export interface Payload {
  readonly bytes: Buffer;
  /** The `x-amz-checksum-*` it came with, as header or trailer. */
  readonly checksums: Readonly<Record<string, string>>;
}

/** Reads a body to its end, out of aws-chunked framing, and checks its length, its hash, its signatures and its checksums. */
export async function readPayload(exchange: S3Exchange): Promise<Payload> {
  const { request } = exchange;
  const { headers } = request;
  const decodedLength = headerOf(headers, "x-amz-decoded-content-length");
  if (headers["content-length"] === undefined && decodedLength === undefined)
    throw new S3Failure("MissingContentLength");
  const { bytes, trailer } = unframe(exchange, await readBody(request));
  if (decodedLength !== undefined && Number(decodedLength) !== bytes.length)
    throw new S3Failure("IncompleteBody");
  insistOnMd5(headerOf(headers, "content-md5"), bytes);
  return { bytes, checksums: provenChecksums(request, trailer, bytes) };
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function unframe({ request, requester }: S3Exchange, body: Buffer): Unchunked {
  const payload =
    requester.kind === "key" ? requester.payload : headerOf(request.headers, "x-amz-content-sha256");
  if (payload !== undefined && STREAMING_PAYLOADS.includes(payload)) {
    const signed = payload.includes("HMAC") && requester.kind === "key";
    return readAwsChunked(body, signed ? requester.chain : undefined);
  }
  const actual = sha256Hex(body);
  if (payload !== undefined && /^[0-9a-f]{64}$/.test(payload) && payload !== actual)
    throw new S3Failure("XAmzContentSHA256Mismatch", {
      elements: { ClientComputedContentSHA256: payload, S3ComputedContentSHA256: actual },
    });
  return { bytes: body, trailer: new Map() };
}

function insistOnMd5(expected: string | undefined, bytes: Buffer): void {
  if (expected === undefined) return;
  if (!/^[A-Za-z0-9+/]{22}==$/.test(expected)) throw new S3Failure("InvalidDigest");
  const actual = Buffer.from(md5Hex(bytes), "hex").toString("base64");
  if (actual !== expected)
    throw new S3Failure("BadDigest", { elements: { ExpectedDigest: expected, CalculatedDigest: actual } });
}

function provenChecksums(
  { headers }: IncomingMessage,
  trailer: Unchunked["trailer"],
  bytes: Buffer,
): Record<string, string> {
  const announced = headerOf(headers, "x-amz-trailer");
  if (announced !== undefined && !trailer.has(announced.toLowerCase()))
    throw new S3Failure("MalformedTrailerError");
  const given = [...Object.entries(headers), ...trailer].filter(([name]) => name.startsWith(CHECKSUM_PREFIX));
  const proven = given.flatMap(([name, value]) => {
    const algorithm = checksumAlgorithm(name);
    if (algorithm === undefined) return [];
    if (checksumOf(algorithm, bytes) === value) return [[name, value] as const];
    throw new S3Failure("BadDigest", {
      message: `The ${algorithm.toUpperCase()} you specified did not match the calculated checksum.`,
    });
  });
  return Object.fromEntries(proven);
}
