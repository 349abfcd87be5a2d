import { startDemo, type Demo } from "../../scripts/demo/demo.ts";
import { addSamples, DEMO_KEYS } from "../../scripts/demo/s3-samples.ts";
import { startS3Store, type S3Store } from "../../scripts/demo/s3.ts";
import { quietPort } from "../../scripts/servers/quiet-port.ts";
import { startEdge } from "./start-edge.ts";
import { TEST_WORKER } from "../worker/bundled.ts";

export type World = {
  clockOffsetMs: number;
  kv: "ok" | "failing" | "read-only";
  cache: "ok" | "failing" | "read-only";
  /** Whether isolates that are new know of the database. */
  database: "bound" | "none";
};

export type Harness = {
  readonly demo: Demo;
  readonly store: S3Store;
  /** `http://127.0.0.1:PORT` of each site. */
  readonly gitlab: string;
  readonly gitea: string;
  readonly s3: string;
  readonly controlToken: string;
  readonly webhookSecret: string;
  /** Changes what the Worker's clock, KV and Cache API do. */
  world(change: Partial<World>): Promise<void>;
  /** Forgets all memory, as a new isolate in the same colo would find it. */
  newIsolate(): Promise<void>;
  /** How many requests the Worker has not answered yet, and how much work it does behind its answers. */
  underWay(): Promise<number>;
  /** All that KV holds, each key with its value. */
  kvRecords(): Promise<string[]>;
  /** How often KV was read and written. */
  kvCalls(): Promise<{ kv: number; kvPuts: number }>;
  close(): Promise<void>;
};

export type HarnessOptions = {
  readonly bigFileBytes?: number;
  readonly authMs?: number;
  /** Variables beside SITES and the secrets. */
  readonly vars?: Readonly<Record<string, unknown>>;
  /** The connection string of GitLab's database. */
  readonly database?: string;
};

/** The demo forges, and the Worker before them in Miniflare, with a world that a test can change. */
export async function startHarness(options: HarnessOptions = {}): Promise<Harness> {
  const { bigFileBytes = 5 * 1024 * 1024 + 123, authMs = 0, vars = {}, database } = options;
  const demo = await startDemo({ bigFileBytes, authMs });
  const store = await startS3Store();
  addSamples(store, bigFileBytes);
  const [gitlabPort, giteaPort, s3Port] = [await quietPort(), await quietPort(), await quietPort()];
  const gitlab = `http://127.0.0.1:${gitlabPort}`;
  const gitea = `http://127.0.0.1:${giteaPort}`;
  const s3 = `http://127.0.0.1:${s3Port}`;
  const controlToken = "control-token-of-the-tests";
  const webhookSecret = "webhook-secret-of-the-tests";
  const edge = await startEdge({
    ...TEST_WORKER,
    ports: [gitlabPort, giteaPort, s3Port],
    ...(database !== undefined && { database }),
    vars: {
      KEY_SECRET: "a secret of the tests",
      CONTROL_TOKEN: controlToken,
      WEBHOOK_SECRET: webhookSecret,
      S3_KEYS: Object.fromEntries(Object.values(DEMO_KEYS).map(({ id, secret }) => [id, secret])),
      SITES: [
        { host: `127.0.0.1:${gitlabPort}`, kind: "gitlab", origin: demo.gitlab.url },
        { host: `127.0.0.1:${giteaPort}`, kind: "gitea", origin: demo.gitea.url },
        { host: `127.0.0.1:${s3Port}`, kind: "s3", origin: store.url, auth: "edge" },
      ],
      ...vars,
    },
  });

  const control = async (path: string, body?: unknown): Promise<Response> => {
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const response = await fetch(`${gitlab}/-/test/${path}`, init);
    if (!response.ok) throw new Error(`The test world answered ${response.status}`);
    return response;
  };

  return {
    demo,
    store,
    gitlab,
    gitea,
    s3,
    controlToken,
    webhookSecret,
    world: async (change) => void (await control("world", change)),
    newIsolate: async () => void (await control("isolate", {})),
    underWay: async () => (await (await control("under-way")).json()) as number,
    kvRecords: async () => (await (await control("kv")).json()) as string[],
    kvCalls: async () => (await (await control("calls")).json()) as { kv: number; kvPuts: number },
    async close() {
      await edge.close();
      await demo.close();
      await store.close();
    },
  };
}

/** The three members of `Cache-Status`, by name, each as sent. */
export function cacheStatus(response: Response): Record<string, string> {
  const members = (response.headers.get("cache-status") ?? "").split(/, (?=forgefront)/);
  return Object.fromEntries(members.map((member) => [member.split(";")[0] ?? "", member]));
}
