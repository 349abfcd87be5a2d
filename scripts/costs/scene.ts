import { Agent, request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, URL } from "node:url";
import { withItsWorkerd } from "../measuring/memory.ts";
import { requestSigner, type Sign } from "../bench/objects-signing.ts";
import { startPollingForge, type PollingForge } from "../bench/pipelines-forge.ts";
import { startS3Store, type S3Store } from "../demo/s3.ts";
import { startLocalEdge } from "../local-edge.ts";
import { quietPort } from "../servers/quiet-port.ts";
import type { Counts } from "./counts.ts";

/** One request that is played, of one of the Worker's isolates; the first has no name. */
export type Played = {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly method?: string;
  readonly body?: string;
  readonly isolate?: string;
  /** What it must be answered with; 200 where it is left out. */
  readonly status?: number;
};

/** A forge and a store, and the Worker before them, which counts what it uses and whose clock is moved. */
export type CostsScene = {
  readonly forge: PollingForge;
  readonly store: S3Store;
  readonly gitlab: string;
  readonly s3: string;
  /** Of the Worker. */
  readonly pid: number;
  /** Signs as the holder of the store's one key, at the time that the scene's clock says. */
  sign(): Sign;
  /** What the clock of the scene and of the Worker says: it stands still, however long things take here. */
  readonly nowMs: number;
  advance(ms: number): void;
  /** Sends a request, reads its answer to the end and gives its `Cache-Status`. */
  play(played: Played): Promise<string>;
  /** What was counted so far, once all work behind the responses is done. */
  settled(): Promise<Counts>;
  /** Forgets the memory of all isolates. */
  newIsolates(): Promise<void>;
};

export type CostsSceneOptions = {
  readonly projects: number;
  readonly people: number;
  /** Whether events are taken, so that isolates look whether there were any. */
  readonly isWatched?: boolean;
};

export const BUCKET = "bucket";
export const WEBHOOK_SECRET = "webhook-secret-of-the-costs";
const STORE_KEY = { name: "reader", accessKey: "COSTSREADER", secretKey: "costs-reader-secret" };
const PIPELINES = 20;
const QUIET_LOOKS = 4;
const LOOK_MS = 25;

/** Starts all of it, until the scope ends. */
export async function startCostsScene(
  scope: AsyncDisposableStack,
  { projects, people, isWatched = false }: CostsSceneOptions,
): Promise<CostsScene> {
  const forge = await startPollingForge(scope, { projects, people, pipelines: PIPELINES, authMs: 0 });
  const store = scope.adopt(await startS3Store(), (started) => started.close());
  store.addKey({ id: STORE_KEY.accessKey, secret: STORE_KEY.secretKey, read: [BUCKET] });
  store.createBucket(BUCKET);
  const ports = [await quietPort(), await quietPort()] as const;
  const hosts = ports.map((port) => `127.0.0.1:${port}`);
  const vars = {
    KEY_SECRET: "a secret of the costs",
    S3_KEYS: { [STORE_KEY.accessKey]: STORE_KEY.secretKey },
    SITES: [
      { host: hosts[0], kind: "gitlab", origin: forge.forge.url },
      { host: hosts[1], kind: "s3", origin: store.url, auth: "edge" },
    ],
    ...(isWatched && { WEBHOOK_SECRET }),
  };
  const entry = fileURLToPath(new URL("./counting-edge.ts", import.meta.url));
  const { started, pid } = await withItsWorkerd(() => startLocalEdge({ entry, ports, vars }));
  scope.defer(() => started.close());
  const agent = new Agent({ keepAlive: true });
  scope.defer(() => agent.destroy());
  const gitlab = `http://${hosts[0]}`;
  let nowMs = Date.now();

  const counts = async (): Promise<Counts> =>
    JSON.parse(await (await fetch(`${gitlab}/-/costs/counts`)).text()) as Counts;

  return {
    forge,
    store,
    gitlab,
    s3: `http://${hosts[1]}`,
    pid,
    sign: () => requestSigner(STORE_KEY, nowMs),
    get nowMs() {
      return nowMs;
    },
    advance(ms) {
      nowMs += ms;
      store.clockSkewMs = nowMs - Date.now();
    },
    play: async (played) => await play(played, agent, nowMs),
    async settled() {
      let last = "";
      for (let quiet = 0; quiet < QUIET_LOOKS;) {
        const seen = JSON.stringify(await counts());
        quiet = seen === last ? quiet + 1 : 0;
        last = seen;
        await sleep(LOOK_MS);
      }
      return JSON.parse(last) as Counts;
    },
    newIsolates: async () => void (await fetch(`${gitlab}/-/costs/isolates`, { method: "POST" })),
  };
}

function play(played: Played, agent: Agent, nowMs: number): Promise<string> {
  const { url, headers = {}, method = "GET", body, isolate, status = 200 } = played;
  const sent = {
    ...headers,
    "x-costs-clock": String(nowMs),
    ...(isolate !== undefined && { "x-costs-isolate": isolate }),
  };
  return new Promise((resolve, reject) => {
    const asking = request(url, { method, headers: sent, agent }, (response) => {
      response.resume();
      response.on("error", reject);
      response.on("end", () => {
        if (response.statusCode === status) resolve(String(response.headers["cache-status"] ?? ""));
        else reject(new Error(`${method} ${url} was answered ${response.statusCode}, not ${status}`));
      });
    });
    asking.on("error", reject);
    asking.end(body);
  });
}
