import { currentObject } from "./s3-buckets.ts";
import type { S3Object } from "./s3-buckets.ts";
import { sendXml } from "./s3-exchange.ts";
import type { BucketExchange } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { uriEncode } from "./s3-signature.ts";
import type { S3Target } from "./s3-target.ts";
import type { XmlContent } from "./s3-xml.ts";

const MAX_KEYS = 1000;

/** An object, or all the keys that are alike up to a delimiter. */
type ListItem =
  | { readonly kind: "object"; readonly name: string; readonly object: S3Object }
  | { readonly kind: "prefix"; readonly name: string };

/** ListObjectsV2, and ListObjects where `list-type` is not given. */
export function listObjects(exchange: BucketExchange): void {
  const { bucket, target } = exchange;
  const { query } = target;
  const encode = encoderOf(query);
  const isV2 = query.get("list-type") === "2";
  const maxKeys = maxKeysOf(query);
  const token = query.get("continuation-token");
  const after = isV2 ? (tokenText(token) ?? query.get("start-after")) : query.get("marker");
  const items = collect(exchange).filter(({ name }) => after === undefined || compareBytes(name, after) > 0);
  const page = items.slice(0, maxKeys);
  const last = maxKeys > 0 && items.length > maxKeys ? page.at(-1)?.name : undefined;
  const delimiter = query.get("delimiter");
  const paging = isV2
    ? {
        KeyCount: page.length,
        ContinuationToken: token,
        NextContinuationToken: last === undefined ? undefined : Buffer.from(last).toString("base64url"),
        StartAfter: query.get("start-after"),
      }
    : { Marker: query.get("marker") ?? "", NextMarker: last === undefined ? undefined : encode(last) };
  sendXml(exchange, "ListBucketResult", {
    Name: bucket.name,
    Prefix: encode(query.get("prefix") ?? ""),
    Delimiter: delimiter === undefined ? undefined : encode(delimiter),
    MaxKeys: maxKeys,
    EncodingType: query.get("encoding-type"),
    ...paging,
    IsTruncated: last !== undefined,
    Contents: page.flatMap((item) => (item.kind === "object" ? [contents(item.object, encode)] : [])),
    CommonPrefixes: page.flatMap((item) => (item.kind === "prefix" ? [{ Prefix: encode(item.name) }] : [])),
  });
}

/** Everything under the prefix, in the order of the keys' UTF-8 bytes. */
function collect({ bucket, target: { query } }: BucketExchange): ListItem[] {
  const prefix = query.get("prefix") ?? "";
  const delimiter = query.get("delimiter") ?? "";
  const items = new Map<string, ListItem>();
  for (const key of [...bucket.versions.keys()].toSorted(compareBytes)) {
    const object = currentObject(bucket, key);
    if (object === undefined || !key.startsWith(prefix)) continue;
    const cut = delimiter === "" ? -1 : key.indexOf(delimiter, prefix.length);
    const name = cut < 0 ? key : key.slice(0, cut + delimiter.length);
    items.set(name, cut < 0 ? { kind: "object", name, object } : { kind: "prefix", name });
  }
  return [...items.values()];
}

function contents(object: S3Object, encode: (text: string) => string): XmlContent {
  return {
    Key: encode(object.key),
    LastModified: new Date(object.lastModified).toISOString(),
    ETag: object.etag,
    Size: object.content.size,
    StorageClass: object.headers["x-amz-storage-class"] ?? "STANDARD",
  };
}

function encoderOf(query: S3Target["query"]): (text: string) => string {
  const encoding = query.get("encoding-type");
  if (encoding === undefined) return (text) => text;
  if (encoding === "url") return (text) => uriEncode(text).replaceAll("%2F", "/");
  throw new S3Failure("InvalidArgument", {
    message: "Invalid Encoding Method specified in Request",
    elements: { ArgumentName: "encoding-type", ArgumentValue: encoding },
  });
}

function maxKeysOf(query: S3Target["query"]): number {
  const text = query.get("max-keys") ?? String(MAX_KEYS);
  if (/^\d{1,10}$/.test(text)) return Math.min(Number(text), MAX_KEYS);
  throw new S3Failure("InvalidArgument", {
    message: "Provided max-keys not an integer or within integer range",
    elements: { ArgumentName: "max-keys", ArgumentValue: text },
  });
}

function tokenText(token: string | undefined): string | undefined {
  return token === undefined ? undefined : Buffer.from(token, "base64url").toString();
}

function compareBytes(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
