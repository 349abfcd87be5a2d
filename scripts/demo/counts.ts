/**
 * What was asked of a forge, by kind. A request has one kind; `total` counts every request and `denied`, in addition, each
 * one that was refused for want of permission. `bytes` counts what raw answers carried, those with one file of an artifact
 * too, and `artifactBytes` what answers with a whole artifact or with parts of it did; what its storage sends is not among them.
 */
export const COUNT_KINDS = [
  "total",
  "denied",
  "bytes",
  "artifactBytes",
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
  /** A job's archive by the API, by the job's id or of the latest job of a ref; a redirect to the storage too */
  "api:artifacts",
  /** One file of a job's archive by the API */
  "api:artifact-file",
  /** A list of pipelines by the API */
  "api:pipelines",
  /** One pipeline by the API, by its id or the latest of a ref */
  "api:pipeline",
  /** The jobs of a pipeline by the API */
  "api:pipeline-jobs",
  /** A list of runs, or of tasks, of actions by the API */
  "api:actions",
  "api:other",
  /** GET of a raw file on the web, answered with bytes */
  "web:raw",
  /** The same, answered with 304 */
  "web:raw-not-modified",
  /** HEAD of a raw file on the web */
  "web:head",
  /** Download of a job's archive, or of a report, on the web; a redirect to the storage too */
  "web:artifacts",
  /** One file of a job's archive on the web */
  "web:artifact-file",
  /** A page about a job's archive: a directory, or a file */
  "web:artifact-page",
  /** Any of these three for the latest job of a ref, which answers with a redirect to the job's own */
  "web:artifact-latest",
  /** Everything else, with raw files that were missing or refused */
  "other",
] as const;

export type CountKind = (typeof COUNT_KINDS)[number];

export type Counts = Record<CountKind, number>;
