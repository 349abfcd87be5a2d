import { randomBytes } from "node:crypto";
import { startLocalEdge } from "../local-edge.ts";
import { quietPort } from "../servers/quiet-port.ts";
import { withItsWorkerd } from "../measuring/memory.ts";

/** An edge with empty caches in front of one GitLab-shaped origin. */
export type BenchEdge = { readonly url: string; readonly pid: number; close(): Promise<void> };

export async function startBenchEdge(
  origin: string,
  vars: Readonly<Record<string, unknown>> = {},
): Promise<BenchEdge> {
  const port = await quietPort();
  const host = `127.0.0.1:${port}`;
  const sites = [{ host, kind: "gitlab", origin }];
  return { url: `http://${host}`, ...(await startSites({ sites, ports: [port], vars })) };
}

type Sites = {
  readonly sites: readonly object[];
  readonly ports: readonly number[];
  readonly vars: Readonly<Record<string, unknown>>;
};

/** An edge with empty caches and a key of its own, and the process it runs in. */
export async function startSites({
  sites,
  ports,
  vars,
}: Sites): Promise<{ readonly pid: number; close(): Promise<void> }> {
  const settings = { ...vars, KEY_SECRET: randomBytes(32).toString("hex"), SITES: sites };
  const { started, pid } = await withItsWorkerd(() => startLocalEdge({ vars: settings, ports }));
  return { pid, close: () => started.close() };
}
