import { startS3Store, type S3Store } from "../demo/s3.ts";
import { BUCKET, READER } from "./objects-origin.ts";

export type GeneratedObject = {
  readonly key: string;
  readonly bytes: number;
  /** What its bytes are computed from, as they are read. */
  readonly seed: string;
};

/** The demo's store with one object, for what Ceph in memory would be too small or count too little for. */
export async function startStoreWith({ key, bytes, seed }: GeneratedObject): Promise<S3Store> {
  const { accessKey: id, secretKey: secret } = READER;
  const store = await startS3Store({ keys: [{ id, secret, read: [BUCKET] }], buckets: { [BUCKET]: {} } });
  store.putGenerated(BUCKET, key, bytes, seed);
  return store;
}

export function pathOf({ key }: GeneratedObject): string {
  return `/${BUCKET}/${key}`;
}
