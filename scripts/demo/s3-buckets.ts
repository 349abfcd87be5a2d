import type { S3Content } from "./s3-content.ts";
import { S3Failure } from "./s3-failure.ts";

/** One version of an object. */
export interface S3Object {
  readonly kind: "object";
  readonly key: string;
  /** `null` where the bucket keeps no versions. */
  readonly versionId: string;
  readonly content: S3Content;
  /** Quoted. */
  readonly etag: string;
  /** Milliseconds since 1970, full seconds. */
  readonly lastModified: number;
  /** What was sent to be kept: Content-Type and its like, x-amz-meta-* and x-amz-storage-class, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  /** `x-amz-checksum-*` and its type, by lower-case name. */
  readonly checksums: Readonly<Record<string, string>>;
  /** The sizes of the parts it was uploaded in. */
  readonly partSizes?: readonly number[];
  /** Whether anybody may read it, whatever the bucket's own visibility. */
  readonly isPublic: boolean;
}

export interface DeleteMarker {
  readonly kind: "marker";
  readonly key: string;
  readonly versionId: string;
  readonly lastModified: number;
}

export type S3Version = S3Object | DeleteMarker;

export type Versioning = "off" | "enabled" | "suspended";

export interface S3Bucket {
  readonly name: string;
  readonly created: number;
  versioning: Versioning;
  /** The versions of each key, the newest first; never empty. */
  readonly versions: Map<string, readonly S3Version[]>;
}

export type S3Buckets = Map<string, S3Bucket>;

const NULL_VERSION = "null";

export function createBucket(name: string, versioning: Versioning, created: number): S3Bucket {
  return { name, created, versioning, versions: new Map() };
}

export function findBucket(buckets: S3Buckets, name: string): S3Bucket {
  const bucket = buckets.get(name);
  if (bucket === undefined) throw new S3Failure("NoSuchBucket", { elements: { BucketName: name } });
  return bucket;
}

/** The newest version of a key, or the one that is named. */
export function findVersion(bucket: S3Bucket, key: string, versionId?: string): S3Version | undefined {
  const versions = bucket.versions.get(key) ?? [];
  return versionId === undefined ? versions[0] : versions.find((version) => version.versionId === versionId);
}

/** The newest version, where it is not a delete marker. */
export function currentObject(bucket: S3Bucket, key: string): S3Object | undefined {
  const version = findVersion(bucket, key);
  return version?.kind === "object" ? version : undefined;
}

/** Adds a version with the id that the bucket gives it; an unversioned one replaces its like. */
export function addVersion<Version extends S3Version>(
  bucket: S3Bucket,
  version: Omit<Version, "versionId">,
  newId: () => string,
): Version {
  const versionId = bucket.versioning === "enabled" ? newId() : NULL_VERSION;
  const added = { ...version, versionId } as Version;
  const kept = (bucket.versions.get(added.key) ?? []).filter((each) => each.versionId !== versionId);
  bucket.versions.set(added.key, [added, ...kept]);
  return added;
}

/** Removes a version for good, and gives it back. */
export function removeVersion(bucket: S3Bucket, key: string, versionId: string): S3Version | undefined {
  const versions = bucket.versions.get(key) ?? [];
  const kept = versions.filter((version) => version.versionId !== versionId);
  if (kept.length === 0) bucket.versions.delete(key);
  else bucket.versions.set(key, kept);
  return versions.find((version) => version.versionId === versionId);
}

/** The `x-amz-version-id` of an answer, where a bucket has or had versions. */
export function versionHeaders(bucket: S3Bucket, { versionId }: S3Version): Record<string, string> {
  return bucket.versioning === "off" ? {} : { "x-amz-version-id": versionId };
}
