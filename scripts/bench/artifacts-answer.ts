import { get, type IncomingHttpHeaders, type IncomingMessage } from "node:http";

/** What a client saw of an answer. */
export type Answer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Of the body, as it came. */
  readonly bytes: number;
  /** The first of them, as text. */
  readonly text: string;
  /** Whether the body came to its proper end. */
  readonly isWhole: boolean;
  readonly ms: number;
};

/** How much of a body is kept to be looked at. */
const KEPT_BYTES = 256 * 1024;
const MOST_MS = 120_000;

type Options = {
  readonly headers?: Readonly<Record<string, string>>;
  readonly mostMs?: number;
  readonly signal: AbortSignal;
};

/** Asks for something and reads it to its end; an answer that breaks off is an answer, no answer at all is an error. */
export async function ask(url: string, { headers = {}, mostMs = MOST_MS, signal }: Options): Promise<Answer> {
  const timeout = AbortSignal.timeout(mostMs);
  const began = performance.now();
  try {
    const { response, ...body } = await read(url, headers, AbortSignal.any([signal, timeout]));
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      isWhole: response.complete,
      ms: performance.now() - began,
      ...body,
    };
  } catch (error) {
    signal.throwIfAborted();
    throw timeout.aborted ? new Error(`${url} took longer than ${mostMs} ms`, { cause: error }) : error;
  }
}

type Read = { readonly response: IncomingMessage; readonly bytes: number; readonly text: string };

async function read(
  url: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<Read> {
  return await new Promise((resolve, reject) => {
    const request = get(url, { headers, signal }, (response) => {
      const kept: Buffer[] = [];
      let bytes = 0;
      response.on("data", (chunk: Buffer) => {
        if (bytes < KEPT_BYTES) kept.push(chunk.subarray(0, KEPT_BYTES - bytes));
        bytes += chunk.length;
      });
      response.on("error", () => undefined); // it broke off, and is closed next
      response.on("close", () => resolve({ response, bytes, text: Buffer.concat(kept).toString() }));
    });
    request.on("error", reject);
  });
}

/** The same where nothing but a whole 200 will do. */
export async function askWell(url: string, options: Options): Promise<Answer> {
  const answer = await ask(url, options);
  const { status, isWhole, text } = answer;
  if (status === 200 && isWhole) return answer;
  throw new Error(
    `${url} was answered with ${status}${isWhole ? "" : ", broken off"}: ${text.slice(0, 300)}`,
  );
}

/** An answer in few words: its status and its problem's name, or that it broke off or never came. */
export function outcomeOf(seen: Answer | Error): string {
  if (seen instanceof Error) return `no answer (${seen.message})`;
  const { status, isWhole, text, headers } = seen;
  if (!isWhole) return `${status}, broken off`;
  if (headers["content-type"] !== "application/problem+json") return String(status);
  const { type } = JSON.parse(text) as { readonly type: string };
  return `${status} ${type.split(":").at(-1)}`;
}
