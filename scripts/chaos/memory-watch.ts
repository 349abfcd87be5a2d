import { setTimeout as sleep } from "node:timers/promises";
import { residentBytes } from "../measuring/memory.ts";

const SAMPLE_MS = 100;

export type MemoryWatch = { readonly peak: () => number; stop(): Promise<void> };

/** Watches how much memory a process holds, which may be another one in the next moment. */
export function watchMemory(pid: () => number): MemoryWatch {
  let peak = 0;
  const state = { isDone: false };
  const watching = (async () => {
    while (!state.isDone) {
      peak = Math.max(peak, await residentBytes(pid()).catch(() => 0)); // it may have been killed
      await sleep(SAMPLE_MS);
    }
  })();
  return {
    peak: () => peak,
    async stop() {
      state.isDone = true;
      await watching;
    },
  };
}

/** Waits until a process holds no more than so many bytes, or for so long; returns the least it held. */
export async function settledMemory(pid: number, bound: number, mostMs: number): Promise<number> {
  let least = Infinity;
  for (const deadline = Date.now() + mostMs; Date.now() < deadline; await sleep(SAMPLE_MS)) {
    least = Math.min(least, await residentBytes(pid));
    if (least <= bound) break;
  }
  return least;
}
