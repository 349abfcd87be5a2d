/** Who is left alone for a while, by name, so that not everybody who needs them waits for what has just failed. */
export type Rests = {
  /** Whether it is left alone now. */
  readonly isResting: (name: string) => boolean;
  /** Whether the caller may try it now. When its rest is over, the first may, and the others wait for how that ends. */
  readonly claim: (name: string) => boolean;
  /** It failed: its rest begins. */
  readonly rest: (name: string) => void;
  /** It works: its rest is over. */
  readonly wake: (name: string) => void;
};

/** How many at a time are known to rest; the longest known is forgotten first. */
const MOST = 1000;

/** Rests of `restMs` milliseconds by the clock `now`. */
export function newRests(restMs: number, now: () => number): Rests {
  const ends = new Map<string, number>();

  function isResting(name: string): boolean {
    const end = ends.get(name);
    return end !== undefined && now() < end;
  }

  function rest(name: string): void {
    ends.delete(name);
    ends.set(name, now() + restMs);
    for (const [oldest] of ends) {
      if (ends.size <= MOST) break;
      ends.delete(oldest);
    }
  }

  return {
    isResting,
    claim(name) {
      if (isResting(name)) return false;
      if (ends.has(name)) rest(name);
      return true;
    },
    rest,
    wake: (name) => void ends.delete(name),
  };
}
