import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { writeHead, type Passing, type ProxyFault } from "./proxy.ts";
import type { Random } from "./random.ts";

/** Within what the edge waits for, and past it. */
const SLOW_HEAD_MS = 1200;
const TOO_SLOW_HEAD_MS = 6000;
/** A body that stands still for less, and for longer, than the edge has patience. */
const SHORT_STALL_MS = 1500;
const LONG_STALL_MS = 8000;
const TRICKLE_PIECES = 20;
const TRICKLE_MS = 60;
const TRICKLE_BYTES = 512;

/** Answers that come late, trickle or stand still for a while; all that is sent is right. */
export function slowness(random: Random): ProxyFault {
  const manners: readonly ((passing: Passing) => void)[] = [
    (passing) => void later(passing, random.below(SLOW_HEAD_MS)),
    (passing) => void later(passing, random.below(SLOW_HEAD_MS)),
    (passing) => void later(passing, TOO_SLOW_HEAD_MS),
    (passing) => passing.forward((original, response) => void send(original, response, trickled)),
    (passing) =>
      passing.forward((original, response) => void send(original, response, stalled(SHORT_STALL_MS))),
    (passing) =>
      passing.forward((original, response) => void send(original, response, stalled(LONG_STALL_MS))),
  ];
  return (passing) => random.pick(manners)(passing);
}

async function later({ response, forward }: Passing, ms: number): Promise<void> {
  await sleep(ms);
  if (!response.destroyed) forward();
}

type Pace = (body: AsyncIterable<Buffer>) => AsyncIterable<Buffer>;

async function send(original: IncomingMessage, response: ServerResponse, pace: Pace): Promise<void> {
  writeHead(original, response);
  response.flushHeaders();
  try {
    await pipeline(pace(original), response);
  } catch {
    response.destroy(); // the edge has given up, as it may
  }
}

/** The first few KiB in small pieces with pauses, the rest as it comes. */
async function* trickled(body: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let pieces = 0;
  for await (const chunk of body) {
    let rest = chunk;
    for (; pieces < TRICKLE_PIECES && rest.length > 0; pieces += 1) {
      yield rest.subarray(0, TRICKLE_BYTES);
      rest = rest.subarray(TRICKLE_BYTES);
      await sleep(TRICKLE_MS);
    }
    if (rest.length > 0) yield rest;
  }
}

/** A pause in the middle of the first piece. */
function stalled(ms: number): Pace {
  return async function* pace(body) {
    let isFirst = true;
    for await (const chunk of body) {
      const middle = isFirst ? Math.floor(chunk.length / 2) : chunk.length;
      yield chunk.subarray(0, middle);
      if (isFirst) {
        await sleep(ms);
        yield chunk.subarray(middle);
      }
      isFirst = false;
    }
  };
}
