import { OUTCOME_LABELS } from "../outcome-label.ts";
import { CACHE_NAMES, LANE_NAMES } from "../telemetry.ts";
import type { ByteCounts, Counts, Held, LaneCounts, OutcomeCounts } from "./isolate-look.ts";
import { withPace, withSlow, withTrouble } from "./of-late.ts";

/** What two have seen. */
export function summedCounts(one: Counts, other: Counts): Counts {
  return {
    lanes: byName(LANE_NAMES, (lane) => summed<LaneCounts>(one.lanes[lane], other.lanes[lane])),
    caches: byName(CACHE_NAMES, (cache) => summed<OutcomeCounts>(one.caches[cache], other.caches[cache])),
    bytes: summed<ByteCounts>(one.bytes, other.bytes),
    held: byName(CACHE_NAMES, (cache) => summed<Held>(one.held[cache], other.held[cache])),
    pace: other.pace.reduce(withPace, one.pace),
    slowest: other.slowest.reduce(withSlow, one.slowest),
    troubles: other.troubles.reduce((all, each) => withTrouble(all, each, each.times), one.troubles),
  };
}

/** What has seen nothing yet. */
export const NO_COUNTS: Counts = {
  lanes: byName(LANE_NAMES, () => ({ requests: 0, refused: 0, failed: 0, asked: 0 })),
  caches: byName(CACHE_NAMES, () => byName(OUTCOME_LABELS, () => 0)),
  bytes: { cache: 0, origin: 0 },
  held: byName(CACHE_NAMES, () => ({ entries: 0, bytes: 0 })),
  pace: [],
  slowest: [],
  troubles: [],
};

function summed<T extends Readonly<Record<string, number>>>(one: T, other: T): T {
  const sums = Object.entries(one).map(([name, value]) => [name, value + (other[name] ?? 0)] as const);
  return Object.fromEntries(sums) as T;
}

function byName<Name extends string, T>(names: readonly Name[], make: (name: Name) => T): Record<Name, T> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as Record<Name, T>;
}
