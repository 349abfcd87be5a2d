import { NO_COUNTS, summedCounts } from "./counts.ts";
import type { Counts, IsolateLook } from "./isolate-look.ts";

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
