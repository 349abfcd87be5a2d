/**
 * What was asked of a forge, by kind. A request has one kind; `total` counts every request and `denied`, in addition, each
 * one that was refused for want of permission. `bytes` counts what raw answers carried.
 */
export const COUNT_KINDS = [
  "total",
  "denied",
  "bytes",
  /** GET info/refs */
  "git:capabilities",
  /** POST git-upload-pack with the command ls-refs */
  "git:ls-refs",
  /** Any other POST git-upload-pack */
  "git:fetch",
  /** POST git-receive-pack */
  "git:push",
  /** HEAD of a file by the API, of its raw form too */
  "api:head-file",
  /** GET of a file's raw bytes by the API */
  "api:raw",
  /** A blob by its id */
  "api:blob",
  "api:other",
  /** GET of a raw file on the web, answered with bytes */
  "web:raw",
  /** The same, answered with 304 */
  "web:raw-not-modified",
  /** HEAD of a raw file on the web */
  "web:head",
  /** Everything else, with raw files that were missing or refused */
  "other",
] as const;

export type CountKind = (typeof COUNT_KINDS)[number];

export type Counts = Record<CountKind, number>;
