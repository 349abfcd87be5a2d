/** Chance that is the same for the same seed. */
export type Chance = {
  /** A whole number from 0 up to, but not including, `end`. */
  below(end: number): number;
  pick<T>(from: readonly [T, ...T[]] | readonly T[]): T;
};

/** Mulberry32: small, fast, and as even as mutations need. */
export function chanceOf(seed: number): Chance {
  let state = seed >>> 0;
  const below = (end: number): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end;
  };
  return {
    below,
    pick(from) {
      const picked = from[below(from.length)];
      if (picked === undefined) throw new RangeError("There is nothing to pick from");
      return picked;
    },
  };
}
