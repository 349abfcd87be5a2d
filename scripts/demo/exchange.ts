import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { Address } from "./address.ts";
import type { Counter } from "./counter.ts";
import type { CountKind } from "./counts.ts";

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly address: Address;
  readonly counter: Counter<CountKind>;
  /** Writes the answer's head; the only way to do so, since it is what decides how a raw request counts. */
  head(status: number, headers: OutgoingHttpHeaders): void;
}

export interface ExchangeOptions {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly counter: Counter<CountKind>;
  readonly address?: Address;
  /** What the request counts as; absent where it does not count. */
  readonly kind?: CountKind;
}

const NO_ADDRESS: Address = { segments: [], query: new URLSearchParams() };

export function createExchange(options: ExchangeOptions): Exchange {
  const { request, response, counter, address = NO_ADDRESS, kind } = options;
  // What a raw request counts as depends on its answer; every other is counted as it comes.
  if (kind !== undefined && kind !== "web:raw") counter.add(kind);
  function head(status: number, headers: OutgoingHttpHeaders) {
    if (kind === "web:raw") counter.add(rawKind(status));
    response.writeHead(status, headers);
  }
  return { request, response, address, counter, head };
}

function rawKind(status: number): CountKind {
  if (status === 304) return "web:raw-not-modified";
  return status === 200 || status === 206 ? "web:raw" : "other";
}

export const HTML = "text/html; charset=utf-8";
export const PLAIN_TEXT = "text/plain; charset=utf-8";

/** Answers with a whole body held in memory. */
export function send(
  exchange: Exchange,
  status: number,
  headers: OutgoingHttpHeaders,
  body: string | Uint8Array = "",
): void {
  exchange.head(status, { ...headers, "Content-Length": Buffer.byteLength(body) });
  exchange.response.end(body);
}

export function sendText(
  exchange: Exchange,
  status: number,
  body: string,
  headers: OutgoingHttpHeaders = {},
): void {
  send(exchange, status, { "Content-Type": PLAIN_TEXT, ...headers }, body);
}

export function sendHtml(exchange: Exchange, status: number, title: string): void {
  send(
    exchange,
    status,
    { "Content-Type": HTML },
    `<!doctype html>\n<title>${title}</title>\n<h1>${title}</h1>\n`,
  );
}

export function sendJson(
  exchange: Exchange,
  status: number,
  value: unknown,
  headers: OutgoingHttpHeaders = {},
): void {
  send(exchange, status, { "Content-Type": "application/json", ...headers }, JSON.stringify(value));
}

/** The same answers where permission was wanting. */
export function countDenial(exchange: Exchange): Exchange {
  exchange.counter.add("denied");
  return exchange;
}

/** A header value as UTF-8 bytes, which is how forges send names outside ASCII; Node would refuse them. */
export function headerBytes(value: string): string {
  return Buffer.from(value).toString("latin1");
}
