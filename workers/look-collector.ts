import { NO_COUNTS } from "../src/core/look/colo-look.ts";
import type { Counts, IsolateLook } from "../src/core/look/isolate-look.ts";
import { withPace, withSlow, withTrouble } from "../src/core/look/of-late.ts";
import { outcomeLabel } from "../src/core/outcome-label.ts";
import {
  CACHE_NAMES,
  type LaneName,
  type OriginAnswer,
  type RequestRecord,
  type Trouble,
} from "../src/core/telemetry.ts";
import type { Sizes } from "./sizes.ts";

/** Gathers what an isolate sees for those who look inside. */
export type LookCollector = {
  request(record: RequestRecord, times: number, now: number): void;
  origin(answer: OriginAnswer): void;
  bytes(source: "cache" | "origin", count: number): void;
  trouble(trouble: Trouble): void;
  /** All of it so far. */
  look(now: number): IsolateLook;
};

/** `name` is asked for with the first event: before any request there is neither time nor chance on the platform. */
export function lookCollector(sizes: Sizes, name: () => string): LookCollector {
  let isolate: string | undefined;
  let since = 0;
  let counts: Counts = NO_COUNTS;

  const begin = (now: number): void => {
    if (isolate !== undefined) return;
    isolate = name();
    since = now;
  };

  const inLane = (lane: LaneName, more: Partial<Counts["lanes"][LaneName]>): Counts["lanes"] => {
    const before = counts.lanes[lane];
    const sums = Object.entries(before).map(([key, value]) => [
      key,
      value + (more[key as keyof typeof before] ?? 0),
    ]);
    return { ...counts.lanes, [lane]: Object.fromEntries(sums) as typeof before };
  };

  const paced = (lane: LaneName, at: number, requests: number, asked: number): Counts["pace"] =>
    lane === "pass" ? counts.pace : withPace(counts.pace, { at, requests, asked });

  const outcomesOf = (record: RequestRecord, times: number): Counts["caches"] => {
    const caches = { ...counts.caches };
    for (const cache of CACHE_NAMES) {
      const label = outcomeLabel(record[cache]);
      if (label !== undefined) caches[cache] = { ...caches[cache], [label]: caches[cache][label] + times };
    }
    return caches;
  };

  return {
    request(record, times, now) {
      begin(now);
      const { lane, status, hotBytes } = record;
      const refused = status >= 400 && status < 500 ? times : 0;
      const failed = status >= 500 ? times : 0;
      counts = {
        ...counts,
        lanes: inLane(lane, { requests: times, refused, failed }),
        caches: outcomesOf(record, times),
        bytes: { ...counts.bytes, cache: counts.bytes.cache + hotBytes * times },
        pace: paced(lane, now, times, 0),
      };
    },
    origin(answer) {
      begin(answer.at);
      counts = {
        ...counts,
        lanes: inLane(answer.lane, { asked: 1 }),
        pace: paced(answer.lane, answer.at, 0, 1),
        slowest: withSlow(counts.slowest, answer),
      };
    },
    bytes(source, count) {
      counts = { ...counts, bytes: { ...counts.bytes, [source]: counts.bytes[source] + count } };
    },
    trouble(trouble) {
      begin(trouble.at);
      counts = { ...counts, troubles: withTrouble(counts.troubles, trouble) };
    },
    look(now) {
      begin(now);
      const held = { ...counts.held };
      for (const { cache, entries, bytes = 0 } of sizes()) held[cache] = { entries, bytes };
      return { ...counts, held, isolate: isolate ?? "", since, at: now };
    },
  };
}
