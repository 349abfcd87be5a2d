import type { OutgoingHttpHeaders } from "node:http";
import { pipeline } from "node:stream/promises";
import { gzipSync } from "node:zlib";
import { PLAIN_TEXT, send, sendHtml, sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";

/** Pages that are no forge's business, to see what a proxy in front passes through untouched. */
export type Page = "home" | "echo" | "gzip";

const PAGES: ReadonlyMap<string, Page> = new Map([
  ["", "home"],
  ["-/demo/echo", "echo"],
  ["-/demo/gzip", "gzip"],
]);

export function findPage(segments: readonly string[]): Page | undefined {
  return PAGES.get(segments.join("/"));
}

export async function servePage(exchange: Exchange, page: Page, forgeName: string): Promise<void> {
  if (page === "echo") return echo(exchange);
  if (page === "home") return sendHtml(exchange, 200, forgeName);
  send(
    exchange,
    200,
    { "Content-Type": PLAIN_TEXT, "Content-Encoding": "gzip" },
    gzipSync("This text was compressed\n".repeat(100)),
  );
}

/** Sends a POST's body back as it comes, each of its headers as `X-Echo-<name>`. */
async function echo(exchange: Exchange): Promise<void> {
  const { request, response } = exchange;
  if (request.method !== "POST") return sendText(exchange, 405, "Method not allowed\n", { Allow: "POST" });
  const headers: OutgoingHttpHeaders = { "Content-Type": "application/octet-stream" };
  for (const [name, value] of Object.entries(request.headers)) headers[`X-Echo-${name}`] = value;
  exchange.head(200, headers);
  response.flushHeaders();
  await pipeline(request, response);
}
