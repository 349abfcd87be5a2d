/**
 * What was asked of an S3 store, by kind. A request has one kind; `total` counts every request and, in addition, `denied` each
 * one refused for want of permission or of a good signature and `not-modified` each one answered with 304. `bytes` counts what
 * the bodies of objects carried.
 */
export const S3_COUNT_KINDS = [
  "total",
  "denied",
  "not-modified",
  "bytes",
  /** GET of an object without a Range */
  "get",
  /** GET of an object with a Range */
  "get-range",
  "head",
  /** GET of an object with `x-rgw-auth: yes`, where the store knows that */
  "rgw-auth",
  "put",
  /** DELETE of an object, or of many by POST */
  "delete",
  /** GET of a bucket's objects */
  "list",
  "copy",
  /** Any step of a multipart upload */
  "multipart",
  "other",
] as const;

export type S3CountKind = (typeof S3_COUNT_KINDS)[number];

export type S3Counts = Record<S3CountKind, number>;
