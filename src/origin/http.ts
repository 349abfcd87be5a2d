import type { HeaderFields } from "../core/header-fields.ts";
import { letGo } from "../core/let-go.ts";
import { Failure } from "../core/problem.ts";
import { readBounded } from "../core/read-bounded.ts";
import type { OriginAnswer } from "../core/telemetry.ts";
import { refusalHeaders, type Refusal } from "../core/refusal.ts";

export type OriginRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: HeaderFields;
  readonly body?: BodyInit;
  /** What the deadline covers: the start of the answer, or (for small ones) all of it. */
  readonly deadline: "start" | "whole";
  /** Whether a content coding is left as the origin has it; else the platform takes it away while the body is read. */
  readonly coding?: "as stored";
};

/** Sends one request to the origin and answers when its header section is there. Throws a `Failure` where none comes. */
export type AskOrigin = (request: OriginRequest) => Promise<Response>;

export type OriginClient = {
  /** How long the origin may take to start an answer, in milliseconds. */
  readonly timeoutMs: number;
  /** Our member of `CDN-Loop` (RFC 8586). */
  readonly loopMark: string;
  /** Told of each answer: its status, or how it failed, and the milliseconds it took. */
  readonly onAnswer: (answer: Answered) => void;
  readonly now: () => number;
};

/** How a question went; its path is without a query. */
export type Answered = Pick<OriginAnswer, "method" | "status" | "ms" | "at"> & { readonly path: string };

/**
 * The client for our own questions: redirects are answers, not followed, so a credential never leaves the origin's host;
 * no coding is accepted, so lengths and identities are those of the content; and no cache on the way may answer in
 * the origin's place, as a verdict on one asker would be given to the next.
 */
export function originClient({ timeoutMs, loopMark, onAnswer, now }: OriginClient): AskOrigin {
  return async ({ method, url, headers, body, deadline: covers, coding }) => {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    const sent = now();
    const answered = (status: Answered["status"]) => {
      const at = now();
      onAnswer({ method, path: new URL(url).pathname, status, ms: at - sent, at });
    };
    const all = new Headers(headers.map(([name, value]): [string, string] => [name, value]));
    all.set("Accept-Encoding", "identity");
    all.set("CDN-Loop", loopMark);
    try {
      const init: RequestInit = {
        method,
        headers: all,
        redirect: "manual",
        cache: "no-store",
        signal: deadline.signal,
        encodeResponseBody: coding === "as stored" ? "manual" : "automatic",
      };
      const response = await fetch(url, body === undefined ? init : { ...init, body });
      answered(response.status);
      if (covers === "start") clearTimeout(timer);
      return response;
    } catch (error) {
      clearTimeout(timer);
      answered(deadline.signal.aborted ? "timeout" : "unreachable");
      throw new Failure(deadline.signal.aborted ? "origin_timeout" : "origin_unreachable", undefined, error);
    }
  };
}

/** The most of a refusal's body that is kept, in bytes. */
const REFUSAL_BYTES = 4096;

/** How long the body of a refusal is waited for, in milliseconds: its status is the verdict, and stands without it. */
const REFUSAL_MS = 3000;

/** An answer as a refusal; its body is read up to a bound and let go, and left out where it does not come. */
export async function readRefusal(response: Response): Promise<Refusal> {
  const header = (name: string) => response.headers.get(name);
  const type = header("content-type") ?? "";
  const textual = /^(?:text\/|application\/(?:json|problem\+json|xml))/.test(type);
  const body = textual ? await readText(response, REFUSAL_BYTES) : await discard(response);
  const headers = refusalHeaders(header).filter(([name]) => body !== "" || name !== "content-type");
  return { status: response.status, headers, body };
}

/** All of a body that is no longer than `limit` bytes; `undefined` for a longer one. Throws a `Failure` where it breaks off. */
export async function readUpToLimit(
  body: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array | undefined> {
  try {
    return await readBounded(body, limit);
  } catch (error) {
    throw new Failure("origin_truncated", undefined, error);
  }
}

/** Lets a body go that will not be read: an unread one can hold a connection for ever. */
export async function discard(response: Response): Promise<""> {
  await letGo(response.body);
  return "";
}

/** The beginning of a body; nothing of one that stands still or breaks off. */
async function readText({ body }: Response, limit: number): Promise<string> {
  if (body === null) return "";
  const reader = body.getReader();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    void letGo(reader); // ends the reading below
  }, REFUSAL_MS);
  try {
    const text = await readUpTo(reader, limit);
    return isLate ? "" : text;
  } catch {
    return ""; // the verdict was given before
  } finally {
    clearTimeout(timer);
    await letGo(reader);
  }
}

async function readUpTo(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let length = 0;
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    length += value.byteLength;
    const room = value.byteLength - Math.max(0, length - limit);
    text += decoder.decode(value.subarray(0, room), { stream: true });
    if (length >= limit) return text;
  }
}
