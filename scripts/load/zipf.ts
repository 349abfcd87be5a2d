/** Draws from 0 to `count` - 1, where the one at rank r (from 1) comes `1 / r^exponent` times as often as the first. */
export type Draw = (random: number) => number;

/** Makes a drawer by Zipf's law; it takes a number from 0 up to, but not including, 1. */
export function zipf(count: number, exponent = 1): Draw {
  const sums: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= count; rank++) sums.push((sum += rank ** -exponent));
  return (random) => firstAbove(sums, random * sum);
}

function firstAbove(sums: readonly number[], wanted: number): number {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sums[middle] ?? 0) > wanted) high = middle;
    else low = middle + 1;
  }
  return low;
}
