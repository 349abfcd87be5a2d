import { createHash, randomFillSync } from "node:crypto";
import { type CephRgw, startCephRgw } from "../servers/ceph-rgw.ts";
import type { S3User } from "../servers/s3-user.ts";
import { requestSigner } from "./objects-signing.ts";

/** Who reads and writes in all points of the lane; the secret is none. */
export const READER: S3User = {
  name: "reader",
  accessKey: "BENCHREADER",
  secretKey: "bench-reader-secret-key",
};

export const BUCKET = "bench";

const MOST_MS = 60_000;
/** How many uploads are under way at once. */
const UPLOADS = 8;

/** A Ceph RGW with one user and one private bucket. */
export async function startRgw(memoryBytes: number, signal: AbortSignal): Promise<CephRgw> {
  const rgw = await startCephRgw({ users: [READER], memoryBytes });
  try {
    await put({ url: rgw.url, path: `/${BUCKET}`, signal });
    return rgw;
  } catch (error) {
    await rgw.close();
    throw error;
  }
}

type Plan = {
  readonly url: string;
  /** What the keys begin with. */
  readonly prefix: string;
  readonly count: number;
  readonly bytes: number;
  /** Anybody may read them. */
  readonly isPublic?: boolean;
  readonly signal: AbortSignal;
};

/** Puts objects that differ throughout into the bucket; returns their paths, and the digest of the first. */
export async function putObjects({
  url,
  prefix,
  count,
  bytes,
  isPublic = false,
  signal,
}: Plan): Promise<{ readonly paths: string[]; readonly digest: string }> {
  const paths = Array.from({ length: count }, (_, index) => `/${BUCKET}/${prefix}/${index}`);
  const waiting = paths.entries();
  const headers = isPublic ? { "x-amz-acl": "public-read" } : {};
  let digest = "";
  const upload = async () => {
    for (const [index, path] of waiting) {
      const body = randomFillSync(new Uint8Array(bytes));
      if (index === 0) digest = digestOfBytes(body);
      await put({ url, path, body, headers, signal });
    }
  };
  await Promise.all(Array.from({ length: UPLOADS }, upload));
  return { paths, digest };
}

type Put = {
  readonly url: string;
  readonly path: string;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

async function put({ url, path, body = new Uint8Array(0), headers: given = {}, signal }: Put): Promise<void> {
  const sign = requestSigner(READER, Date.now());
  const headers = sign({ method: "PUT", host: new URL(url).host, path, body, headers: given });
  const bound = AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]);
  const response = await fetch(url + path, { method: "PUT", headers, body, signal: bound });
  const said = await response.text();
  if (!response.ok) throw new Error(`PUT ${path} was answered with ${response.status}: ${said}`);
}

/** SHA-256, in hex, of an object as the reader gets it; it must come with 200. */
export async function signedDigest(url: string, path: string, signal: AbortSignal): Promise<string> {
  const sign = requestSigner(READER, Date.now());
  const headers = sign({ method: "GET", host: new URL(url).host, path });
  const bound = AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]);
  const response = await fetch(url + path, { headers, signal: bound });
  const body = new Uint8Array(await response.arrayBuffer());
  if (response.status !== 200)
    throw new Error(`${url}${path} was answered with ${response.status}: ${new TextDecoder().decode(body)}`);
  return digestOfBytes(body);
}

/** Makes sure that a server keeps a private object from nobody in particular, or a figure of it would say nothing. */
export async function expectPrivate(url: string, path: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url + path, {
    signal: AbortSignal.any([signal, AbortSignal.timeout(MOST_MS)]),
  });
  await response.body?.cancel();
  if (response.status !== 403)
    throw new Error(`${url}${path} was answered with ${response.status} without a signature`);
}

function digestOfBytes(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
