import type { IncomingMessage } from "node:http";
import type { Permission } from "./s3-access.ts";
import {
  createBucketRequested,
  deleteBucket,
  getBucketLocation,
  getBucketVersioning,
  headBucket,
  listBuckets,
  putBucketVersioning,
} from "./s3-bucket-requests.ts";
import { findBucket } from "./s3-buckets.ts";
import { copyObject } from "./s3-copy.ts";
import type { S3CountKind } from "./s3-counts.ts";
import { deleteObject, deleteObjects } from "./s3-delete.ts";
import { keyIdOf } from "./s3-exchange.ts";
import type { BucketExchange, ObjectExchange, S3Exchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { listObjects } from "./s3-list.ts";
import {
  abortUpload,
  completeUpload,
  createUpload,
  listParts,
  uploadPart,
  uploadPartCopy,
} from "./s3-multipart.ts";
import { isPublicObject, readObject } from "./s3-read.ts";
import type { S3Target } from "./s3-target.ts";
import { putObject } from "./s3-write.ts";

/** What a request asks for: how it counts, and what it takes to answer it. */
export interface S3Operation {
  readonly kind: S3CountKind;
  run(exchange: S3Exchange): void | Promise<void>;
}

/** Parameters that make another resource of a bucket or an object, none of which this store has. */
const SUBRESOURCES = (
  "accelerate acl analytics attributes cors encryption intelligent-tiering inventory legal-hold lifecycle logging " +
  "metrics notification object-lock ownershipControls policy policyStatus publicAccessBlock replication " +
  "requestPayment restore retention select session tagging torrent uploads versions website"
).split(" ");

/** Which operation a request is, by its method, its target and its parameters. */
export function findOperation(request: IncomingMessage, target: S3Target, rgw: boolean): S3Operation {
  const { method = "" } = request;
  const { bucket, key, query } = target;
  const found =
    bucket === undefined
      ? serviceOperations[method]
      : key === undefined
        ? bucketOperation(method, query, bucket)
        : objectOperation(request, query, rgw);
  if (found !== undefined) return found;
  return { kind: "other", run: () => refuse(method, query) };
}

const serviceOperations: Readonly<Record<string, S3Operation>> = {
  GET: { kind: "other", run: listBuckets },
};

function refuse(method: string, query: S3Target["query"]): never {
  const subresource = SUBRESOURCES.find((name) => query.has(name));
  if (method === "POST" && subresource === undefined)
    throw new S3Failure("NotImplemented", { message: "This store takes no uploads by form" });
  if (subresource === undefined) throw new S3Failure("MethodNotAllowed", { elements: { Method: method } });
  throw new S3Failure("NotImplemented", { message: `This store has no ?${subresource}` });
}

function bucketOperation(method: string, query: S3Target["query"], name: string): S3Operation | undefined {
  const which = ["location", "versioning", "delete"].find((parameter) => query.has(parameter)) ?? "";
  if (method === "PUT" && which === "" && !hasSubresource(query))
    return { kind: "other", run: (exchange) => createBucketRequested(exchange, name) };
  const table: Readonly<Record<string, S3Operation>> = {
    "GET location": onBucket("other", "list", getBucketLocation),
    "GET versioning": onBucket("other", "list", getBucketVersioning),
    "PUT versioning": onBucket("other", "write", putBucketVersioning),
    // Every key is judged by itself.
    "POST delete": onBucket("delete", undefined, deleteObjects),
    "GET ": onBucket("list", "list", listObjects),
    "HEAD ": onBucket("other", "list", headBucket),
    "DELETE ": onBucket("other", "write", deleteBucket),
  };
  return hasSubresource(query) ? undefined : table[`${method} ${which}`];
}

function objectOperation(
  request: IncomingMessage,
  query: S3Target["query"],
  rgw: boolean,
): S3Operation | undefined {
  const { method = "", headers } = request;
  const isCopy = headers["x-amz-copy-source"] !== undefined;
  if (query.has("uploadId")) return uploadOperations(isCopy)[method];
  if (method === "POST" && query.has("uploads")) return onObject("multipart", "write", createUpload);
  if (hasSubresource(query)) return undefined;
  if (method === "GET" && rgw && headers["x-rgw-auth"] === "yes")
    return onObject("rgw-auth", "read", (exchange) => readObject(exchange, true));
  const table: Readonly<Record<string, S3Operation>> = {
    GET: onObject(headers.range === undefined ? "get" : "get-range", "read", (exchange) =>
      readObject(exchange),
    ),
    HEAD: onObject("head", "read", (exchange) => readObject(exchange)),
    PUT: isCopy ? onObject("copy", "write", copyObject) : onObject("put", "write", putObject),
    DELETE: onObject("delete", "write", deleteObject),
  };
  return table[method];
}

function uploadOperations(isCopy: boolean): Readonly<Record<string, S3Operation>> {
  return {
    PUT: onObject("multipart", "write", isCopy ? uploadPartCopy : uploadPart),
    POST: onObject("multipart", "write", completeUpload),
    DELETE: onObject("multipart", "write", abortUpload),
    GET: onObject("multipart", "write", listParts),
  };
}

function hasSubresource(query: S3Target["query"]): boolean {
  return SUBRESOURCES.some((name) => query.has(name));
}

/** An operation on a bucket that must exist, for those with a permission. */
function onBucket(
  kind: S3CountKind,
  permission: Permission | undefined,
  run: (exchange: BucketExchange) => void | Promise<void>,
): S3Operation {
  return {
    kind,
    run: (exchange) => {
      const bucket = findBucket(exchange.state.buckets, exchange.target.bucket ?? "");
      const { access } = exchange.state;
      if (
        permission !== undefined &&
        !access.may(keyIdOf(exchange.requester), permission, bucket.name, exchange.target.query.get("prefix"))
      )
        throw new S3Failure("AccessDenied");
      return run({ ...exchange, bucket });
    },
  };
}

/** An operation on a key; an object that is public may be read by those without permission. */
function onObject(
  kind: S3CountKind,
  permission: Permission,
  run: (exchange: ObjectExchange) => void | Promise<void>,
): S3Operation {
  return {
    kind,
    run: (exchange) => {
      const { key = "", query } = exchange.target;
      const bucket = findBucket(exchange.state.buckets, exchange.target.bucket ?? "");
      const allowed =
        exchange.state.access.may(keyIdOf(exchange.requester), permission, bucket.name, key) ||
        (permission === "read" && isPublicObject(bucket, key, query.get("versionId")));
      if (!allowed) throw new S3Failure("AccessDenied");
      return run({ ...exchange, bucket, key });
    },
  };
}
