import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json } from "node:stream/consumers";
import { DEMO_KEYS } from "../demo/s3-samples.ts";
import { startLocalEdge } from "../local-edge.ts";
import { withItsWorkerd } from "../measuring/memory.ts";
import { quietPort } from "../servers/quiet-port.ts";
import type { Origins } from "./origins.ts";
import { HOSTS } from "./sites.ts";
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
  const vars = { ...limits, ...varsFor(origins) };
  const start = async () => {
    const port = await quietPort(); // another one each time: where connections of the last process are in TIME_WAIT, none can listen
    const edge = () => startLocalEdge({ script, directory, vars, ports: [port] });
    return { port, ...(await withItsWorkerd(edge)) };
  };
  let running = await start();
  starting.defer(() => running.started.close());
  const control = (path: string, body: object) =>
    post(`http://127.0.0.1:${running.port}/-/chaos/${path}`, { body, agent });
  const started = starting.move();
  return {
    port: () => running.port,
    pid: () => running.pid,
    agent,
    world: (change) => control("world", change),
    newIsolates: async () => void (await control("isolates", {})),
    async killProcess() {
      await running.started.close(); // which is SIGKILL
      running = await start();
    },
    close: () => started.disposeAsync(),
  };
}

function varsFor(origins: Origins): Readonly<Record<string, unknown>> {
  return {
    KEY_SECRET: randomBytes(32).toString("hex"),
    S3_KEYS: Object.fromEntries(Object.values(DEMO_KEYS).map(({ id, secret }) => [id, secret])),
    SITES: [
      { host: HOSTS.gitlab, kind: "gitlab", origin: origins.gitlab.url },
      { host: HOSTS.gitea, kind: "gitea", origin: origins.gitea.url },
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
