import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { json } from "node:stream/consumers";
import { startLocalEdge, type LocalEdge, type LocalEdgeOptions } from "../../scripts/local-edge.ts";
import { KEEPER } from "./start-edge.ts";

/**
 * Keeps the edges of all suites of a run (Vitest: `globalSetup`): `POST /` starts one and answers its number, `DELETE /<number>` closes it.
 * Wrangler and Miniflare take two seconds of a core to load, and a process that has them is so large that each git that a
 * demo forge starts out of it takes ten times as long: so the processes of the suites are kept without them.
 */
export async function setup(): Promise<() => Promise<void>> {
  const edges = new Map<string, LocalEdge>();
  const server = createServer((request, response) => void answer(edges, request, response));
  await once(server.listen(0, "127.0.0.1"), "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The keeper of edges has no port");
  process.env[KEEPER] = `http://127.0.0.1:${address.port}`;
  return async () => {
    server.close();
    server.closeAllConnections();
    await Promise.all([...edges.values()].map((edge) => edge.close()));
  };
}

async function answer(
  edges: Map<string, LocalEdge>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    response.end(request.method === "DELETE" ? await close(edges, request) : await start(edges, request));
  } catch (error) {
    response.writeHead(500).end(error instanceof Error ? (error.stack ?? error.message) : String(error));
  }
}

async function start(edges: Map<string, LocalEdge>, request: IncomingMessage): Promise<string> {
  const edge = await startLocalEdge((await json(request)) as LocalEdgeOptions);
  started += 1;
  edges.set(String(started), edge);
  return String(started);
}

let started = 0;

async function close(edges: Map<string, LocalEdge>, { url = "" }: IncomingMessage): Promise<string> {
  const number = url.slice(1);
  const edge = edges.get(number);
  if (edge === undefined) throw new Error(`There is no edge ${number}`);
  edges.delete(number);
  await edge.close();
  return number;
}
