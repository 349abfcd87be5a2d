import { processSeconds } from "../measuring/cores.ts";
import { median } from "../measuring/rounds.ts";
import { countsOf, difference, type Counts } from "./counts.ts";
import type { Figure } from "./figures.ts";
import type { CostsScene } from "./scene.ts";

/** What some events took together. */
export type Taken = { readonly events: number; readonly counts: Counts; readonly cpuMs: number };

const DIGITS = 3;

/** Does something and tells what the Worker took for it, until all work behind its responses was done. */
export async function meter(scene: CostsScene, events: number, work: () => Promise<void>): Promise<Taken> {
  const before = await scene.settled();
  const began = await processSeconds(scene.pid);
  await work();
  const after = await scene.settled();
  const cpuMs = ((await processSeconds(scene.pid)) - began) * 1000;
  return { events, counts: difference(after, before), cpuMs };
}

/** What one event takes: the mean of what was counted, the median of the rounds' time. */
export function figureOf(rounds: readonly Taken[]): Figure {
  const events = rounds.reduce((sum, round) => sum + round.events, 0);
  const mean = countsOf((name) =>
    rounded(rounds.reduce((sum, { counts }) => sum + counts[name], 0) / events),
  );
  return { events, cpuMs: rounded(median(rounds.map((round) => round.cpuMs / round.events))), ...mean };
}

/** To three digits behind the point, which is what so many events can tell. */
export function rounded(value: number): number {
  return Number(value.toFixed(DIGITS));
}
