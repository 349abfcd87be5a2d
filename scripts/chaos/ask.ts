import {
  request,
  type Agent,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
} from "node:http";
import type { Socket } from "node:net";
import { PRIVATE_MARKER } from "../demo/sample-content.ts";
import { isDecoy } from "./decoy.ts";
import type { Answer } from "./verdict.ts";

export type Asking = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The true bytes of the whole; of a range, those from `start` on are compared. */
  readonly whole: Uint8Array;
  readonly start?: number;
  readonly deadlineMs: number;
  readonly agent?: Agent;
  /** A connection that stands already, in the place of the agent's. */
  readonly socket?: Socket;
};

/** How much of a failure's words is told. */
const SAID_BYTES = 160;
/** How much of a body is kept to look for what it says. */
const LOOKED_AT_BYTES = 64 * 1024;

/**
 * Sends one request and compares the answer with the truth as it comes; always settles, by the deadline at the latest. A connection
 * that stood idle may be closed by the server just when it is used: then a GET is sent once more (RFC 9112 §9.3.1).
 */
export async function ask(asking: Asking): Promise<Answer> {
  const { socket, agent } = asking;
  const by = socket !== undefined ? { createConnection: () => socket } : agent !== undefined ? { agent } : {};
  const { answer, isIdleEnd } = await send(asking, by);
  if (!isIdleEnd) return answer;
  const again = await send(asking, {});
  return { ...again.answer, isAnew: true };
}

type Sent = { readonly answer: Answer; readonly isIdleEnd: boolean };

function send(asking: Asking, by: RequestOptions): Promise<Sent> {
  const { port, path, headers, deadlineMs, socket } = asking;
  return new Promise((resolve) => {
    const sent = request({ host: "127.0.0.1", port, path, headers, ...by });
    const stood = () => sent.reusedSocket || (socket !== undefined && sent.socket === socket);
    const settled = (answer: Answer) =>
      resolve({ answer, isIdleEnd: answer.status === 0 && answer.end === "cut" && stood() });
    follow(sent, { asking, deadlineMs, resolve: settled });
    sent.end();
  });
}

type Following = {
  readonly asking: Asking;
  readonly deadlineMs: number;
  readonly resolve: (answer: Answer) => void;
};

function follow(sent: ClientRequest, { asking, deadlineMs, resolve }: Following): void {
  const begun = performance.now();
  let reading: Reading | undefined;
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    sent.destroy();
    settle();
  }, deadlineMs);
  const settle = (why = ""): void => {
    clearTimeout(timer);
    resolve(reading === undefined ? noAnswer(isLate, why) : answerOf(reading, isLate));
  };
  sent.on("error", (error) => settle(`(${error.message}, at ${Math.round(performance.now() - begun)} ms)`));
  sent.on("response", (response) => {
    reading = read(response, asking);
    response.on("error", () => undefined); // `close` follows, and `complete` tells
    response.on("close", () => settle());
  });
}

type Reading = {
  readonly response: IncomingMessage;
  readonly looked: Buffer[];
  bytes: number;
  wrongAt: number | undefined;
};

function read(response: IncomingMessage, { whole, start = 0 }: Asking): Reading {
  const reading: Reading = { response, looked: [], bytes: 0, wrongAt: undefined };
  const isCompared = isContent(response.statusCode);
  const offset = response.statusCode === 206 ? start : 0;
  response.on("data", (chunk: Buffer) => {
    if (reading.bytes < LOOKED_AT_BYTES) reading.looked.push(chunk);
    if (isCompared && reading.wrongAt === undefined) {
      const at = offset + reading.bytes;
      const true_ = whole.subarray(at, at + chunk.length);
      if (!chunk.equals(true_)) reading.wrongAt = at + firstDifference(chunk, true_);
    }
    reading.bytes += chunk.length;
  });
  return reading;
}

/** Where two runs of bytes part; the end of the shorter one where nothing else differs. */
export function firstDifference(one: Uint8Array, other: Uint8Array): number {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at += 1) if (one[at] !== other[at]) return at;
  return shorter;
}

function answerOf(reading: Reading, isLate: boolean): Answer {
  const { response, looked, bytes, wrongAt } = reading;
  const body = Buffer.concat(looked);
  const { statusCode: status = 0, headers } = response;
  return {
    status,
    contentRange: headers["content-range"],
    end: isLate ? "late" : response.complete ? "whole" : "cut",
    bytes,
    wrongAt,
    tellsSecret: body.includes(PRIVATE_MARKER),
    isDecoy: (status < 300 || status >= 500) && (isDecoy(body) || isUntold(headers)),
    says: isContent(status)
      ? `(${String(headers["cache-status"])}; length ${headers["content-length"]})`
      : JSON.stringify(body.toString("latin1", 0, SAID_BYTES)),
  };
}

function isContent(status: number | undefined): boolean {
  return status === 200 || status === 206;
}

function noAnswer(isLate: boolean, says: string): Answer {
  return {
    status: 0,
    contentRange: undefined,
    end: isLate ? "late" : "cut",
    bytes: 0,
    wrongAt: undefined,
    tellsSecret: false,
    isDecoy: false,
    says,
  };
}

/**
 * What was passed through from a faulty origin as it is, and no edge can tell from what the origin means: a coding that nobody
 * asked for, or a body whose length was not told.
 */
function isUntold({
  "cache-status": status,
  "content-length": length,
  "content-encoding": coding,
}: IncomingHttpHeaders) {
  return (
    coding !== undefined || (String(status).startsWith("forgefront; fwd=bypass") && length === undefined)
  );
}
