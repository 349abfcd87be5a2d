import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";
import { convertV4MiniflareOptions, type Json, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { readConfig } from "../src/core/config.ts";
import { bundle, ROOT } from "./bundle.ts";
import type { step } from "./step.ts";

export type LocalEdge = {
  readonly miniflare: Miniflare;
  close(): Promise<void>;
};

export type LocalEdgeOptions = {
  /** Variables and secrets; they replace those of wrangler.toml. */
  readonly vars: Readonly<Record<string, unknown>>;
  /** Ports of 127.0.0.1 to listen on. */
  readonly ports: readonly number[];
  readonly entry?: string;
  /** A module that was bundled of the entry before; it is left where it is. */
  readonly script?: string;
  /** `host:port` to which everything goes that the Worker sends out, whatever host it is for. */
  readonly outbound?: string;
  /** Where KV and the Cache API keep what they are given, past the end of the process; else it goes with it. */
  readonly directory?: string;
  /** Told of each thing that takes a while. */
  readonly step?: typeof step;
  /** The connection string of GitLab's database; where it is left out, that of the environment (`PIPELINES_DB`). */
  readonly database?: string;
};

/** Runs the Worker in Miniflare with the bindings of wrangler.toml; throws `ConfigurationFaults` before it starts anything. */
export async function startLocalEdge(options: LocalEdgeOptions): Promise<LocalEdge> {
  const { vars, ports, database = process.env["PIPELINES_DB"], step: told = quietly } = options;
  const bindings = { ...configuredVars(), ...vars };
  const hyperdrives = databases(database);
  const config = readConfig({ ...hyperdrives, ...bindings });
  if (config.kind === "faults") throw new ConfigurationFaults(config.faults);
  for (const port of ports) await insistOnFree(port);
  const contents = await told("Bundling the Worker", () => readModule(options));
  const worker = { ...options, contents, bindings, hyperdrives };
  const miniflare = await told("Starting Miniflare", () => startWorker(worker));
  return { miniflare, close: () => miniflare.dispose() };
}

async function quietly<T>(_title: string, work: () => Promise<T>): Promise<T> {
  return await work();
}

async function readModule({ entry, script }: LocalEdgeOptions): Promise<string> {
  if (script !== undefined) return await readFile(script, "utf8");
  const bundled = await bundle(entry);
  try {
    return await readFile(bundled.script, "utf8");
  } finally {
    await bundled.remove();
  }
}

export type WorkerOptions = {
  /** One module. */
  readonly contents: string;
  readonly bindings: Readonly<Record<string, unknown>>;
  readonly ports: readonly number[];
  readonly outbound?: string;
  readonly directory?: string;
  /** The connection strings of databases, by the names of their bindings. */
  readonly hyperdrives?: Readonly<Record<string, string>>;
};

/**
 * Starts one Worker on sockets that lead straight to it: through Miniflare's own entry
 * the same bytes take three times as long.
 */
export async function startWorker({
  contents,
  bindings,
  ports,
  outbound,
  directory,
  hyperdrives = {},
}: WorkerOptions): Promise<Miniflare> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      host: "127.0.0.1",
      port: 0,
      log: new Log(LogLevel.WARN),
      ...(directory !== undefined && { resourcePersistencePath: directory }),
      workers: [
        {
          ...workerOptions(),
          name: "forgefront",
          modules: [{ type: "ESModule", path: "worker.js", contents }],
          modulesRoot: ROOT,
          bindings: bindings as Record<string, Json>,
          hyperdrives: { ...hyperdrives },
          ...(outbound !== undefined && { outboundService: OUTBOUND }),
          unsafeDirectSockets: ports.map((port) => ({ host: "127.0.0.1", port })),
        },
        ...(outbound === undefined ? [] : [outboundWorker(outbound)]),
      ],
    }),
  );
  try {
    await miniflare.ready;
    return miniflare;
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
}

const OUTBOUND = "outbound";

/** Sends everything to one address: Miniflare takes that for a binding, but not for all that goes out. */
function outboundWorker(address: string) {
  const contents = "export default { fetch: (request, { TO }) => TO.fetch(request) };";
  return {
    name: OUTBOUND,
    compatibilityDate: "2026-11-01",
    modules: [{ type: "ESModule" as const, path: "outbound.js", contents }],
    modulesRoot: ROOT,
    serviceBindings: { TO: { external: { address, http: {} } } },
  };
}

function workerOptions(): object {
  process.env["KEY_SECRET"] ??= "replaced by the bindings"; // or wrangler warns that it is missing
  process.env["WRANGLER_LOG"] ??= "error";
  return unstable_getMiniflareWorkerOptions(join(ROOT, "wrangler.toml")).workerOptions;
}

/** The database of pipelines is there where one is named (`postgres://...`), whatever wrangler.toml says. */
function databases(url: string | undefined): Readonly<Record<string, string>> {
  return url === undefined || url === "" ? {} : { PIPELINES_DB: url };
}

function configuredVars(): Readonly<Record<string, unknown>> {
  const { bindings = {} } = workerOptions() as { readonly bindings?: Readonly<Record<string, unknown>> };
  return Object.fromEntries(Object.entries(bindings).filter(([name]) => name !== "KEY_SECRET"));
}

/** Why the edge cannot start: every fault of its configuration. */
export class ConfigurationFaults extends Error {
  readonly faults: readonly string[];
  constructor(faults: readonly string[]) {
    super(`Configuration has faults\n${faults.map((fault) => `  - ${fault}`).join("\n")}`);
    this.faults = faults;
  }
}

async function insistOnFree(port: number): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    throw new Error(`Port ${port} of 127.0.0.1 cannot be listened on`, { cause: error });
  }
}

async function listenOnce(port: number): Promise<void> {
  const server = createServer();
  await new Promise<void>((resolve, reject) =>
    server.once("error", reject).listen(port, "127.0.0.1", resolve),
  );
  await new Promise((resolve) => server.close(resolve));
}
