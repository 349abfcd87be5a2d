import { createBucket } from "./s3-buckets.ts";
import { keyIdOf, sendEmpty, sendXml } from "./s3-exchange.ts";
import type { BucketExchange, S3Exchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { readPayload } from "./s3-payload.ts";
import { xmlText } from "./s3-xml.ts";

const VERSIONING_STATUS = { enabled: "Enabled", suspended: "Suspended" } as const;

/** CreateBucket, for a key that may write there. */
export function createBucketRequested(exchange: S3Exchange, name: string): void {
  const { requester, state } = exchange;
  if (!state.access.may(keyIdOf(requester), "write", name)) throw new S3Failure("AccessDenied");
  if (state.buckets.has(name))
    throw new S3Failure("BucketAlreadyOwnedByYou", { elements: { BucketName: name } });
  state.buckets.set(name, createBucket(name, "off", state.now()));
  sendEmpty(exchange, 200, { Location: `/${name}` });
}

export function headBucket(exchange: BucketExchange): void {
  sendEmpty(exchange, 200, {
    "x-amz-bucket-region": exchange.state.region,
    "Content-Type": "application/xml",
  });
}

export function deleteBucket(exchange: BucketExchange): void {
  const { bucket, state } = exchange;
  if (bucket.versions.size > 0)
    throw new S3Failure("BucketNotEmpty", { elements: { BucketName: bucket.name } });
  state.buckets.delete(bucket.name);
  sendEmpty(exchange, 204);
}

export function getBucketLocation(exchange: BucketExchange): void {
  const { region } = exchange.state;
  // The first region has no name here.
  sendXml(exchange, "LocationConstraint", region === "us-east-1" ? "" : region);
}

export function getBucketVersioning(exchange: BucketExchange): void {
  const { versioning } = exchange.bucket;
  sendXml(exchange, "VersioningConfiguration", {
    Status: versioning === "off" ? undefined : VERSIONING_STATUS[versioning],
  });
}

export async function putBucketVersioning(exchange: BucketExchange): Promise<void> {
  const { bytes } = await readPayload(exchange);
  const status = xmlText(bytes.toString(), "Status");
  if (status !== "Enabled" && status !== "Suspended") throw new S3Failure("MalformedXML");
  exchange.bucket.versioning = status === "Enabled" ? "enabled" : "suspended";
  sendEmpty(exchange, 200);
}

/** ListBuckets: those that the key may list. */
export function listBuckets(exchange: S3Exchange): void {
  const { requester, state } = exchange;
  if (requester.kind === "anonymous") throw new S3Failure("AccessDenied");
  const visible = [...state.buckets.values()].filter(({ name }) =>
    state.access.may(requester.keyId, "list", name),
  );
  sendXml(exchange, "ListAllMyBucketsResult", {
    Owner: { ID: requester.keyId, DisplayName: requester.keyId },
    Buckets: {
      Bucket: visible.map(({ name, created }) => ({
        Name: name,
        CreationDate: new Date(created).toISOString(),
      })),
    },
  });
}
