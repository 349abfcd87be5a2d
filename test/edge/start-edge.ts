import type { LocalEdgeOptions } from "../../scripts/local-edge.ts";

/** The variable of the environment that says where edges are kept. */
export const KEEPER = "TEST_EDGES";

export type StartedEdge = { close(): Promise<void> };

/** The same as `startLocalEdge()`, but in the one process that keeps the edges of all suites (kept-edges.ts says why). */
export async function startEdge(options: Omit<LocalEdgeOptions, "step">): Promise<StartedEdge> {
  const number = await askKeeper("", { method: "POST", body: JSON.stringify(options) });
  return { close: async () => void (await askKeeper(number, { method: "DELETE" })) };
}

async function askKeeper(path: string, init: RequestInit): Promise<string> {
  const keeper = process.env[KEEPER];
  if (keeper === undefined) throw new Error(`Nobody keeps edges: ${KEEPER} is not set`);
  const response = await fetch(`${keeper}/${path}`, init);
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
