import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import { DECOY_PAGE, LONGER_BYTES } from "./decoy.ts";
import { writeHead, type ProxyFault } from "./proxy.ts";
import type { Random } from "./random.ts";

/** The origin's own answer, of whose body no more than a little is held. */
type Original = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

type Garble = (response: ServerResponse, original: Original) => void;

/** Longer bodies are only ever cut. */
const HELD_BYTES = 4 * 1024 * 1024;
const FLOOD_FIELDS = 2000;
const FLOOD_VALUE = "x".repeat(200);

/** Answers that are no HTTP, or not what they say they are. None of them makes a yes of a no: that nobody could tell. */
const GARBLES: Readonly<Record<string, Garble>> = {
  "no HTTP": (response) => raw(response, "SSH-2.0-OpenSSH_9.2\r\n\r\n"),
  "no status": (response) => raw(response, "HTTP/1.1 OK\r\nContent-Length: 0\r\n\r\n"),
  "a status of another kind": (response) => raw(response, "HTTP/1.1 999 What\r\nContent-Length: 0\r\n\r\n"),
  "two lengths": (response, { status, headers, body }) =>
    raw(response, head(status, headers).replace(/\r\n$/, "Content-Length: 3\r\n\r\n"), body),
  "a length that is no number": (response, { status, headers, body }) =>
    raw(response, head(status, { ...headers, "content-length": "many" }), body),
  "more than it says": (response, { status, headers, body }) =>
    raw(
      response,
      head(status, { ...headers, "content-length": String(body.length) }),
      Buffer.concat([body, Buffer.from(head(200, { "content-length": "4" })), Buffer.from("evil")]),
    ),
  "shorter than it says": (response, { status, headers, body }) =>
    raw(response, head(status, { ...headers, "content-length": String(body.length + 100) }), body),
  "half, ended well": (response, { status, headers, body }) =>
    void response.writeHead(status, without(headers, "content-length")).end(half(body)),
  "more, ended well": (response, { status, headers, body }) =>
    void response.writeHead(status, without(headers, "content-length")).end(Buffer.concat([body, body])),
  "a chunk that is no number": (response, { status, headers, body }) => {
    const chunked = { ...without(headers, "content-length"), "transfer-encoding": "chunked" };
    raw(response, `${head(status, chunked)}zz\r\n`, body);
  },
  "another part than it says": part(1),
  "a part of something longer": part(0, LONGER_BYTES),
  "a part that nobody asked for": (response, { status, headers, body }) => {
    const range = `bytes 0-${Math.max(0, body.length - 1)}/${body.length * 2}`;
    const told = headers["content-range"] === undefined ? { "content-range": range } : {};
    response.writeHead(isGood(status) ? 206 : status, { ...headers, ...told }).end(body);
  },
  "a gzip that breaks off": (response, { status, headers, body }) => {
    const packed = half(gzipSync(body));
    const told = { ...headers, "content-encoding": "gzip", "content-length": String(packed.length) };
    response.writeHead(status, told).end(packed);
  },
  "a flood of header fields": (response, { status, headers, body }) => {
    const flood = Array.from({ length: FLOOD_FIELDS }, (_, at) => `X-Flood-${at}: ${FLOOD_VALUE}\r\n`);
    raw(response, head(status, headers).replace(/\r\n$/, `${flood.join("")}\r\n`), body);
  },
  "a page, failing": (response) =>
    void response.writeHead(502, { "content-type": "text/html" }).end(DECOY_PAGE),
  "a page, as if all were well": (response, { status }) =>
    void response.writeHead(isGood(status) ? 200 : status, { "content-type": "text/html" }).end(DECOY_PAGE),
  "an error": (response) => void response.writeHead(500, { "content-type": "text/html" }).end(DECOY_PAGE),
};

function isGood(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Each answer is garbled in one of these ways; every fourth is not. */
export function garbage(random: Random): ProxyFault {
  const names = Object.keys(GARBLES);
  return ({ forward }) => {
    const garble = random.next() < 0.25 ? undefined : GARBLES[random.pick(names)];
    forward((original, response) => {
      if (garble === undefined) {
        writeHead(original, response);
        original.pipe(response);
      } else void garbled(original, response, garble);
    });
  };
}

async function garbled(original: IncomingMessage, response: ServerResponse, garble: Garble): Promise<void> {
  const length = Number(original.headers["content-length"] ?? 0);
  if (length > HELD_BYTES) {
    writeHead(original, response);
    original.once("data", (chunk: Buffer) => response.write(chunk, () => response.destroy()));
    return;
  }
  const pieces: Buffer[] = [];
  let held = 0;
  try {
    for await (const chunk of original as AsyncIterable<Buffer>) {
      pieces.push(chunk);
      held += chunk.length;
      if (held > HELD_BYTES) break;
    }
  } catch {
    response.destroy(); // the origin's own answer broke off: there is nothing to garble
    return;
  }
  const kept = Object.entries(original.headers).filter(
    ([name]) => !["connection", "keep-alive", "transfer-encoding"].includes(name),
  );
  const headers = Object.fromEntries(kept.map(([name, value]) => [name, String(value)]));
  if (response.destroyed) return;
  garble(response, { status: original.statusCode ?? 502, headers, body: Buffer.concat(pieces) });
}

function raw({ socket }: ServerResponse, text: string, body: Uint8Array = Buffer.alloc(0)): void {
  socket?.end(Buffer.concat([Buffer.from(text, "latin1"), body]));
}

function head(status: number, headers: Readonly<Record<string, string>>): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} Said\r\n${fields.join("")}\r\n`;
}

function half(body: Buffer): Buffer {
  return body.subarray(0, Math.ceil(body.length / 2));
}

function without(headers: Readonly<Record<string, string>>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

/** Moves a part in what is said of it, or makes its whole longer. */
function part(by: number, more = 0): Garble {
  return (response, { status, headers, body }) => {
    const [, start = "0", last = "0", size = "0"] =
      /bytes (\d+)-(\d+)\/(\d+)/.exec(headers["content-range"] ?? "") ?? [];
    const range = `bytes ${Number(start) + by}-${Number(last) + by}/${Number(size) + more}`;
    const told = headers["content-range"] === undefined ? headers : { ...headers, "content-range": range };
    response.writeHead(status, told).end(body);
  };
}
