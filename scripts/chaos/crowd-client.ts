import type { Socket } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { ask } from "./ask.ts";
import { openSockets } from "./sockets.ts";
import { count, newTally } from "./tally.ts";
import { verdictOn } from "./verdict.ts";

/** What a crowd asks for. */
export type CrowdPlan = {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly whole: Uint8Array;
  readonly clients: number;
  /** How many of them may be connected at once; the others come as soon as one is answered. */
  readonly mostAtOnce: number;
  readonly deadlineMs: number;
};

const NO_LEEWAY = { failures: false, decoys: false, statuses: [] };

/** Runs as a thread, so that the origin, which lives in the main one, is not held up: all connect, then all ask at once. */
async function crowd({ clients, mostAtOnce, whole, deadlineMs, ...sent }: CrowdPlan): Promise<void> {
  const sockets = await openSockets(sent.port, Math.min(clients, mostAtOnce));
  let waiting = clients - sockets.length;
  const tally = newTally();
  const truth = { asker: "may", length: whole.length } as const;
  const begun = performance.now();
  const one = async (socket?: Socket): Promise<void> => {
    const answer = await ask({ ...sent, whole, deadlineMs, ...(socket !== undefined && { socket }) });
    const verdict = verdictOn(truth, answer, NO_LEEWAY);
    const ms = performance.now() - begun;
    const isAnew = answer.isAnew === true;
    count(tally, { name: "the crowd's file", verdict, isAnew, begunAt: Date.now(), ms });
    socket?.destroy();
  };
  const oneByOne = async (socket: Socket): Promise<void> => {
    await one(socket);
    while (waiting > 0) {
      waiting -= 1;
      await one();
    }
  };
  await Promise.all(sockets.map(oneByOne));
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread's port has none
  parentPort?.postMessage(tally);
}

await crowd(workerData as CrowdPlan);
