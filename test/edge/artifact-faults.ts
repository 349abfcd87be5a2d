import type { IncomingMessage, ServerResponse } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import type { ArtifactScene, Built } from "./artifact-scene.ts";
import { BODY_FAULTS, half, without, type BodyFault } from "./origin-faults.ts";
import { ask } from "./scene.ts";

/** How reads of archives go wrong, by the number of the job; all others go as ever. */
export type Faulty = Map<number, BodyFault>;

const IS_FIRST_BYTE = "bytes=0-0";

/** Lets the forge and its storage answer reads of some jobs' archives by faults; who may read is answered as ever, and what is passed through. */
export function breakReads({ gitlab, storage }: ArtifactScene, faulty: Faulty): void {
  const intercept = (origin: string) => (request: IncomingMessage, response: ServerResponse) => {
    const fault = faulty.get(jobOf(request.url ?? ""));
    const { range, "x-original": original } = request.headers;
    const isRead = range !== undefined && range !== IS_FIRST_BYTE;
    if (fault === undefined || !isRead || original !== undefined) return false;
    void answer(origin, { request, response, fault });
    return true;
  };
  gitlab.intercept = intercept(gitlab.url);
  storage.intercept = intercept(storage.url);
}

/** Of the forge's URLs, and of the storage's keys. */
function jobOf(url: string): number {
  const [, inForge, inStorage] = /\/jobs\/(\d+)\/artifacts|\/\d{4}_\d\d_\d\d\/(\d+)\//.exec(url) ?? [];
  return Number(inForge ?? inStorage ?? Number.NaN);
}

async function answer(
  origin: string,
  { request, response, fault }: { request: IncomingMessage; response: ServerResponse; fault: BodyFault },
): Promise<void> {
  const headers = { ...(request.headers as Record<string, string>), "x-original": "1", connection: "close" };
  const { status, headers: got, body } = await ask(origin + request.url, { headers });
  const {
    connection: _connection,
    "keep-alive": _keepAlive,
    date: _date,
    ...kept
  } = got as Record<string, string>;
  // The forge's redirect is no read: the storage's answer is
  if (status === 302) response.writeHead(status, kept).end(body);
  else fault(response, { status, headers: kept, body }, request);
}

const range = (shift: number, more = 0) =>
  ((response, { status, headers, body }) => {
    const [, start = "0", last = "0", size = "0"] =
      /bytes (\d+)-(\d+)\/(\d+)/.exec(headers["content-range"] ?? "") ?? [];
    const told = `bytes ${Number(start) + shift}-${Number(last) + shift}/${Number(size) + more}`;
    response.writeHead(status, { ...headers, "content-range": told }).end(body);
  }) satisfies BodyFault;

/** What is peculiar to reads of parts, beside what can go wrong with any body. */
export const PART_FAULTS: Readonly<Record<string, BodyFault>> = {
  ...BODY_FAULTS,
  "another part than it says": range(1),
  "a part of something longer": range(0, 1),
  "a part that does not say which": (response, { status, headers, body }) =>
    void response.writeHead(status, without(headers, "content-range")).end(body),
  "a part that is too short for what it says": (response, { status, headers, body }) =>
    void response
      .writeHead(status, { ...headers, "content-length": String(half(body).length) })
      .end(half(body)),
  "another version's validators": (response, { status, headers, body }) =>
    void response
      .writeHead(status, { ...headers, etag: '"another"', "last-modified": "Mon, 01 Jan 2024 00:00:00 GMT" })
      .end(body),
  "416": (response) => void response.writeHead(416, { "content-range": "bytes */5" }).end(),
  "401": (response) => void response.writeHead(401, { "content-type": "application/json" }).end("{}"),
  "429": (response) => void response.writeHead(429, { "retry-after": "3" }).end("slow down"),
};

/** What is slow or unusual, but right. */
export const PART_MANNERS: Readonly<Record<string, BodyFault>> = {
  "in two pieces, with a pause": (response, { status, headers, body }) => {
    response.writeHead(status, headers);
    response.write(half(body));
    void sleep(400).then(() => response.end(body.subarray(half(body).length)));
  },
  "in chunks": (response, { status, headers, body }) =>
    void response.writeHead(status, without(headers, "content-length")).end(body),
};

/** The archive as a whole in the place of each part: an origin may do that at any time (RFC 9110 §14.2). */
export const wholeInstead =
  ({ bytes }: Built): BodyFault =>
  (response, { headers }) => {
    const kept = without(without(headers, "content-range"), "content-length");
    response.writeHead(200, { ...kept, "content-length": String(bytes.length) }).end(bytes);
  };
