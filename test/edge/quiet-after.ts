import { setTimeout as sleep } from "node:timers/promises";

/** How it is known that an origin is asked nothing more. */
export type Quiet = {
  readonly stepMs: number;
  /** How often it has been asked so far. */
  readonly questions: () => number;
  /** What the Worker has under way; where it is left out, only time tells. */
  readonly underWay?: () => Promise<number>;
};

/** Waits until an origin has not been asked for three steps, or until the Worker says that it has nothing under way. */
export async function quietAfter({ stepMs, questions, underWay }: Quiet): Promise<void> {
  for (let quiet = 0, before = -1; quiet < 3;) {
    const asked = questions();
    if ((await underWay?.()) === 0 && questions() === asked) return;
    await sleep(stepMs);
    const total = questions();
    quiet = total === before ? quiet + 1 : 0;
    before = total;
  }
}
