import type { IncomingMessage, ServerResponse } from "node:http";
import { gzipSync } from "node:zlib";
import type { S3Store } from "../../scripts/demo/s3.ts";
import { send } from "./s3-client.ts";

/** The store's own answer to a read, to be sent in another way. */
export type StoreOriginal = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** Sends an answer to a GET in another way than the store would; `whole` is what all of the object is. */
export type StoreFault = (
  response: ServerResponse,
  original: StoreOriginal,
  more: { readonly request: IncomingMessage; readonly whole: Buffer },
) => void;

type Breaking = {
  readonly whole: Buffer;
  readonly fault: StoreFault;
  /** Which GETs are answered so; all unless it is said. */
  readonly isMeant?: (request: IncomingMessage, count: number) => boolean;
};

/** Lets a fault answer GETs of one path; all else is answered as ever. */
export function breakReads(
  store: S3Store,
  path: string,
  { whole, fault, isMeant = () => true }: Breaking,
): void {
  let count = 0;
  const { intercept } = store;
  store.intercept = (request, response) => {
    const { method, url = "", headers } = request;
    if (method !== "GET" || url.split("?")[0] !== path || headers["x-original"] !== undefined)
      return intercept?.(request, response) ?? false;
    if (!isMeant(request, count++)) return false;
    void (async () => {
      const sent = { ...(headers as Record<string, string>), "x-original": "1", connection: "close" };
      const port = Number(new URL(store.url).port);
      const answer = await send({ method, target: url, headers: sent }, { port });
      const dropped = new Set(["connection", "keep-alive", "date", "transfer-encoding"]);
      const kept = Object.entries(answer.headers).filter(([name]) => !dropped.has(name));
      const original = {
        status: answer.status,
        headers: Object.fromEntries(kept) as Record<string, string>,
        body: answer.body,
      };
      if (original.status >= 300) response.writeHead(original.status, original.headers).end(original.body);
      else fault(response, original, { request, whole });
    })();
    return true;
  };
}

export function withoutHeader(
  headers: Readonly<Record<string, string>>,
  ...names: string[]
): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}

/** Where a part begins, and what comes after it. */
function partOf({ headers, body }: StoreOriginal): { start: number; end: number } {
  const start = Number(/^bytes (\d+)-/.exec(headers["content-range"] ?? "")?.[1] ?? 0);
  return { start, end: start + body.length };
}

/** Answers with other bytes of the object, and says so. */
function otherPart(
  response: ServerResponse,
  original: StoreOriginal,
  whole: Buffer,
  move: { start: number; end: number },
): void {
  const part = partOf(original);
  const start = Math.max(0, Math.min(part.start + move.start, whole.length - 1));
  const end = Math.max(start + 1, Math.min(part.end + move.end, whole.length));
  const body = whole.subarray(start, end);
  const range = {
    "content-range": `bytes ${start}-${end - 1}/${whole.length}`,
    "content-length": String(body.length),
  };
  response.writeHead(206, { ...original.headers, ...range }).end(body);
}

const same =
  (change: (headers: Record<string, string>) => Record<string, string>): StoreFault =>
  (response, { status, headers, body }) =>
    void response.writeHead(status, change(headers)).end(body);

const error =
  (status: number, headers: Record<string, string> = {}): StoreFault =>
  (response) => {
    const body = `<Error><Code>Fault${status}</Code></Error>`;
    response
      .writeHead(status, { "content-type": "application/xml", ...headers })
      .end(status === 204 ? "" : body);
  };

const half = (body: Buffer) => body.subarray(0, Math.floor(body.length / 2));

