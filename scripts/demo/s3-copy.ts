import type { IncomingHttpHeaders } from "node:http";
import type { ByteRange } from "./blob-response.ts";
import { currentObject, findBucket, findVersion, versionHeaders } from "./s3-buckets.ts";
import type { S3Object } from "./s3-buckets.ts";
import { insistOnWriteConditions, preconditionFailed, tryReadConditions } from "./s3-conditions.ts";
import { headerOf, keyIdOf, sendXml } from "./s3-exchange.ts";
import type { ObjectExchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { keptHeaders } from "./s3-kept-headers.ts";
import { isPublicObject } from "./s3-read.ts";
import { decodePercent } from "./s3-target.ts";
import { storeObject } from "./s3-write.ts";

const CONDITIONS = ["if-match", "if-none-match", "if-modified-since", "if-unmodified-since"];

/** CopyObject: bytes, entity tag and parts stay as they are; headers too, unless they are sent anew. */
export function copyObject(exchange: ObjectExchange): void {
  const { bucket, key, request } = exchange;
  const { source, sourceBucket } = findCopySource(exchange);
  const directive = headerOf(request.headers, "x-amz-metadata-directive") ?? "COPY";
  if (source === currentObject(bucket, key) && directive !== "REPLACE")
    throw new S3Failure("InvalidRequest", {
      message:
        "This copy request is illegal because it is trying to copy an object to itself without changing the object's metadata, storage class, website redirect location or encryption attributes.",
    });
  insistOnWriteConditions(request.headers, currentObject(bucket, key), key);
  const headers = directive === "REPLACE" ? keptHeaders(request.headers) : source.headers;
  const object = storeObject(exchange, { ...source, headers });
  const sourceVersion = versionHeaders(sourceBucket, source)["x-amz-version-id"];
  sendXml(exchange, "CopyObjectResult", copyResult(object), {
    ...versionHeaders(bucket, object),
    ...(sourceVersion === undefined ? {} : { "x-amz-copy-source-version-id": sourceVersion }),
  });
}

export function copyResult({ lastModified, etag }: Pick<S3Object, "lastModified" | "etag">) {
  return { LastModified: new Date(lastModified).toISOString(), ETag: etag };
}

/** The object that `x-amz-copy-source` names, if its conditions hold and the requester may read it. */
export function findCopySource({ request, requester, state }: ObjectExchange) {
  const [path = "", search] = (headerOf(request.headers, "x-amz-copy-source") ?? "").split("?versionId=");
  const [, name, key] = /^\/?([^/]+)\/(.+)$/s.exec(decodePercent(path)) ?? [];
  if (name === undefined || key === undefined)
    throw new S3Failure("InvalidArgument", {
      message: "Copy Source must mention the source bucket and key: sourcebucket/sourcekey",
      elements: { ArgumentName: "x-amz-copy-source", ArgumentValue: path },
    });
  const sourceBucket = findBucket(state.buckets, name);
  if (!state.access.may(keyIdOf(requester), "read", name, key) && !isPublicObject(sourceBucket, key, search))
    throw new S3Failure("AccessDenied");
  const source = findVersion(sourceBucket, key, search);
  if (source?.kind !== "object") throw new S3Failure("NoSuchKey", { elements: { Key: key } });
  insistOnSourceConditions(request.headers, source);
  return { source, sourceBucket };
}

function insistOnSourceConditions(headers: IncomingHttpHeaders, source: S3Object): void {
  const renamed = CONDITIONS.flatMap((name) => {
    const value = headerOf(headers, `x-amz-copy-source-${name}`);
    return value === undefined ? [] : [[name, value] as const];
  });
  const outcome = tryReadConditions(Object.fromEntries(renamed), source);
  if (outcome.kind === "failed") throw preconditionFailed(`x-amz-copy-source-${outcome.condition}`);
  if (outcome.kind === "not-modified") throw preconditionFailed("x-amz-copy-source-If-None-Match");
}

/** The part that `x-amz-copy-source-range` names, which must be all there. */
export function copySourceRange(headers: IncomingHttpHeaders, size: number): ByteRange {
  const header = headerOf(headers, "x-amz-copy-source-range");
  if (header === undefined) return { start: 0, end: size };
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(header) ?? [];
  const range = { start: Number(first), end: Number(last) + 1 };
  if (range.start < range.end && range.end <= size) return range;
  throw new S3Failure("InvalidArgument", {
    message: `Range specified is not valid for source object of size: ${size}`,
    elements: { ArgumentName: "x-amz-copy-source-range", ArgumentValue: header },
  });
}
