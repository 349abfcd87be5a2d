export type Rounds = { readonly ours: readonly number[]; readonly theirs: readonly number[] };

/**
 * Measures two things in turn, so that whatever else the machine does falls on both; who goes first changes with each
 * round, so that a drift does too.
 */
export async function interleave(
  count: number,
  ours: () => Promise<number>,
  theirs: () => Promise<number>,
): Promise<Rounds> {
  const [first = [], second = []] = await takeTurns(count, [ours, theirs]);
  return { ours: first, theirs: second };
}

/** The same with any number of things, each of which may tell more than a number; their rounds, in their order. */
export async function takeTurns<T>(count: number, measures: readonly (() => Promise<T>)[]): Promise<T[][]> {
  const all = measures.map((measure) => ({ measure, rounds: [] as T[] }));
  for (let round = 0; round < count; round++) {
    for (const { measure, rounds } of round % 2 === 0 ? all : all.toReversed()) rounds.push(await measure());
  }
  return all.map(({ rounds }) => rounds);
}

/** The medians of both sides, in a figure's terms. */
export function medians(rounds: Rounds): { ours: number; theirs: number; rounds: Rounds } {
  return { ours: median(rounds.ours), theirs: median(rounds.theirs), rounds };
}

/** The middle of what was measured; of an even count, half way between the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  const high = sorted[Math.floor(middle)];
  const low = sorted[Math.ceil(middle) - 1];
  if (high === undefined || low === undefined) throw new RangeError("Nothing has no median");
  return (low + high) / 2;
}
