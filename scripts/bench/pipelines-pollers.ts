import { Agent, get, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";

/** Somebody who asks for one URL over and over. */
export type Poller = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly periodMs: number;
  /** When the first question is asked, after the start. */
  readonly delayMs: number;
  readonly onAnswer: (answer: PolledAnswer) => void;
  /** Told what came instead of an answer of 200. */
  readonly onFailure: (error: unknown) => void;
};

export type PolledAnswer = {
  readonly body: string;
  /** When the question was sent, and when the answer's head was there, by `performance.now()`. */
  readonly askedMs: number;
  readonly headMs: number;
};

const TIMEOUT_MS = 10_000;

/** Lets all of them ask for so long, each on a connection that is kept. */
export async function pollAll(
  pollers: readonly Poller[],
  lengthMs: number,
  signal: AbortSignal,
): Promise<void> {
  const stop = new AbortController();
  const agent = new Agent({ keepAlive: true, maxSockets: pollers.length });
  const began = performance.now();
  const bounds = { began, endMs: began + lengthMs, signal: AbortSignal.any([signal, stop.signal]) };
  try {
    await Promise.all(pollers.map(async (poller) => await poll(poller, agent, bounds)));
  } finally {
    stop.abort(); // one that fails ends the others
    agent.destroy();
  }
}

type Bounds = { readonly began: number; readonly endMs: number; readonly signal: AbortSignal };

/** Asks at the times of a schedule; those are left out at which an answer is still on its way. */
async function poll(poller: Poller, agent: Agent, { began, endMs, signal }: Bounds): Promise<void> {
  const { delayMs, periodMs } = poller;
  for (let nextMs = began + delayMs; nextMs < endMs;) {
    await sleep(Math.max(0, nextMs - performance.now()), undefined, { signal });
    const answer = await ask(poller, agent, signal).catch((error: unknown) => {
      signal.throwIfAborted();
      poller.onFailure(error);
    });
    if (answer !== undefined) poller.onAnswer(answer);
    const missed = Math.floor(Math.max(0, performance.now() - nextMs) / periodMs);
    nextMs += (missed + 1) * periodMs;
  }
}

async function ask({ url, headers }: Poller, agent: Agent, signal: AbortSignal): Promise<PolledAnswer> {
  const askedMs = performance.now();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = get(url, { headers, agent, signal, timeout: TIMEOUT_MS }, resolve);
    request.on("timeout", () => request.destroy(new Error(`${url} was not answered in ${TIMEOUT_MS} ms`)));
    request.on("error", reject);
  });
  const headMs = performance.now();
  response.setEncoding("utf8");
  let body = "";
  for await (const chunk of response) body += String(chunk);
  if (response.statusCode !== 200)
    throw new Error(`${url} was answered with ${response.statusCode}: ${body.slice(0, 200)}`);
  return { body, askedMs, headMs };
}