/** What can go wrong with an answer to a GET, whole or ranged. */
export const STORE_FAULTS: Readonly<Record<string, StoreFault>> = {
  "200 to whatever range": (response, { headers }, { whole }) => {
    const kept = withoutHeader(headers, "content-range");
    response.writeHead(200, { ...kept, "content-length": String(whole.length) }).end(whole);
  },
  "a part that begins later": (response, original, { whole }) =>
    otherPart(response, original, whole, { start: 1, end: 1 }),
  "a part that begins earlier": (response, original, { whole }) =>
    otherPart(response, original, whole, { start: -1, end: 0 }),
  "a part that is longer": (response, original, { whole }) =>
    otherPart(response, original, whole, { start: 0, end: 1000 }),
  "a part that is shorter": (response, original, { whole }) =>
    otherPart(response, original, whole, { start: 0, end: -1 }),
  "a part without Content-Range": (response, { headers, body }) =>
    void response.writeHead(206, withoutHeader(headers, "content-range")).end(body),
  "a Content-Range of unknown size": same((headers) => ({
    ...headers,
    ...(headers["content-range"] !== undefined && {
      "content-range": headers["content-range"].replace(/\/\d+$/, "/*"),
    }),
  })),
  "a Content-Range of another size": same((headers) => ({
    ...headers,
    ...(headers["content-range"] !== undefined && {
      "content-range": headers["content-range"].replace(/\/\d+$/, "/99999999"),
    }),
  })),
  "multipart/byteranges": (response, { headers, body }) =>
    void response
      .writeHead(206, {
        ...withoutHeader(headers, "content-range", "content-length"),
        "content-type": "multipart/byteranges; boundary=b",
      })
      .end(
        Buffer.concat([
          Buffer.from("--b\r\nContent-Range: bytes 0-1/2\r\n\r\n"),
          body,
          Buffer.from("\r\n--b--\r\n"),
        ]),
      ),
  "half of it, cut": (response, { status, headers, body }) => {
    response.writeHead(status, headers);
    response.write(half(body), () => response.socket?.destroy());
  },
  "half of it, cut, in chunks": (response, { status, headers, body }) => {
    response.writeHead(status, withoutHeader(headers, "content-length"));
    response.write(half(body), () => response.socket?.destroy());
  },
  "half of it, ended well, in chunks": (response, { status, headers, body }) =>
    void response.writeHead(status, withoutHeader(headers, "content-length")).end(half(body)),
  "all of it and more, in chunks": (response, { status, headers, body }) =>
    void response
      .writeHead(status, withoutHeader(headers, "content-length"))
      .end(Buffer.concat([body, Buffer.from("and more")])),
  "half of it and then nothing": (response, { status, headers, body }) => {
    response.writeHead(status, headers);
    response.write(half(body));
  },
  "headers and then nothing": (response, { status, headers }) => {
    response.writeHead(status, headers);
    response.flushHeaders();
  },
  "nothing at all": () => undefined,
  "a connection cut at once": (response) => void response.socket?.destroy(),
  "a gzip coding": (response, { status, headers, body }) => {
    const zipped = gzipSync(body);
    response
      .writeHead(status, { ...headers, "content-encoding": "gzip", "content-length": zipped.length })
      .end(zipped);
  },
  "503 SlowDown": error(503),
  "503 SlowDown, for 5 s": error(503, { "retry-after": "5" }),
  "429, until a date": error(429, { "retry-after": "Fri, 31 Dec 1999 23:59:59 GMT" }),
  "500": error(500),
  "412": error(412),
  "416": error(416),
  "404": error(404),
  "400": error(400),
  "204": error(204),
  "a redirect": error(307, { location: "http://127.0.0.1:9/elsewhere" }),
  "200 with an error in it": (response) =>
    void response
      .writeHead(200, { "content-type": "application/xml" })
      .end("<Error><Code>InternalError</Code></Error>"),
  "no HTTP": (response) => void response.socket?.end("SSH-2.0-OpenSSH_9.2\r\n\r\n"),
  "two lengths": ({ socket }, { body }) =>
    void socket?.end(
      Buffer.concat([
        Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: 10\r\nContent-Length: ${body.length}\r\n\r\n`),
        body,
      ]),
    ),
};

/** What a store may leave out or say otherwise, always in the same way. */
export const STORE_MANNERS: Readonly<Record<string, StoreFault>> = {
  "a weak ETag": same((headers) => ({ ...headers, etag: `W/${headers["etag"]}` })),
  "an ETag without quotes": same((headers) => ({
    ...headers,
    etag: (headers["etag"] ?? "").replaceAll('"', ""),
  })),
  "no ETag": same((headers) => withoutHeader(headers, "etag")),
  "no Last-Modified": same((headers) => withoutHeader(headers, "last-modified")),
  neither: same((headers) => withoutHeader(headers, "etag", "last-modified")),
  "no length of the whole": (response, { status, headers, body }) =>
    void response.writeHead(status, withoutHeader(headers, "content-length")).end(body),
  "a new ETag each time": same((headers) => ({ ...headers, etag: `"${Math.random()}"` })),
  "a new Last-Modified each time": same((headers) => ({
    ...headers,
    "last-modified": new Date(Math.random() * 1e12).toUTCString(),
  })),
};
