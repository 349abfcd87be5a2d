import { createHmac } from "node:crypto";
import { scopeText, sha256, signingKey, type Key, type Sent, type SigningScope } from "./s3-client.ts";

/** How a body is framed in chunks, and what is wrong with it. */
export type Chunking = {
  readonly chunkBytes: number;
  /** Name and value of a field behind the last chunk. */
  readonly trailer?: readonly [name: string, value: string];
  readonly isSigned: boolean;
  /** Changes what goes out for a chunk, the last one included, or for the trailer. */
  readonly damage?: (part: Buffer, index: number) => Buffer;
};

/** What `x-amz-content-sha256` says of such a body. */
export function chunkedPayload({ trailer, isSigned }: Chunking): string {
  if (!isSigned) return "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
  return `STREAMING-AWS4-HMAC-SHA256-PAYLOAD${trailer === undefined ? "" : "-TRAILER"}`;
}

export function chunkedHeaders(bytes: Buffer, { trailer }: Chunking): Record<string, string> {
  return {
    "content-encoding": "aws-chunked",
    "x-amz-decoded-content-length": String(bytes.length),
    ...(trailer !== undefined && { "x-amz-trailer": trailer[0] }),
  };
}

/** Puts a framed body under a request that was signed for it. */
export function withChunks(key: Key, bytes: Buffer, chunking: Chunking): (sent: Sent) => Sent {
  return (sent) => {
    const date = sent.headers["x-amz-date"] ?? "";
    const seed = /Signature=([0-9a-f]+)/.exec(sent.headers["authorization"] ?? "")?.[1] ?? "";
    const scope = { date, region: "us-east-1", service: "s3" };
    const body = framed(bytes, chunking, chain(key, scope, seed));
    return { ...sent, body };
  };
}

type Chain = { next(algorithm: string, hashes: readonly string[]): string };

function chain({ secret }: Key, scope: SigningScope, seed: string): Chain {
  const key = signingKey(secret, scope);
  let previous = seed;
  return {
    next(algorithm, hashes) {
      const text = [algorithm, scope.date, scopeText(scope), previous, ...hashes].join("\n");
      previous = createHmac("sha256", key).update(text).digest("hex");
      return previous;
    },
  };
}

function framed(
  bytes: Buffer,
  { chunkBytes, trailer, isSigned, damage = (part) => part }: Chunking,
  signer: Chain,
): Buffer {
  const chunks: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += chunkBytes)
    chunks.push(bytes.subarray(start, start + chunkBytes));
  const parts = [...chunks, Buffer.alloc(0)].map((chunk, index) => {
    const hex = isSigned ? signer.next("AWS4-HMAC-SHA256-PAYLOAD", [sha256(""), sha256(chunk)]) : "";
    const head = `${chunk.length.toString(16)}${isSigned ? `;chunk-signature=${hex}` : ""}\r\n`;
    const end = chunk.length === 0 ? "" : "\r\n";
    return damage(Buffer.concat([Buffer.from(head), chunk, Buffer.from(end)]), index);
  });
  if (trailer === undefined) return Buffer.concat([...parts, Buffer.from("\r\n")]);
  const [name, value] = trailer;
  const hex = isSigned ? signer.next("AWS4-HMAC-SHA256-TRAILER", [sha256(`${name}:${value}\n`)]) : "";
  const signed = isSigned ? `x-amz-trailer-signature:${hex}\r\n` : "";
  const end = damage(Buffer.from(`${name}:${value}\r\n${signed}`), parts.length);
  return Buffer.concat([...parts, end, Buffer.from("\r\n")]);
}
