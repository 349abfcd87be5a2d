import { setTimeout as sleep } from "node:timers/promises";
import { startS3Store } from "../../scripts/demo/s3.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { startCephRgw } from "../../scripts/servers/ceph-rgw.ts";
import type { S3User } from "../../scripts/servers/s3-user.ts";
import { startVersitygw } from "../../scripts/servers/versitygw.ts";
import type { StoreAuth } from "../../src/core/site.ts";
import { prepare, send, type Answer, type Asking } from "../edge/s3-client.ts";
import { startEdge } from "../edge/start-edge.ts";
import { TEST_WORKER } from "../worker/bundled.ts";

/** Owns the bucket `shelf`. */
export const ALICE: S3User = { name: "alice", accessKey: "ALICEACCESSKEY", secretKey: "alice-secret-key" };
/** Is known, and may do nothing in that bucket. */
export const BOB: S3User = { name: "bob", accessKey: "BOBACCESSKEY", secretKey: "bob-secret-key" };
export const BUCKET = "shelf";

/** What a store was asked. */
export type Cost = { readonly requests: number; readonly bytes: number };

/** A store with people and a bucket, as a place is made of it. */
type Store = {
  readonly name: string;
  readonly url: string;
  /** What it was asked since the start; there is none where it does not count. */
  readonly cost?: () => Promise<Cost>;
  close(): Promise<void>;
};

type SignedBy = Omit<Asking, "as"> & { readonly as?: S3User };

/** A store, and the Worker before it with a site for each way of knowing who asks. */
export type Place = {
  readonly port: number;
  /** The host of the site, before which buckets may stand. Clients find it at the Worker, and the Worker at the store. */
  host(auth: StoreAuth): string;
  /** What the store was asked by what is done; `undefined` where it does not count. */
  costOf(act: () => Promise<unknown>): Promise<Cost | undefined>;
  /** One request as it is given. */
  ask(host: string, asking: SignedBy): Promise<Answer>;
  /** What is at a URL. */
  askUrl(url: string, more?: Omit<Asking, "as" | "path" | "query">): Promise<Answer>;
  /** The same as `ask`, of the store itself. */
  behind(asking: SignedBy): Promise<Answer>;
  /** Moves the Worker's clock on, not that of the store. */
  advance(seconds: number): Promise<void>;
  close(): Promise<void>;
};

const HOSTS = { rgw: "rgw.localhost", probe: "probe.localhost", edge: "edge.localhost" } as const;
const SHARED_HOSTS = [HOSTS.rgw, HOSTS.probe];

export async function startCephPlace(): Promise<Place> {
  const rgw = await startCephRgw({ users: [ALICE, BOB], dnsName: HOSTS.rgw, hostNames: SHARED_HOSTS });
  const cost = async () => {
    const { req = 0, get_b = 0 } = await rgw.operations();
    return { requests: req, bytes: get_b };
  };
  return await startPlace({ name: "ceph", url: rgw.url, cost, close: () => rgw.close() });
}

export async function startVersitygwPlace(): Promise<Place> {
  const root: S3User = { name: "root", accessKey: "ROOTACCESSKEY", secretKey: "root-secret-key" };
  const gateway = await startVersitygw({ users: [root, ALICE, BOB], dnsName: HOSTS.probe });
  return await startPlace({ name: "versitygw", url: gateway.url, close: () => gateway.close() });
}

export async function startDemoPlace(): Promise<Place> {
  const store = await startS3Store({ rgw: true, hosts: SHARED_HOSTS });
  store.addKey({ id: ALICE.accessKey, secret: ALICE.secretKey, read: [BUCKET], write: [BUCKET] });
  store.addKey({ id: BOB.accessKey, secret: BOB.secretKey });
  store.createBucket(BUCKET);
  const cost = async () => {
    const { total, bytes } = store.counts();
    return { requests: total, bytes };
  };
  return await startPlace({ name: "demo", url: store.url, cost, close: () => store.close() });
}

async function startPlace(store: Store): Promise<Place> {
  const port = await quietPort();
  const host = (auth: StoreAuth) => `${HOSTS[auth]}:${port}`;
  const edge = await startEdgeBefore(store, port, host);
  let clockOffsetMs = 0;
  const place: Place = {
    port,
    host,
    costOf: async (act) => await costOf(store, act),
    ask: async (at, asking) => await send(prepare(withKey(asking), at, Date.now()), { port }),
    askUrl: async (url, more = {}) => {
      const { host: at, pathname, search } = new URL(url);
      return await place.ask(at, { ...more, path: pathname, query: search.slice(1) });
    },
    behind: async (asking) => {
      const url = new URL(store.url);
      return await send(prepare(withKey(asking), url.host, Date.now()), { port: Number(url.port) });
    },
    async advance(seconds) {
      clockOffsetMs += seconds * 1000;
      const body = JSON.stringify({ clockOffsetMs });
      await place.ask(host("edge"), { method: "POST", path: "/-/test/world", body });
    },
    async close() {
      await edge.close();
      await store.close();
    },
  };
  if (store.name !== "demo") await createBucket(place);
  return place;
}

function withKey({ as, ...asking }: SignedBy): Asking {
  return { ...asking, as: as && { id: as.accessKey, secret: as.secretKey } };
}

async function startEdgeBefore(store: Store, port: number, host: (auth: StoreAuth) => string) {
  try {
    return await startEdge({
      ...TEST_WORKER,
      ports: [port],
      outbound: new URL(store.url).host,
      vars: {
        KEY_SECRET: "a secret of the tests",
        S3_KEYS: Object.fromEntries([ALICE, BOB].map(({ accessKey, secretKey }) => [accessKey, secretKey])),
        SITES: [
          { host: `*.${host("edge")}`, kind: "s3", origin: store.url, auth: "edge" },
          { host: `*.${host("rgw")}`, kind: "s3", origin: `http://${host("rgw")}`, auth: "rgw" },
          { host: `*.${host("probe")}`, kind: "s3", origin: `http://${host("probe")}`, auth: "probe" },
        ],
      },
    });
  } catch (error) {
    await store.close();
    throw error;
  }
}

async function createBucket(place: Place): Promise<void> {
  const answer = await place.ask(place.host("edge"), { method: "PUT", path: `/${BUCKET}`, as: ALICE });
  if (answer.status !== 200) throw new Error(`No bucket: ${answer.status} ${answer.body.toString()}`);
}

const QUIET_MS = 20;

async function costOf({ cost }: Store, act: () => Promise<unknown>): Promise<Cost | undefined> {
  if (cost === undefined) return void (await act());
  const before = await settled(cost);
  await act();
  const after = await settled(cost);
  return { requests: after.requests - before.requests, bytes: after.bytes - before.bytes };
}

/** What there is when nothing is under way any more. */
async function settled(cost: () => Promise<Cost>): Promise<Cost> {
  for (let last = await cost(), quiet = 0; ;) {
    await sleep(QUIET_MS);
    const now = await cost();
    quiet = now.requests === last.requests && now.bytes === last.bytes ? quiet + 1 : 0;
    if (quiet === 2) return now;
    last = now;
  }
}
