import { randomBytes } from "node:crypto";
import { freePort, startLocalEdge } from "../local-edge.ts";
import { withItsWorkerd } from "./memory.ts";

/** An edge with empty caches in front of one GitLab-shaped origin. */
export type BenchEdge = { readonly url: string; readonly pid: number; close(): Promise<void> };

export async function startBenchEdge(
  origin: string,
  vars: Readonly<Record<string, number>> = {},
): Promise<BenchEdge> {
  const port = await freePort();
  const host = `127.0.0.1:${port}`;
  const settings = {
    ...vars,
    KEY_SECRET: randomBytes(32).toString("hex"),
    SITES: [{ host, kind: "gitlab", origin }],
  };
  const { started, pid } = await withItsWorkerd(() => startLocalEdge({ vars: settings, ports: [port] }));
  return { url: `http://${host}`, pid, close: () => started.close() };
}
