import { addVersion, currentObject, removeVersion, versionHeaders } from "./s3-buckets.ts";
import type { DeleteMarker, S3Bucket } from "./s3-buckets.ts";
import { insistOnWriteConditions } from "./s3-conditions.ts";
import { keyIdOf, sendEmpty, sendXml } from "./s3-exchange.ts";
import type { BucketExchange, ObjectExchange, S3State } from "./s3-exchange.ts";
import { S3Failure } from "./s3-failure.ts";
import { readPayload } from "./s3-payload.ts";
import { fullSeconds } from "./s3-write.ts";
import { xmlElements, xmlText } from "./s3-xml.ts";

const MAX_DELETED_KEYS = 1000;

/** The headers of a deletion's answer. */
type Deletion = Readonly<Record<string, string>>;

/** DeleteObject, which is content with a key that is not there. */
export function deleteObject(exchange: ObjectExchange): void {
  const { bucket, key, request, state, target } = exchange;
  if (request.headers["if-match"] !== undefined)
    insistOnWriteConditions(request.headers, currentObject(bucket, key), key);
  sendEmpty(exchange, 204, deleteKey(state, bucket, key, target.query.get("versionId")));
}

/** Removes a version, or the only one, or hides them all behind a delete marker. */
export function deleteKey(
  state: Pick<S3State, "now" | "newId">,
  bucket: S3Bucket,
  key: string,
  versionId?: string,
): Deletion {
  if (versionId !== undefined || bucket.versioning === "off") {
    const removed = removeVersion(bucket, key, versionId ?? "null");
    return {
      ...(versionId === undefined ? {} : { "x-amz-version-id": versionId }),
      ...(removed?.kind === "marker" ? { "x-amz-delete-marker": "true" } : {}),
    };
  }
  const marker = { kind: "marker" as const, key, lastModified: fullSeconds(state.now()) };
  const added = addVersion<DeleteMarker>(bucket, marker, () => state.newId());
  return { ...versionHeaders(bucket, added), "x-amz-delete-marker": "true" };
}

/** DeleteObjects: each key is judged by itself. */
export async function deleteObjects(exchange: BucketExchange): Promise<void> {
  const { bucket, requester, state } = exchange;
  const document = (await readPayload(exchange)).bytes.toString();
  const objects = xmlElements(document, "Object");
  if (objects.length === 0 || objects.length > MAX_DELETED_KEYS) throw new S3Failure("MalformedXML");
  const isQuiet = xmlText(document, "Quiet") === "true";
  const results = objects.map((object) => {
    const Key = xmlText(object, "Key") ?? "";
    const VersionId = xmlText(object, "VersionId");
    if (!state.access.may(keyIdOf(requester), "write", bucket.name, Key))
      return { Error: { Key, VersionId, Code: "AccessDenied", Message: "Access Denied" } };
    const deletion = deleteKey(state, bucket, Key, VersionId);
    const DeleteMarker = deletion["x-amz-delete-marker"];
    const DeleteMarkerVersionId = DeleteMarker === undefined ? undefined : deletion["x-amz-version-id"];
    return { Deleted: { Key, VersionId, DeleteMarker, DeleteMarkerVersionId } };
  });
  sendXml(exchange, "DeleteResult", {
    Deleted: isQuiet ? [] : results.flatMap((result) => result.Deleted ?? []),
    Error: results.flatMap((result) => result.Error ?? []),
  });
}
