import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { convertV4MiniflareOptions, type Json, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { ROOT } from "../bundle.ts";
import { quietPort } from "../servers/quiet-port.ts";

export type LastingWorker = {
  readonly port: number;
  /** Kills workerd (SIGKILL), whatever it is at; what it has stored stays. */
  end(): Promise<void>;
};

export type LastingWorkerOptions = {
  /** A bundled module. */
  readonly script: string;
  readonly bindings: Readonly<Record<string, unknown>>;
  /** Where KV and the Cache API keep what they are given. */
  readonly directory: string;
};

/**
 * Starts the Worker on a new port and on stores that outlast it. The port has to be another one each time: workerd cannot
 * listen where connections of its predecessor are in TIME_WAIT.
 */
export async function startLastingWorker(options: LastingWorkerOptions): Promise<LastingWorker> {
  const { script, bindings, directory } = options;
  const port = await quietPort();
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, "wrangler.toml"));
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      cf: false,
      host: "127.0.0.1",
      port: 0,
      log: new Log(LogLevel.WARN),
      resourcePersistencePath: directory,
      workers: [
        {
          ...workerOptions,
          name: "forgefront",
          modules: [{ type: "ESModule", path: "worker.js", contents: await readFile(script, "utf8") }],
          modulesRoot: ROOT,
          bindings: bindings as Record<string, Json>,
          unsafeDirectSockets: [{ host: "127.0.0.1", port }],
        },
      ],
    }),
  );
  try {
    await miniflare.ready;
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
  return { port, end: () => miniflare.dispose() };
}
