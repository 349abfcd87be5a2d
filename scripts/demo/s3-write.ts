import { addVersion, currentObject, versionHeaders } from "./s3-buckets.ts";
import type { S3Object } from "./s3-buckets.ts";
import { md5Hex } from "./s3-checksums.ts";
import { insistOnWriteConditions } from "./s3-conditions.ts";
import { bufferContent } from "./s3-content.ts";
import { headerOf, sendEmpty } from "./s3-exchange.ts";
import type { ObjectExchange } from "./s3-exchange.ts";
import { keptHeaders } from "./s3-kept-headers.ts";
import { readPayload } from "./s3-payload.ts";

const MS = 1000;

/** PutObject. */
export async function putObject(exchange: ObjectExchange): Promise<void> {
  const { bucket, key, request } = exchange;
  insistOnWriteConditions(request.headers, currentObject(bucket, key), key);
  const { bytes, checksums } = await readPayload(exchange);
  // Another request may have written the object while this one's body came.
  insistOnWriteConditions(request.headers, currentObject(bucket, key), key);
  const object = storeObject(exchange, {
    content: bufferContent(bytes),
    etag: `"${md5Hex(bytes)}"`,
    headers: keptHeaders(request.headers),
    checksums: typedChecksums(checksums),
  });
  sendEmpty(exchange, 200, { ETag: object.etag, ...object.checksums, ...versionHeaders(bucket, object) });
}

/** Adds an object as the newest version of the exchange's key. */
export function storeObject(
  { bucket, key, request, state }: ObjectExchange,
  object: Pick<S3Object, "content" | "etag" | "headers" | "checksums" | "partSizes">,
): S3Object {
  const stored = {
    ...object,
    kind: "object" as const,
    key,
    lastModified: fullSeconds(state.now()),
    isPublic: headerOf(request.headers, "x-amz-acl")?.startsWith("public-read") ?? false,
  };
  return addVersion<S3Object>(bucket, stored, () => state.newId());
}

/** The checksums of a whole object, with the type that says so. */
export function typedChecksums(checksums: Readonly<Record<string, string>>): Record<string, string> {
  return Object.keys(checksums).length === 0 ? {} : { ...checksums, "x-amz-checksum-type": "FULL_OBJECT" };
}

export function fullSeconds(milliseconds: number): number {
  return Math.floor(milliseconds / MS) * MS;
}
