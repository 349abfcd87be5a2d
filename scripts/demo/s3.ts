import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Intercept } from "./forge.ts";
import { createS3Access } from "./s3-access.ts";
import type { BucketVisibility, Permission, S3Key } from "./s3-access.ts";
import { createBucket } from "./s3-buckets.ts";
import type { Versioning } from "./s3-buckets.ts";
import { createCounter } from "./counter.ts";
import { S3_COUNT_KINDS } from "./s3-counts.ts";
import type { S3Counts } from "./s3-counts.ts";
import { createDirectAccess } from "./s3-direct.ts";
import type { DirectAccess } from "./s3-direct.ts";
import type { S3State } from "./s3-exchange.ts";
import { serveS3 } from "./s3-serve.ts";

export type { BucketVisibility, S3Key } from "./s3-access.ts";
export type { S3Counts } from "./s3-counts.ts";

export interface S3BucketOptions {
  readonly visibility?: BucketVisibility;
  readonly versioning?: Versioning;
}

export interface S3StoreOptions {
  /** 0, as is the default, takes any free port. */
  readonly port?: number;
  readonly keys?: readonly S3Key[];
  readonly buckets?: Readonly<Record<string, S3BucketOptions>>;
  /** How long each decision about who may do what takes, in milliseconds. */
  readonly authMs?: number;
  /** Hosts before whose name a bucket may stand (`s3.localhost` for `demo.s3.localhost`); any other Host is path style. */
  readonly hosts?: readonly string[];
  /** The only region that signatures may name. */
  readonly region?: string;
  /** Whether `x-rgw-auth: yes` asks for the verdict and the headers of a GET without its bytes, as Ceph RGW has it. */
  readonly rgw?: boolean;
  /** The least that any part of a multipart upload but the last may have; 5 MiB at AWS. */
  readonly minPartBytes?: number;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
  /** Sees every request, before anything is made of it. */
  readonly observe?: (request: IncomingMessage) => void;
}

/** An S3 store that runs, with what tests read of it and change about it. */
export interface S3Store extends DirectAccess {
  readonly url: string;
  /** How long each decision about who may do what takes, in milliseconds. */
  authMs: number;
  /** How far the store's clock is ahead, in milliseconds. */
  clockSkewMs: number;
  /** Handles a request in the store's place; false lets the store answer. A request is counted either way. */
  intercept: Intercept | undefined;
  counts(): S3Counts;
  resetCounts(): void;
  addKey(key: S3Key): void;
  /** Replaces what a key may do; what is left out it may not, except that who may read may list. */
  setAccess(keyId: string, grants: Pick<S3Key, Permission>): void;
  /** Makes the store forget a key. */
  revokeKey(keyId: string): void;
  restoreKey(keyId: string): void;
  createBucket(name: string, options?: S3BucketOptions): void;
  setVisibility(bucket: string, visibility: BucketVisibility): void;
  close(): Promise<void>;
}

const AWS_MIN_PART_BYTES = 5 * 1024 * 1024;
const ID_BYTES = 16;
// Longer than a client keeps an idle connection, so that none is closed under a request on its way.
const KEEP_ALIVE_MS = 75_000;

/** Serves an empty S3 store, which is kept in memory, on 127.0.0.1. */
export async function startS3Store(options: S3StoreOptions = {}): Promise<S3Store> {
  const state = createState(options, () => store.clockSkewMs);
  const { access, counter } = state;
  const server = createServer((request, response) => {
    options.observe?.(request);
    const { intercept, authMs } = store;
    const pause = async () => {
      if (authMs > 0) await sleep(authMs);
    };
    void serveS3({ request, response, state, hosts: options.hosts ?? [], intercept, pause });
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");

  const store: S3Store = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    authMs: options.authMs ?? 0,
    clockSkewMs: 0,
    intercept: undefined,
    ...createDirectAccess(state),
    counts: () => counter.read(),
    resetCounts: () => counter.reset(),
    addKey: (key) => access.addKey(key),
    setAccess: (keyId, grants) => access.setAccess(keyId, grants),
    revokeKey: (keyId) => access.revoke(keyId),
    restoreKey: (keyId) => access.restore(keyId),
    setVisibility: (bucket, visibility) => access.setVisibility(bucket, visibility),
    createBucket: (name, { visibility = "private", versioning = "off" } = {}) => {
      state.buckets.set(name, createBucket(name, versioning, state.now()));
      access.setVisibility(name, visibility);
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
  for (const [name, bucket] of Object.entries(options.buckets ?? {})) store.createBucket(name, bucket);
  return store;
}

function createState(options: S3StoreOptions, clockSkewMs: () => number): S3State {
  const { keys = [], region = "us-east-1", rgw = false, minPartBytes = AWS_MIN_PART_BYTES } = options;
  const now = options.now ?? Date.now;
  return {
    buckets: new Map(),
    uploads: new Map(),
    access: createS3Access(keys),
    counter: createCounter(S3_COUNT_KINDS),
    region,
    rgw,
    minPartBytes,
    now: () => now() + clockSkewMs(),
    newId: () => randomBytes(ID_BYTES).toString("hex").toUpperCase(),
  };
}
