import { addVersion, findBucket, findVersion, versionHeaders } from "./s3-buckets.ts";
import type { S3Object } from "./s3-buckets.ts";
import { md5Hex } from "./s3-checksums.ts";
import { allBytes, bufferContent, generatedContent } from "./s3-content.ts";
import { deleteKey } from "./s3-delete.ts";
import type { S3State } from "./s3-exchange.ts";
import { keptHeaders } from "./s3-kept-headers.ts";
import { fullSeconds, typedChecksums } from "./s3-write.ts";

/** What came of a write. */
export interface Written {
  /** Quoted. */
  readonly etag: string;
  /** Where the bucket has versions. */
  readonly versionId?: string;
}

/** An object as it is kept. */
export interface Kept extends Written {
  readonly size: number;
  /** Milliseconds since 1970, full seconds. */
  readonly lastModified: number;
  readonly headers: Readonly<Record<string, string>>;
  bytes(): Buffer;
}

/**
 * What a store holds, past its permissions and its counts. Headers are those of an upload: `Content-Type`, `x-amz-meta-*`,
 * `x-amz-acl: public-read`, and so on; `Last-Modified` says when it was written, if not now.
 */
export interface DirectAccess {
  put(
    bucket: string,
    key: string,
    bytes: Uint8Array | string,
    headers?: Readonly<Record<string, string>>,
  ): Written;
  /**
   * Puts an object whose bytes, those of `pseudoRandomBytes(seed, size)`, are computed as they are read. Its entity tag is that
   * of an upload in one part, so that no client takes it for the MD5 of the bytes.
   */
  putGenerated(
    bucket: string,
    key: string,
    size: number,
    seed: string,
    headers?: Readonly<Record<string, string>>,
  ): Written;
  /** Removes an object, or hides its versions behind a delete marker, or removes one version. */
  remove(bucket: string, key: string, versionId?: string): void;
  get(bucket: string, key: string, versionId?: string): Kept | undefined;
}

export function createDirectAccess(state: S3State): DirectAccess {
  function add(
    name: string,
    object: Pick<S3Object, "key" | "content" | "etag" | "partSizes">,
    given: Readonly<Record<string, string>>,
  ): Written {
    const bucket = findBucket(state.buckets, name);
    const headers = Object.fromEntries(
      Object.entries(given).map(([header, value]) => [header.toLowerCase(), value]),
    );
    const written = headers["last-modified"];
    const checksums = Object.entries(headers).filter(([header]) => header.startsWith("x-amz-checksum-"));
    const added = addVersion<S3Object>(
      bucket,
      {
        ...object,
        kind: "object",
        headers: keptHeaders(headers),
        lastModified: fullSeconds(written === undefined ? state.now() : Date.parse(written)),
        checksums: typedChecksums(Object.fromEntries(checksums)),
        isPublic: headers["x-amz-acl"] === "public-read",
      },
      () => state.newId(),
    );
    return writtenOf(name, added);
  }

  function writtenOf(name: string, object: S3Object): Written {
    const versionId = versionHeaders(findBucket(state.buckets, name), object)["x-amz-version-id"];
    return { etag: object.etag, ...(versionId === undefined ? {} : { versionId }) };
  }

  function get(name: string, key: string, versionId?: string): Kept | undefined {
    const object = findVersion(findBucket(state.buckets, name), key, versionId);
    if (object?.kind !== "object") return undefined;
    const { content, headers, lastModified } = object;
    return {
      ...writtenOf(name, object),
      size: content.size,
      lastModified,
      headers,
      bytes: () => allBytes(content),
    };
  }

  return {
    put: (bucket, key, bytes, headers = {}) => {
      const content = bufferContent(Buffer.from(bytes));
      return add(bucket, { key, content, etag: `"${md5Hex(bytes)}"` }, headers);
    },
    putGenerated: (bucket, key, size, seed, headers = {}) => {
      const etag = `"${md5Hex(`${seed} ${size}`)}-1"`;
      return add(bucket, { key, content: generatedContent(seed, size), etag, partSizes: [size] }, headers);
    },
    remove: (bucket, key, versionId) =>
      void deleteKey(state, findBucket(state.buckets, bucket), key, versionId),
    get,
  };
}
