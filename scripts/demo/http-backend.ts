import type { ChildProcessWithoutNullStreams } from "node:child_process";
import type { IncomingMessage } from "node:http";
import { pipeline } from "node:stream/promises";
import { sendText } from "./exchange.ts";
import type { Exchange } from "./exchange.ts";
import { endWithResponse } from "./git.ts";
import type { Repository } from "./repositories.ts";

export type GitService = "git-upload-pack" | "git-receive-pack";

/** The part of a smart HTTP request's path that follows the repository. */
export type GitEndpoint = "info/refs" | GitService;

export const GIT_ENDPOINTS: readonly GitEndpoint[] = ["info/refs", "git-upload-pack", "git-receive-pack"];

/** The service a request is for; undefined where an `info/refs` names none, as the dumb protocol does. */
export function gitService(endpoint: GitEndpoint, query: URLSearchParams): GitService | undefined {
  if (endpoint !== "info/refs") return endpoint;
  const service = query.get("service");
  return service === "git-upload-pack" || service === "git-receive-pack" ? service : undefined;
}

/** Runs git-http-backend(1) for one request, with both bodies streamed. */
export async function serveGit(
  exchange: Exchange,
  repository: Repository,
  endpoint: GitEndpoint,
): Promise<void> {
  const { request, response } = exchange;
  const child = repository.git.start(["http-backend"], cgiEnvironment(exchange, repository, endpoint));
  endWithResponse(child, response);
  // git may answer before it has read everything; the rest is of no use to anybody.
  pipeline(request, child.stdin).catch(() => request.resume());
  await relay(exchange, child);
}

async function relay(exchange: Exchange, child: ChildProcessWithoutNullStreams): Promise<void> {
  const chunks = child.stdout[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
  const start = await readHead(chunks);
  if (start === undefined) {
    sendText(exchange, 500, "git http-backend gave no answer\n");
    return;
  }
  exchange.head(start.status, start.headers);
  await pipeline(async function* () {
    yield start.rest;
    yield* chunks;
  }, exchange.response);
}

interface CgiHead {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly rest: Buffer;
}

/** The head of a CGI answer (RFC 3875 §6): header lines, a blank line, and what was read of the body. */
async function readHead(chunks: AsyncIterableIterator<Buffer>): Promise<CgiHead | undefined> {
  let read = Buffer.alloc(0);
  for (let next = await chunks.next(); !next.done; next = await chunks.next()) {
    read = Buffer.concat([read, next.value]);
    const end = read.indexOf("\r\n\r\n");
    if (end >= 0) return parseHead(read.subarray(0, end).toString("latin1"), read.subarray(end + 4));
  }
  return undefined;
}

function parseHead(text: string, rest: Buffer): CgiHead {
  const { Status: status = "200", ...headers } = Object.fromEntries(
    text
      .split("\r\n")
      .map((line) => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  ) as Record<string, string>;
  return { status: Number.parseInt(status, 10), headers, rest };
}

function cgiEnvironment(
  exchange: Exchange,
  repository: Repository,
  endpoint: GitEndpoint,
): Record<string, string> {
  const { request, address } = exchange;
  return {
    GIT_PROJECT_ROOT: repository.directory,
    GIT_HTTP_EXPORT_ALL: "1",
    PATH_INFO: `/${endpoint}`,
    REQUEST_METHOD: request.method ?? "GET",
    QUERY_STRING: address.query.toString(),
    REMOTE_ADDR: "127.0.0.1",
    // A body without a length has none here either, and git reads until it ends.
    ...fromHeader(request, "content-length", "CONTENT_LENGTH"),
    ...fromHeader(request, "content-type", "CONTENT_TYPE"),
    ...fromHeader(request, "content-encoding", "HTTP_CONTENT_ENCODING"),
    ...fromHeader(request, "git-protocol", "GIT_PROTOCOL"),
  };
}

function fromHeader(request: IncomingMessage, header: string, variable: string): Record<string, string> {
  const value = request.headers[header];
  return typeof value === "string" ? { [variable]: value } : {};
}
