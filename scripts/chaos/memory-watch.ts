import { setTimeout as sleep } from "node:timers/promises";
import { residentBytes } from "../measuring/memory.ts";

const SAMPLE_MS = 100;

/** Watches how much memory a process holds, which may be another one in the next moment; until it is disposed of. */
export function watchMemory(pid: () => number): Disposable & { readonly peak: () => number } {
  let peak = 0;
  const sample = async () => {
    const bytes = await residentBytes(pid()).catch(() => 0); // it may have been killed
    peak = Math.max(peak, bytes);
  };
  const timer = setInterval(() => void sample(), SAMPLE_MS);
  return { peak: () => peak, [Symbol.dispose]: () => clearInterval(timer) };
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
