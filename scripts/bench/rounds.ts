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
  const rounds = { ours: [] as number[], theirs: [] as number[] };
  for (let round = 0; round < count; round++) {
    const turns = [
      async () => rounds.ours.push(await ours()),
      async () => rounds.theirs.push(await theirs()),
    ];
    for (const turn of round % 2 === 0 ? turns : turns.toReversed()) await turn();
  }
  return rounds;
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
