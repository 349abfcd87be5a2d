import { once } from "node:events";
import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { quietPort } from "../servers/quiet-port.ts";

/** A request on its way to the origin, and the ways to answer it. */
export type Passing = {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Sends it on, and the answer back as it is; `pipe` may send the body back in another way. */
  readonly forward: (pipe?: (original: IncomingMessage, response: ServerResponse) => void) => void;
};

/** Answers in the origin's place, or sends on. */
export type ProxyFault = (passing: Passing) => void;

/** Stands before an origin, on an address of its own, and makes it fail. */
export type FaultyProxy = {
  readonly url: string;
  fault: ProxyFault | undefined;
  /** Every connection is reset and every new one refused. */
  kill(): Promise<void>;
  revive(): Promise<void>;
  /** How many requests have come. */
  requests(): number;
  /** How many of them the edge still waits for, or reads. */
  active(): number;
  close(): Promise<void>;
};

// Longer than a client keeps an idle connection, so that none is closed under a request on its way.
const KEEP_ALIVE_MS = 75_000;
/** Header fields of one connection alone (RFC 9110 §7.6.1). */
const HOP_BY_HOP = new Set(["connection", "keep-alive"]);

export async function startFaultyProxy(origin: string): Promise<FaultyProxy> {
  const port = await quietPort();
  const upstream = { agent: new Agent({ keepAlive: true }), address: new URL(origin) };
  const sockets = new Set<Socket>();
  let requests = 0;
  let active = 0;

  const server = createServer((incoming, response) => {
    requests += 1;
    active += 1;
    response.once("close", () => (active -= 1));
    const passing: Passing = {
      request: incoming,
      response,
      forward: (pipe = pipeBack) => forward({ incoming, response, upstream, pipe }),
    };
    if (proxy.fault === undefined) passing.forward();
    else proxy.fault(passing);
  });
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined); // resets are part of the play
    socket.once("close", () => sockets.delete(socket));
  });

  const revive = async () => {
    if (!server.listening) await once(server.listen(port, "127.0.0.1"), "listening");
  };
  const kill = async () => {
    if (!server.listening) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  const proxy: FaultyProxy = {
    url: `http://127.0.0.1:${port}`,
    fault: undefined,
    kill,
    revive,
    requests: () => requests,
    active: () => active,
    async close() {
      await kill();
      upstream.agent.destroy();
    },
  };
  await revive();
  return proxy;
}

type Forwarding = {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly upstream: { readonly agent: Agent; readonly address: URL };
  readonly pipe: (original: IncomingMessage, response: ServerResponse) => void;
};

function forward({ incoming, response, upstream, pipe }: Forwarding): void {
  const { hostname, port } = upstream.address;
  const { method, url: path } = incoming;
  const headers = lasting(incoming.rawHeaders);
  const sent = request({ hostname, port, method, path, headers, agent: upstream.agent }, (original) => {
    original.on("error", () => response.destroy());
    pipe(original, response);
  });
  sent.on("error", () => response.destroy());
  response.once("close", () => sent.destroy());
  incoming.pipe(sent);
}

function pipeBack(original: IncomingMessage, response: ServerResponse): void {
  writeHead(original, response);
  original.pipe(response);
}

/** Begins an answer as the origin began its own. */
export function writeHead(original: IncomingMessage, response: ServerResponse): void {
  response.sendDate = false;
  response.writeHead(original.statusCode ?? 502, lasting(original.rawHeaders));
}

function lasting(raw: readonly string[]): string[] {
  return raw.filter((_, at) => !HOP_BY_HOP.has((raw[at - (at % 2)] ?? "").toLowerCase()));
}
