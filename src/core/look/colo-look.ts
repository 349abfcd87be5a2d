import { OUTCOME_LABELS } from "../outcome-label.ts";
import { CACHE_NAMES, LANE_NAMES } from "../telemetry.ts";
import type { ByteCounts, Counts, Held, IsolateLook, LaneCounts, OutcomeCounts } from "./isolate-look.ts";
import { withPace, withSlow, withTrouble } from "./of-late.ts";

/** What the isolates of a colo have left for whoever looks. */
export type ColoLook = {
  /** When somebody last looked: isolates write for a while after that. */
  readonly lookedAt: number;
  readonly isolates: readonly IsolateLook[];
};

/** An isolate that has written nothing for so long is gone, or does nothing. */
const GONE_MS = 10 * 60_000;
/** So many isolates are added up; a busy colo may have more. */
const MOST_ISOLATES = 32;

/** What two looks tell together: of each isolate the newer word, of all the newest, and none of those long gone. */
export function mergedLooks(one: ColoLook, other: ColoLook): ColoLook {
  const newest = new Map<string, IsolateLook>();
  for (const look of [...one.isolates, ...other.isolates]) {
    if ((newest.get(look.isolate)?.at ?? -Infinity) < look.at) newest.set(look.isolate, look);
  }
  const sorted = [...newest.values()].toSorted((a, b) => b.at - a.at);
  const now = sorted[0]?.at ?? 0;
  const isolates = sorted.filter(({ at }) => at > now - GONE_MS).slice(0, MOST_ISOLATES);
  return { lookedAt: Math.max(one.lookedAt, other.lookedAt), isolates };
}

/** The isolates of a colo as if they were one. */
export type Look = Counts & {
  readonly isolates: number;
  /** When the oldest of them began. */
  readonly since: number;
};

export function summedLook({ isolates }: ColoLook): Look {
  const counts = isolates.reduce<Counts>(summedCounts, NO_COUNTS);
  return { ...counts, isolates: isolates.length, since: Math.min(...isolates.map(({ since }) => since)) };
}

function summedCounts(one: Counts, other: Counts): Counts {
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
