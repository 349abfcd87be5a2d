/** Somebody an S3 server knows, and the key pair that proves it. */
export type S3User = {
  readonly name: string;
  readonly accessKey: string;
  readonly secretKey: string;
};
