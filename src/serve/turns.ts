/** Work that takes much memory, of which only so much is done at once; the rest waits for its turn. */
export type Turns = {
  /** Does the work once there is room for what it weighs; what weighs more than all there is goes alone. */
  take<T>(weight: number, work: () => Promise<T>): Promise<T>;
};

type Turn = { readonly weight: number; readonly since: number };

/** A request that the platform has ended leaves its turn behind: it is over then. */
const LONGEST_MS = 30_000;
const LOOK_AGAIN_MS = 10;

/** Turns for work that weighs `most` in all. */
export function newTurns(most: number, now: () => number, wait: (ms: number) => Promise<void>): Turns {
  const taken = new Set<Turn>();

  const isRoom = (weight: number): boolean => {
    let sum = 0;
    for (const turn of taken) {
      if (now() - turn.since > LONGEST_MS) taken.delete(turn);
      else sum += turn.weight;
    }
    return sum === 0 || sum + weight <= most;
  };

  return {
    async take(weight, work) {
      while (!isRoom(weight)) await wait(LOOK_AGAIN_MS);
      const turn = { weight, since: now() };
      taken.add(turn);
      try {
        return await work();
      } finally {
        taken.delete(turn);
      }
    },
  };
}
