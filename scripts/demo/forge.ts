import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Access, Visibility } from "./access.ts";
import { parseAddress } from "./address.ts";
import type { Address } from "./address.ts";
import { createCounter } from "./counter.ts";
import type { Counter } from "./counter.ts";
import { COUNT_KINDS } from "./counts.ts";
import type { CountKind, Counts } from "./counts.ts";
import { createExchange, sendJson, sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { createGate } from "./gate.ts";
import type { Gate, Project } from "./gate.ts";
import type { Repository } from "./repositories.ts";
import { peekCommand } from "./upload-pack-command.ts";
import { echoWebSocket } from "./websocket-echo.ts";

/** Handles a request in a forge's place; false lets the forge answer. A request is counted either way. */
export type Intercept = (request: IncomingMessage, response: ServerResponse) => boolean;

/** A forge that runs, with what tests read of it and change about it. Projects go by this forge's own names. */
export interface Forge {
  readonly url: string;
  /** How long each decision about who may read takes, in milliseconds. */
  authMs: number;
  intercept: Intercept | undefined;
  /** What a URL is taken for: projects can change their names. */
  renamed: ((url: string) => string) | undefined;
  counts(): Counts;
  resetCounts(): void;
  setVisibility(project: string, visibility: Visibility): void;
  /** Whether a user, with all of their credentials, is a member of a project. */
  setMember(user: string, project: string, member: boolean): void;
  /** Makes the forge forget a secret of any form: a token, a password, a session. */
  revokeToken(secret: string): void;
  restoreToken(secret: string): void;
  /** The id of the object that a git name (`main`, `v2.0^{commit}`, `main:README.md`) stands for. */
  objectId(project: string, name: string): Promise<string | undefined>;
  commit: ProjectChange<Repository["commit"]>;
  createTag: ProjectChange<Repository["createTag"]>;
  deleteRef: ProjectChange<Repository["deleteRef"]>;
  addManyRefs: ProjectChange<Repository["addManyRefs"]>;
  close(): Promise<void>;
}

type ProjectChange<Change extends (...args: never) => unknown> = (
  project: string,
  ...args: Parameters<Change>
) => ReturnType<Change>;

/** How one make of forge reads its URLs and words its answers. */
export interface Dialect<Route> {
  route(request: IncomingMessage, address: Address): Route;
  /** `command` is the protocol v2 command of a git-upload-pack request. */
  kind(route: Route, request: IncomingMessage, command: string | undefined): CountKind;
  /** Sets what every answer carries. */
  decorate(response: ServerResponse): void;
  serve(exchange: Exchange, route: Route, gate: Gate): Promise<void>;
}

export interface ForgeOptions<Route> {
  readonly dialect: Dialect<Route>;
  readonly projects: readonly Project[];
  readonly access: Access;
  readonly authMs: number;
  /** 0 takes any free port. */
  readonly port: number;
}

const COUNTS_PATH = "/-/demo/counts";
const SOCKET_PATH = "/-/demo/socket";
// Longer than a client keeps an idle connection, so that none is closed under a request on its way.
const KEEP_ALIVE_MS = 75_000;

export async function startForge<Route>(options: ForgeOptions<Route>): Promise<Forge> {
  const { dialect, projects, access } = options;
  const counter = createCounter(COUNT_KINDS);
  const gate = createGate(projects, access, async () => {
    if (forge.authMs > 0) await sleep(forge.authMs);
  });
  const server = createServer((request, response) => {
    const { intercept, renamed } = forge;
    if (renamed !== undefined) request.url = renamed(request.url ?? "");
    void answer({ request, response, dialect, counter, gate, intercept });
  });
  const { url, close } = await listen(server, counter, options.port);
  const forge: Forge = {
    url,
    close,
    authMs: options.authMs,
    intercept: undefined,
    renamed: undefined,
    counts: () => counter.read(),
    resetCounts: () => counter.reset(),
    setVisibility: (project, visibility) => access.setVisibility(project, visibility),
    setMember: (user, project, member) => access.setMember(user, project, member),
    revokeToken: (secret) => access.revoke(secret),
    restoreToken: (secret) => access.restore(secret),
    objectId: async (project, name) => (await repositoryOf(projects, project).describe(name))?.oid,
    commit: (project, ...change) => repositoryOf(projects, project).commit(...change),
    createTag: (project, ...change) => repositoryOf(projects, project).createTag(...change),
    deleteRef: (project, ...change) => repositoryOf(projects, project).deleteRef(...change),
    addManyRefs: (project, ...change) => repositoryOf(projects, project).addManyRefs(...change),
  };
  return forge;
}

interface Arrival<Route> {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly dialect: Dialect<Route>;
  readonly counter: Counter<CountKind>;
  readonly gate: Gate;
  readonly intercept: Intercept | undefined;
}

async function answer<Route>(arrival: Arrival<Route>): Promise<void> {
  const { request, response, counter } = arrival;
  try {
    if (pathOf(request) === COUNTS_PATH)
      sendJson(createExchange({ request, response, counter }), 200, counter.read());
    else await answerCounted(arrival);
  } catch (error) {
    // A client that goes away breaks the streams of its answer; that is no fault of the forge.
    if (response.headersSent || response.destroyed) response.destroy();
    else sendText(createExchange({ request, response, counter }), 500, `${String(error)}\n`);
  }
}

async function answerCounted<Route>(arrival: Arrival<Route>): Promise<void> {
  const { request, response, dialect, counter, gate, intercept } = arrival;
  counter.add("total");
  dialect.decorate(response);
  const address = parseAddress(request.url ?? "");
  if (address === undefined) {
    sendText(createExchange({ request, response, counter, kind: "other" }), 400, "Bad request\n");
    return;
  }
  const route = dialect.route(request, address);
  const uploadPack = request.method === "POST" && pathOf(request).endsWith("/git-upload-pack");
  const kind = dialect.kind(route, request, uploadPack ? await peekCommand(request) : undefined);
  if (intercept?.(request, response) === true) counter.add(kind);
  else await dialect.serve(createExchange({ request, response, address, counter, kind }), route, gate);
}

function pathOf(request: IncomingMessage): string {
  return (request.url ?? "").replace(/\?.*$/s, "");
}

function repositoryOf(projects: readonly Project[], name: string): Repository {
  const project = projects.find((candidate) => candidate.name === name);
  if (project === undefined) throw new Error(`Cannot find the project ${name}`);
  return project.repository;
}

async function listen(server: Server, counter: Counter<CountKind>, port: number) {
  const sockets = new Set<Socket>();
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  server.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  server.on("upgrade", (request: IncomingMessage, socket: Socket, start: Buffer) => {
    counter.add("total");
    counter.add("other");
    if (pathOf(request) === SOCKET_PATH) echoWebSocket(request, socket, start);
    else socket.end("HTTP/1.1 404 Not Found\r\nConnection: close\r\nContent-Length: 0\r\n\r\n");
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");

  async function close() {
    const closed = once(server, "close");
    server.close();
    // An upgraded connection is no longer the server's, so it is ended here with the others.
    for (const socket of sockets) socket.destroy();
    await closed;
  }
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}
