import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import type { ByteRange } from "./blob-response.ts";
import type { KeyId, S3Access } from "./s3-access.ts";
import type { S3Bucket, S3Buckets } from "./s3-buckets.ts";
import type { S3Content } from "./s3-content.ts";
import type { Counter } from "./counter.ts";
import type { S3CountKind } from "./s3-counts.ts";
import { S3Failure } from "./s3-failure.ts";
import type { S3Upload } from "./s3-upload.ts";
import type { S3Target } from "./s3-target.ts";
import type { Requester } from "./s3-verify.ts";
import { xmlDocument, xmlError } from "./s3-xml.ts";
import type { XmlContent } from "./s3-xml.ts";

/** What a store holds and knows. */
export interface S3State {
  readonly buckets: S3Buckets;
  readonly uploads: Map<string, S3Upload>;
  readonly access: S3Access;
  readonly counter: Counter<S3CountKind>;
  readonly region: string;
  /** Whether it has the auth API of Ceph RGW, `x-rgw-auth: yes`. */
  readonly rgw: boolean;
  /** The least that any part of a multipart upload but the last may have. */
  readonly minPartBytes: number;
  /** Milliseconds since 1970. */
  now(): number;
  /** A new id for a version, an upload or a request: upper-case letters and digits. */
  newId(): string;
}

/** One request, whose sender is known, and its answer. */
export interface S3Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly target: S3Target;
  readonly requester: Requester;
  readonly state: S3State;
}

/** An exchange about a bucket that exists. */
export interface BucketExchange extends S3Exchange {
  readonly bucket: S3Bucket;
}

/** An exchange about a key of a bucket that exists; nothing need be there. */
export interface ObjectExchange extends BucketExchange {
  readonly key: string;
}

export function keyIdOf(requester: Requester): KeyId {
  return requester.kind === "key" ? requester.keyId : undefined;
}

/** A header's one value; Node gives a list only where a header may come more than once. */
export function headerOf(headers: IncomingHttpHeaders, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value.join(",") : value;
}

export function sendEmpty({ response }: S3Exchange, status: number, headers: OutgoingHttpHeaders = {}): void {
  const length = status === 204 || status === 304 ? {} : { "Content-Length": 0 };
  response.writeHead(status, { ...headers, ...length }).end();
}

export function sendXml(
  { response }: S3Exchange,
  root: string,
  content: XmlContent,
  headers: OutgoingHttpHeaders = {},
): void {
  const body = xmlDocument(root, content);
  response.writeHead(200, {
    ...headers,
    "Content-Type": "application/xml",
    "Content-Length": Buffer.byteLength(body),
  });
  response.end(body);
}

/** Streams a part of an object's bytes, and counts them. */
export async function sendContent(
  { response, state: { counter } }: S3Exchange,
  content: S3Content,
  range: ByteRange,
): Promise<void> {
  await pipeline(function* () {
    for (const chunk of content.read(range)) {
      counter.add("bytes", chunk.length);
      yield chunk;
    }
  }, response);
}

/** Answers with S3's error document; a failure that is not S3's own is an internal error. */
export function sendFailure(request: IncomingMessage, response: ServerResponse, error: unknown): void {
  const failure =
    error instanceof S3Failure ? error : new S3Failure("InternalError", { message: String(error) });
  const body = xmlError({
    Code: failure.code,
    Message: failure.message,
    ...failure.elements,
    Resource: (request.url ?? "").replace(/\?.*$/s, ""),
    RequestId: String(response.getHeader("x-amz-request-id")),
    HostId: String(response.getHeader("x-amz-id-2")),
  });
  response.writeHead(failure.status, {
    ...failure.headers,
    "Content-Type": "application/xml",
    ...(request.method === "HEAD" ? {} : { "Content-Length": Buffer.byteLength(body) }),
  });
  response.end(request.method === "HEAD" ? undefined : body);
}
