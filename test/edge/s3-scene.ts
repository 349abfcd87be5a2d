import { DEMO_KEYS } from "../../scripts/demo/s3-samples.ts";
import { startS3Store, type S3Counts, type S3Store } from "../../scripts/demo/s3.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import type { World } from "./harness.ts";
import { quietAfter } from "./quiet-after.ts";
import { objectPath, prepare, send, type Answer, type Asking } from "./s3-client.ts";
import { startEdge } from "./start-edge.ts";
import { TEST_WORKER } from "../worker/bundled.ts";

export const MODES = ["edge", "rgw", "probe"] as const;
/** How a site knows who asks. */
export type Mode = (typeof MODES)[number];

export const KEYS = DEMO_KEYS;
export const PRIVATE = "demo";
export const PUBLIC = "public";
/** A bucket that keeps versions; the same may read it as the private one. */
export const VERSIONED = "versioned";

export type S3SceneOptions = {
  readonly vars?: Readonly<Record<string, unknown>>;
  /** Sites with auth edge before a store each, which are really at two addresses; no others are there then. */
  readonly isApart?: boolean;
};

export type Extra = {
  readonly onPiece?: (bytesSoFar: number) => Promise<void> | void;
  readonly signal?: AbortSignal;
};

export type S3Scene = {
  readonly store: S3Store;
  /** The other store, where the sites are apart. */
  readonly twin: S3Store;
  /** Where each site is, as clients write it. `virtual` takes buckets before its name. */
  readonly hosts: Readonly<Record<Mode | "virtual" | "twin", string>>;
  /** Asks the site of a mode, or whatever host is named. */
  ask(where: Mode | { readonly host: string }, asking: Asking, extra?: Extra): Promise<Answer>;
  /** Puts an object of random-looking bytes past the edge, at a key never used before. */
  object(bytes: Uint8Array | string, more?: ObjectOptions): StoredFile;
  now(): number;
  /** Undoes what a test changed, forgets all memory, and moves on to when nothing that lives for a time lives any more. */
  fresh(): Promise<void>;
  /** Moves all clocks on. */
  advance(ms: number): Promise<void>;
  settle(): Promise<void>;
  name(prefix: string): string;
  world(change: Partial<World>): Promise<void>;
  newIsolate(): Promise<void>;
  kvPuts(): Promise<number>;
  /** What the store was asked by what is done. */
  counted<T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly counts: S3Counts }>;
  close(): Promise<void>;
};

export type ObjectOptions = {
  readonly bucket?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** An object that a test has put. */
export type StoredFile = {
  readonly bucket: string;
  readonly key: string;
  readonly path: string;
  readonly bytes: Buffer;
  /** Quoted. */
  readonly etag: string;
};

const LONGER_THAN_ANY_LIFE_MS = 1_000_000;

/** A store and the Worker before it, one site for each way of knowing who asks; many tests share it. */
export async function startS3Scene({ vars = {}, isApart = false }: S3SceneOptions = {}): Promise<S3Scene> {
  const port = await quietPort();
  const hosts = {
    edge: `edge.test:${port}`,
    rgw: `rgw.test:${port}`,
    probe: `probe.test:${port}`,
    virtual: `virtual.test:${port}`,
    twin: `twin.test:${port}`,
  };
  const store = await startS3Store({ rgw: true, hosts: ["rgw.test", "probe.test"] });
  const twin = await startS3Store();
  const stores = [store, twin];
  for (const each of stores) {
    for (const key of Object.values(KEYS)) each.addKey(key);
    each.createBucket(PRIVATE);
    each.createBucket(PUBLIC, { visibility: "public" });
    each.createBucket(VERSIONED, { versioning: "enabled" });
  }
  const apart = [
    { host: hosts.edge, kind: "s3", origin: store.url, auth: "edge" },
    { host: hosts.twin, kind: "s3", origin: twin.url, auth: "edge" },
  ];
  const together = [
    { host: hosts.edge, kind: "s3", origin: "http://store.test:9000", auth: "edge" },
    { host: `*.${hosts.virtual}`, kind: "s3", origin: "http://store.test:9000", auth: "edge" },
    { host: `*.${hosts.rgw}`, kind: "s3", origin: `http://${hosts.rgw}`, auth: "rgw" },
    { host: `*.${hosts.probe}`, kind: "s3", origin: `http://${hosts.probe}`, auth: "probe" },
  ];
  const edge = await startEdge({
    ...TEST_WORKER,
    ports: [port],
    vars: {
      KEY_SECRET: "a secret of the tests",
      S3_KEYS: Object.fromEntries(Object.values(KEYS).map(({ id, secret }) => [id, secret])),
      SITES: isApart ? apart : together,
      ...vars,
    },
    ...(!isApart && { outbound: new URL(store.url).host }),
  });

  let clockOffsetMs = 0;
  let names = 0;
  const now = () => Date.now() + clockOffsetMs;

  /** By connections of its own: those of a test may have been ended in the midst of a body. */
  const control = async (path: string, body?: unknown): Promise<string> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`http://127.0.0.1:${port}/-/test/${path}`, init);
    if (!response.ok) throw new Error(`The test world answered ${response.status}`);
    return await response.text();
  };
  const world = async (change: Partial<World>) => void (await control("world", change));
  const newIsolate = async () => void (await control("isolate", {}));

  const advance = async (ms: number) => {
    clockOffsetMs += ms;
    for (const each of stores) each.clockSkewMs = clockOffsetMs;
    await world({ clockOffsetMs });
  };

  const questions = () => store.counts().total + store.counts().bytes;
  const settle = async () => await quietAfter({ stepMs: 6, questions });
  const underWay = async () => Number(await control("under-way"));
  const rest = async () => await quietAfter({ stepMs: 6, questions, underWay });

  return {
    store,
    twin,
    hosts,
    now,
    advance,
    settle,
    world,
    newIsolate,
    name: (prefix) => `${prefix}-${++names}`,
    kvPuts: async () => (JSON.parse(await control("calls")) as { kvPuts: number }).kvPuts,
    ask: async (where, asking, { onPiece, signal } = {}) => {
      const host = typeof where === "string" ? hosts[where] : where.host;
      return await send(prepare(asking, host, now()), { port, onPiece, signal });
    },
    object(bytes, { bucket = PRIVATE, key = `object-${++names}`, headers = {} } = {}) {
      const { etag } = store.put(bucket, key, bytes, headers);
      return { bucket, key, path: objectPath(bucket, key), bytes: Buffer.from(bytes), etag };
    },
    async fresh() {
      for (const each of stores) {
        each.intercept = undefined;
        each.authMs = 0;
        for (const { id } of Object.values(KEYS)) each.restoreKey(id);
        each.setAccess(KEYS.reader.id, { read: [PRIVATE, PUBLIC, VERSIONED] });
        each.setAccess(KEYS.other.id, { read: [PUBLIC] });
        each.setAccess(KEYS.writer.id, { read: ["*"], write: ["*"] });
        each.setVisibility(PRIVATE, "private");
        each.setVisibility(PUBLIC, "public");
      }
      await rest();
      await world({ kv: "ok", cache: "ok" });
      await advance(LONGER_THAN_ANY_LIFE_MS);
      await newIsolate();
      for (const each of stores) each.resetCounts();
    },
    async counted(act) {
      await settle();
      store.resetCounts();
      const result = await act();
      await settle();
      return { result, counts: store.counts() };
    },
    async close() {
      await edge.close();
      for (const each of stores) await each.close();
    },
  };
}
