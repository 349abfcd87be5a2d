/**
 * Whether something may be done once more that may be done `perS` times a second on average, and at most so often in `overS` seconds: what is not
 * used is saved up for as long.
 */
export function allowance(perS: number, overS: number, now: () => number): () => boolean {
  const most = perS * overS;
  let left = most;
  let since: number | undefined;
  return () => {
    const at = now();
    left = Math.min(most, left + (Math.max(0, at - (since ?? at)) / 1000) * perS);
    since = at;
    if (left < 1) return false;
    left -= 1;
    return true;
  };
}
