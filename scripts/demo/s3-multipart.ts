import { currentObject, versionHeaders } from "./s3-buckets.ts";
import { md5Hex } from "./s3-checksums.ts";
import { insistOnWriteConditions } from "./s3-conditions.ts";
import { bufferContent, joinedContent } from "./s3-content.ts";
import { copyResult, copySourceRange, findCopySource } from "./s3-copy.ts";
import { headerOf, sendEmpty, sendXml } from "./s3-exchange.ts";
import type { ObjectExchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { keptHeaders } from "./s3-kept-headers.ts";
import { compositeChecksums, listedParts } from "./s3-parts.ts";
import type { S3Upload } from "./s3-upload.ts";
import { readPayload } from "./s3-payload.ts";
import { fullSeconds, storeObject } from "./s3-write.ts";

const MAX_PART_NUMBER = 10_000;

export function createUpload(exchange: ObjectExchange): void {
  const { bucket, key, request, state } = exchange;
  const UploadId = state.newId();
  state.uploads.set(UploadId, {
    bucket: bucket.name,
    key,
    headers: keptHeaders(request.headers),
    parts: new Map(),
  });
  const algorithm = headerOf(request.headers, "x-amz-checksum-algorithm");
  sendXml(
    exchange,
    "InitiateMultipartUploadResult",
    { Bucket: bucket.name, Key: key, UploadId },
    algorithm === undefined ? {} : { "x-amz-checksum-algorithm": algorithm },
  );
}

export async function uploadPart(exchange: ObjectExchange): Promise<void> {
  const { parts } = findUpload(exchange);
  const { bytes, checksums } = await readPayload(exchange);
  const etag = `"${md5Hex(bytes)}"`;
  const lastModified = fullSeconds(exchange.state.now());
  parts.set(partNumberOf(exchange), { content: bufferContent(bytes), etag, checksums, lastModified });
  sendEmpty(exchange, 200, { ETag: etag, ...checksums });
}

export function uploadPartCopy(exchange: ObjectExchange): void {
  const { parts } = findUpload(exchange);
  const { content } = findCopySource(exchange).source;
  const bytes = Buffer.concat([...content.read(copySourceRange(exchange.request.headers, content.size))]);
  const etag = `"${md5Hex(bytes)}"`;
  const lastModified = fullSeconds(exchange.state.now());
  parts.set(partNumberOf(exchange), { content: bufferContent(bytes), etag, checksums: {}, lastModified });
  sendXml(exchange, "CopyPartResult", copyResult({ lastModified, etag }));
}

export async function completeUpload(exchange: ObjectExchange): Promise<void> {
  const { bucket, key, request, state } = exchange;
  const upload = findUpload(exchange);
  const document = (await readPayload(exchange)).bytes.toString();
  const parts = listedParts(upload.parts, document, state.minPartBytes);
  insistOnWriteConditions(request.headers, currentObject(bucket, key), key);
  const digests = Buffer.concat(parts.map(({ etag }) => Buffer.from(etag.slice(1, -1), "hex")));
  const object = storeObject(exchange, {
    content: joinedContent(parts.map(({ content }) => content)),
    etag: `"${md5Hex(digests)}-${parts.length}"`,
    headers: upload.headers,
    checksums: compositeChecksums(parts),
    partSizes: parts.map(({ content }) => content.size),
  });
  state.uploads.delete(exchange.target.query.get("uploadId") ?? "");
  sendXml(
    exchange,
    "CompleteMultipartUploadResult",
    {
      Location: `http://${request.headers.host}${exchange.target.path}`,
      Bucket: bucket.name,
      Key: key,
      ETag: object.etag,
    },
    versionHeaders(bucket, object),
  );
}

export function abortUpload(exchange: ObjectExchange): void {
  findUpload(exchange);
  exchange.state.uploads.delete(exchange.target.query.get("uploadId") ?? "");
  sendEmpty(exchange, 204);
}

export function listParts(exchange: ObjectExchange): void {
  const { bucket, key, target } = exchange;
  const parts = [...findUpload(exchange).parts].toSorted(([a], [b]) => a - b);
  sendXml(exchange, "ListPartsResult", {
    Bucket: bucket.name,
    Key: key,
    UploadId: target.query.get("uploadId"),
    MaxParts: MAX_PART_NUMBER,
    IsTruncated: false,
    Part: parts.map(([number, { content, etag, lastModified }]) => ({
      PartNumber: number,
      LastModified: new Date(lastModified).toISOString(),
      ETag: etag,
      Size: content.size,
    })),
  });
}

function findUpload({ bucket, key, target, state }: ObjectExchange): S3Upload {
  const id = target.query.get("uploadId") ?? "";
  const upload = state.uploads.get(id);
  if (upload !== undefined && upload.bucket === bucket.name && upload.key === key) return upload;
  throw new S3Failure("NoSuchUpload", { elements: { UploadId: id } });
}

function partNumberOf({ target }: ObjectExchange): number {
  const text = target.query.get("partNumber") ?? "";
  const number = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (number >= 1 && number <= MAX_PART_NUMBER) return number;
  throw new S3Failure("InvalidArgument", {
    message: `Part number must be an integer between 1 and ${MAX_PART_NUMBER}, inclusive`,
    elements: { ArgumentName: "partNumber", ArgumentValue: text },
  });
}
