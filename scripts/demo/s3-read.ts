import type { IncomingHttpHeaders } from "node:http";
import type { ByteRange } from "./blob-response.ts";
import { currentObject, findVersion, versionHeaders } from "./s3-buckets.ts";
import type { S3Bucket, S3Object } from "./s3-buckets.ts";
import { preconditionFailed, tryReadConditions } from "./s3-conditions.ts";
import { headerOf, keyIdOf, sendContent, sendEmpty } from "./s3-exchange.ts";
import type { ObjectExchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { select } from "./s3-selection.ts";

const OVERRIDES = [
  "cache-control",
  "content-disposition",
  "content-encoding",
  "content-language",
  "content-type",
  "expires",
];
/** What an answer with 304 says about the object (RFC 9110 §15.4.5). */
const NOT_MODIFIED_HEADERS = new Set([
  "ETag",
  "Last-Modified",
  "cache-control",
  "expires",
  "x-amz-version-id",
]);

/** GetObject and HeadObject, and the question of Ceph RGW's auth API, which is a GET without the bytes. */
export async function readObject(exchange: ObjectExchange, isQuestion = false): Promise<void> {
  const { request, response, bucket, state } = exchange;
  const overrides = overridesOf(exchange);
  const object = findReadable(exchange);
  const outcome = tryReadConditions(request.headers, object);
  if (outcome.kind === "failed") throw preconditionFailed(outcome.condition);
  const described = { ...describe(bucket, object), ...overrides };
  if (outcome.kind === "not-modified") {
    state.counter.add("not-modified");
    const kept = Object.entries(described).filter(([name]) => NOT_MODIFIED_HEADERS.has(name));
    sendEmpty(exchange, 304, Object.fromEntries(kept));
    return;
  }
  const { status, range, headers } = select(exchange, object);
  const sent = { ...described, ...checksumHeaders(request.headers, object, range), ...headers };
  if (isQuestion) {
    sendEmpty(exchange, status, sent);
    return;
  }
  response.writeHead(status, { ...sent, "Content-Length": range.end - range.start });
  if (request.method === "HEAD") response.end();
  else await sendContent(exchange, object.content, range);
}

/** The version that is asked for; who may not list a bucket is not told that a key is missing. */
function findReadable({ bucket, key, target, requester, state }: ObjectExchange): S3Object {
  const versionId = target.query.get("versionId");
  const version = findVersion(bucket, key, versionId);
  if (version?.kind === "object") return version;
  if (versionId === undefined && !state.access.may(keyIdOf(requester), "list", bucket.name, key))
    throw new S3Failure("AccessDenied");
  if (version === undefined) throw missing(bucket, key, versionId);
  const headers = { "x-amz-delete-marker": "true", ...versionHeaders(bucket, version) };
  if (versionId === undefined) throw new S3Failure("NoSuchKey", { elements: { Key: key }, headers });
  throw new S3Failure("MethodNotAllowed", {
    elements: { Method: "GET", ResourceType: "DeleteMarker" },
    headers: { ...headers, Allow: "DELETE", "Last-Modified": new Date(version.lastModified).toUTCString() },
  });
}

function missing(bucket: S3Bucket, key: string, versionId: string | undefined): S3Failure {
  if (versionId === undefined) return new S3Failure("NoSuchKey", { elements: { Key: key } });
  const wellFormed = versionId === "null" || (bucket.versioning !== "off" && /^[0-9A-Z]+$/.test(versionId));
  if (wellFormed) return new S3Failure("NoSuchVersion", { elements: { Key: key, VersionId: versionId } });
  return new S3Failure("InvalidArgument", {
    message: "Invalid version id specified",
    elements: { ArgumentName: "versionId", ArgumentValue: versionId },
  });
}

/** Whether an object is there that anybody may read. */
export function isPublicObject(bucket: S3Bucket, key: string, versionId: string | undefined): boolean {
  const version = versionId === undefined ? currentObject(bucket, key) : findVersion(bucket, key, versionId);
  return version?.kind === "object" && version.isPublic;
}

function describe(bucket: S3Bucket, object: S3Object): Record<string, string> {
  return {
    ETag: object.etag,
    "Last-Modified": new Date(object.lastModified).toUTCString(),
    "Accept-Ranges": "bytes",
    ...versionHeaders(bucket, object),
    ...object.headers,
  };
}

function overridesOf({ target: { query }, requester }: ObjectExchange): Record<string, string> {
  const overrides = OVERRIDES.flatMap((name) => {
    const value = query.get(`response-${name}`);
    return value === undefined ? [] : [[name, value] as const];
  });
  if (overrides.length > 0 && requester.kind === "anonymous")
    throw new S3Failure("InvalidRequest", {
      message: "Request specific response headers cannot be used for anonymous GET requests.",
    });
  return Object.fromEntries(overrides);
}

function checksumHeaders(
  headers: IncomingHttpHeaders,
  { checksums, content }: S3Object,
  range: ByteRange,
): Readonly<Record<string, string>> {
  const isWhole = range.end - range.start === content.size;
  return isWhole && headerOf(headers, "x-amz-checksum-mode")?.toUpperCase() === "ENABLED" ? checksums : {};
}
