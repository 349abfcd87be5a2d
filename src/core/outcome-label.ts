import type { CacheOutcome } from "./cache-status.ts";

/** In how many ways a cache takes part, from the nearest to the furthest. */
export const OUTCOME_LABELS = ["memory", "colo", "kv", "collapsed", "stale", "miss", "bypass"] as const;
export type OutcomeLabel = (typeof OUTCOME_LABELS)[number];

/** How a cache took part, in one word: the tier of a hit, or why the origin was asked; `undefined` where it did not. */
export function outcomeLabel(outcome: CacheOutcome): OutcomeLabel | undefined {
  if (outcome.kind === "unused") return undefined;
  if (outcome.kind === "hit") return outcome.tier;
  return outcome.collapsed ? "collapsed" : outcome.reason;
}
