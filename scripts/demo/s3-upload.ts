import type { UploadedPart } from "./s3-parts.ts";

/** A multipart upload that is under way. */
export interface S3Upload {
  readonly bucket: string;
  readonly key: string;
  /** What the object will keep. */
  readonly headers: Readonly<Record<string, string>>;
  readonly parts: Map<number, UploadedPart>;
}
