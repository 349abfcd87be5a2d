import type { IncomingMessage, ServerResponse } from "node:http";
import type { Forge } from "../../scripts/demo/demo.ts";
import { ask } from "./scene.ts";

/** The origin's own answer for a body, to be sent in another way. */
type Original = { readonly status: number; readonly headers: Record<string, string>; readonly body: Buffer };

/** Sends an answer for a body in another way than the origin would. */
export type BodyFault = (response: ServerResponse, original: Original, request: IncomingMessage) => void;

const RAW = /\/raw(?:\/|\?)/;

/** Whether a forge is asked for the bytes of a file. */
export function isBodyRead({ method, url = "" }: IncomingMessage): boolean {
  return method === "GET" && RAW.test(url);
}

/** Lets a fault answer the reads of raw bytes, or some of them; questions are answered as ever. */
export function breakBodies(forge: Forge, fault: BodyFault, times = Infinity): () => number {
  let count = 0;
  forge.intercept = (request, response) => {
    if (!isBodyRead(request) || request.headers["x-original"] !== undefined) return false;
    if (count++ >= times) return false;
    void (async () => {
      const headers = {
        ...(request.headers as Record<string, string>),
        "x-original": "1",
        connection: "close",
      };
      const { status, headers: got, body } = await ask(forge.url + request.url, { headers });
      const {
        connection: _connection,
        "keep-alive": _keepAlive,
        date: _date,
        ...kept
      } = got as Record<string, string>;
      fault(response, { status, headers: kept, body }, request);
    })();
    return true;
  };
  return () => count;
}

/** Header fields but for one. */
export function without(headers: Record<string, string>, name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name));
}

/** Writes an answer with nothing but what is given, on the bare socket, and ends the connection. */
function sendRaw({ socket }: ServerResponse, head: readonly string[], body: Buffer): void {
  socket?.write(`${head.join("\r\n")}\r\n\r\n`);
  socket?.end(body);
}

/** The first half of some bytes. */
export const half = (body: Buffer) => body.subarray(0, Math.ceil(body.length / 2));

/** What can go wrong with an answer for a body. */
export const BODY_FAULTS: Readonly<Record<string, BodyFault>> = {
  "nothing at all": () => undefined,
  "headers and then nothing": (response, { status, headers }) => {
    response.writeHead(status, headers);
    response.flushHeaders();
  },
  "half of it and then nothing": (response, { status, headers, body }) => {
    response.writeHead(status, headers);
    response.write(half(body));
  },
  "a connection cut at once": (response) => void response.socket?.destroy(),
  "half of it, cut, with its length": (response, { status, headers, body }) => {
    response.writeHead(status, headers);
    response.write(half(body), () => response.socket?.destroy());
  },
  "half of it, cut, in chunks": (response, { status, headers, body }) => {
    response.writeHead(status, without(headers, "content-length"));
    response.write(half(body), () => response.socket?.destroy());
  },
  "half of it, ended well, in chunks": (response, { status, headers, body }) => {
    response.writeHead(status, without(headers, "content-length"));
    response.end(half(body));
  },
  "half of it, ended by closing": (response, { headers, body }) => {
    const kept = Object.entries(without(headers, "content-length")).map(
      ([name, value]) => `${name}: ${value}`,
    );
    sendRaw(response, ["HTTP/1.1 200 OK", ...kept, "Connection: close"], half(body));
  },
  "all of it and more, in chunks": (response, { status, headers, body }) => {
    response.writeHead(status, without(headers, "content-length"));
    response.end(Buffer.concat([body, Buffer.from("and more")]));
  },
  "all of it and more than its length": (response, { headers, body }) => {
    const kept = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    response.socket?.write(`HTTP/1.1 200 OK\r\n${kept.join("\r\n")}\r\n\r\n`);
    response.socket?.write(
      Buffer.concat([body, Buffer.from("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil")]),
    );
  },
  "500": (response) => void response.writeHead(500).end("broken"),
  "503 with a body as long as the file": (response, { body }) => void response.writeHead(503).end(body),
  "404": (response) => void response.writeHead(404, { "content-type": "text/plain" }).end("gone"),
  "204": (response) => void response.writeHead(204).end(),
  "206 that nobody asked for": (response, { headers, body }) => {
    response.writeHead(206, { ...headers, "content-range": `bytes 0-${body.length - 1}/${body.length * 2}` });
    response.end(body);
  },
  "a sign-in page": (response) => void response.writeHead(302, { location: "/users/sign_in" }).end(),
  "a redirect to elsewhere": (response) =>
    void response.writeHead(302, { location: "http://127.0.0.1:9/" }).end(),
  "not HTTP": (response) => sendRaw(response, ["SSH-2.0-OpenSSH_9.2"], Buffer.alloc(0)),
  "two lengths": (response, { body }) =>
    sendRaw(response, ["HTTP/1.1 200 OK", "Content-Length: 10", `Content-Length: ${body.length}`], body),
  "a chunk that is no number": (response, { body }) =>
    sendRaw(
      response,
      ["HTTP/1.1 200 OK", "Transfer-Encoding: chunked"],
      Buffer.concat([Buffer.from("zz\r\n"), body]),
    ),
};

/** What can go wrong with an answer to any other question. */
export const QUESTION_FAULTS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  "no answer": () => undefined,
  "a broken connection": (response) => void response.socket?.destroy(),
  "500": (response) => void response.writeHead(500).end("broken"),
  "half an answer": (response) => {
    response.writeHead(200, {
      "content-length": 1000,
      "content-type": "application/x-git-upload-pack-result",
    });
    response.write("0032", () => response.socket?.destroy());
  },
  "an answer that stands still": (response) => {
    response.writeHead(200, { "content-type": "application/x-git-upload-pack-result" }).write("0032");
  },
  "a page": (response) =>
    void response.writeHead(200, { "content-type": "text/html" }).end("<html>Welcome</html>"),
  "no HTTP": (response) => sendRaw(response, ["+OK POP3 ready"], Buffer.alloc(0)),
};
