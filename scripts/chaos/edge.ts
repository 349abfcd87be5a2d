import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { withItsWorkerd } from "../measuring/memory.ts";
import { DEMO_KEYS } from "../demo/s3-samples.ts";
import { startLastingWorker } from "./lasting-worker.ts";
import type { Origins } from "./origins.ts";
import type { WorldChange, WorldReport } from "./worker.ts";

/** The Worker in Miniflare, with empty caches and a world that a run can change. */
export type ChaosEdge = {
  /** Where it listens now. */
  port(): number;
  /** The process it runs in now. */
  pid(): number;
  /** For all requests to it. */
  readonly agent: Agent;
  world(change: WorldChange): Promise<WorldReport>;
  /** Forgets all memory of all isolates. */
  newIsolates(): Promise<void>;
  /** Ends the process as the system would for want of memory, and starts another one on the same stores. */
  killProcess(): Promise<void>;
  close(): Promise<void>;
};

/** The sites' hosts, by which requests are told apart: the port is another one after each restart. */
export const HOSTS = { gitlab: "git.chaos.test", s3: "s3.chaos.test" } as const;

/** Short, so that runs are. */
const LIMITS = { ORIGIN_TIMEOUT_S: 4, ORIGIN_STALL_S: 5 };
const CONTROL_MS = 10_000;
const SOCKETS = 64;

export type ChaosEdgeOptions = {
  readonly script: string;
  readonly origins: Origins;
  readonly limits?: Readonly<Record<string, number>> | undefined;
};

export async function startChaosEdge({ script, origins, limits }: ChaosEdgeOptions): Promise<ChaosEdge> {
  await using starting = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), "forgefront-chaos-"));
  starting.defer(() => rm(directory, { recursive: true, force: true, maxRetries: 3 }));
  const agent = starting.adopt(new Agent({ keepAlive: true, maxSockets: SOCKETS }), (made) => made.destroy());
  const bindings = { ...LIMITS, ...limits, ...bindingsFor(origins) };
  const start = () => withItsWorkerd(() => startLastingWorker({ script, bindings, directory }));
  let running = await start();
  starting.defer(() => running.started.end());
  const control = (path: string, body: object) =>
    post(`http://127.0.0.1:${running.started.port}/-/chaos/${path}`, { body, agent });
  const started = starting.move();
  return {
    port: () => running.started.port,
    pid: () => running.pid,
    agent,
    world: (change) => control("world", change),
    newIsolates: async () => void (await control("isolates", {})),
    async killProcess() {
      await running.started.end();
      running = await start();
    },
    close: () => started.disposeAsync(),
  };
}

function bindingsFor(origins: Origins): Readonly<Record<string, unknown>> {
  return {
    KEY_SECRET: randomBytes(32).toString("hex"),
    S3_KEYS: Object.fromEntries(Object.values(DEMO_KEYS).map(({ id, secret }) => [id, secret])),
    SITES: [
      { host: HOSTS.gitlab, kind: "gitlab", origin: origins.gitlab.url },
      { host: HOSTS.s3, kind: "s3", origin: origins.s3.url, auth: "edge" },
    ],
  };
}

function post(
  url: string,
  { body, agent }: { readonly body: object; readonly agent: Agent },
): Promise<WorldReport> {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(CONTROL_MS);
    const sent = request(url, { method: "POST", agent, signal }, (response) => {
      json(response).then((report) => resolve(report as WorldReport), reject);
    });
    sent.on("error", reject);
    sent.end(JSON.stringify(body));
  });
}
