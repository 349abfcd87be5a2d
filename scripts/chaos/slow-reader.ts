import { request, type IncomingMessage } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { firstDifference } from "./ask.ts";

export type SlowReading = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly whole: Uint8Array;
  readonly bytesPerSecond: number;
  /** When the reader leaves, with most of it unread. */
  readonly until: AbortSignal;
};

/** What one slow reader got: its status, how many bytes, and the first that was not the true one. */
export type SlowAnswer = {
  readonly status: number;
  readonly bytes: number;
  readonly wrongAt: number | undefined;
};

const STEP_MS = 500;

/** Reads a little of a body now and then, and leaves in the middle of it. */
export async function readSlowly(reading: SlowReading): Promise<SlowAnswer> {
  const { port, path, headers, whole, bytesPerSecond, until } = reading;
  const sent = request({ host: "127.0.0.1", port, path, headers, agent: false });
  const response = await new Promise<IncomingMessage | undefined>((resolve) => {
    sent.once("response", resolve);
    sent.on("error", () => resolve(undefined));
    until.addEventListener("abort", () => resolve(undefined), { once: true });
    sent.end();
  });
  if (response === undefined) {
    sent.destroy();
    return { status: 0, bytes: 0, wrongAt: undefined };
  }
  response.on("error", () => undefined); // it is we who break it off
  let bytes = 0;
  let wrongAt: number | undefined;
  const step = Math.ceil((bytesPerSecond * STEP_MS) / 1000);
  while (!until.aborted && !response.destroyed) {
    const piece = response.read(step) as Buffer | null;
    if (piece !== null) {
      const true_ = whole.subarray(bytes, bytes + piece.length);
      if (wrongAt === undefined && !piece.equals(true_)) wrongAt = bytes + firstDifference(piece, true_);
      bytes += piece.length;
    }
    await sleep(STEP_MS);
  }
  sent.destroy();
  return { status: response.statusCode ?? 0, bytes, wrongAt };
}
