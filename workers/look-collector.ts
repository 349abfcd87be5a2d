import { NO_COUNTS } from "../src/core/look/counts.ts";
import type { Counts, IsolateLook, Pace } from "../src/core/look/isolate-look.ts";
import { slotOf, withPace, withSlow, withTrouble } from "../src/core/look/of-late.ts";
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

type Counted = Pick<Counts, "lanes" | "caches" | "bytes">;
type Mutable<T> = T extends number ? number : { -readonly [name in keyof T]: Mutable<T[name]> };

/**
 * Numbers are counted in place: each kind of request costs a few additions a second. `name` is asked for with the first event:
 * before any request there is neither time nor chance on the platform.
 */
export function lookCollector(sizes: Sizes, name: () => string): LookCollector {
  const { lanes, caches, bytes } = NO_COUNTS;
  const counted: Mutable<Counted> = structuredClone({ lanes, caches, bytes });
  let isolate: string | undefined;
  let since = 0;
  /** The slot of time that is not over yet, and those before. */
  let slot: Mutable<Pace> = { at: 0, requests: 0, asked: 0 };
  let { pace, slowest, troubles }: Counts = NO_COUNTS;

  const begin = (now: number): void => {
    if (isolate !== undefined) return;
    isolate = name();
    since = now;
  };

  const slotAt = (lane: LaneName, now: number): Mutable<Pace> => {
    if (lane === "pass") return { at: 0, requests: 0, asked: 0 };
    if (slot.at === slotOf(now)) return slot;
    pace = withSlot(pace, slot);
    slot = { at: slotOf(now), requests: 0, asked: 0 };
    return slot;
  };

  return {
    request(record, times, now) {
      begin(now);
      const { lane, status, hotBytes } = record;
      const ofLane = counted.lanes[lane];
      ofLane.requests += times;
      if (status >= 500) ofLane.failed += times;
      else if (status >= 400) ofLane.refused += times;
      for (const cache of CACHE_NAMES) {
        const label = outcomeLabel(record[cache]);
        if (label !== undefined) counted.caches[cache][label] += times;
      }
      counted.bytes.cache += hotBytes * times;
      slotAt(lane, now).requests += times;
    },
    origin(answer) {
      begin(answer.at);
      const { lane, at } = answer;
      counted.lanes[lane].asked += 1;
      slotAt(lane, at).asked += 1;
      slowest = withSlow(slowest, brief(answer));
    },
    bytes(source, count) {
      counted.bytes[source] += count;
    },
    trouble(trouble) {
      begin(trouble.at);
      troubles = withTrouble(troubles, brief(trouble));
    },
    look(now) {
      begin(now);
      const held = { ...NO_COUNTS.held };
      for (const { cache, entries, bytes: size = 0 } of sizes()) held[cache] = { entries, bytes: size };
      const lately = { pace: withSlot(pace, slot), slowest, troubles };
      return { ...structuredClone(counted), ...lately, held, isolate: isolate ?? "", since, at: now };
    },
  };
}

/** How much of a path is kept: strangers choose how long they are, and all isolates of a colo are read together. */
const PATH_LENGTH = 300;

function brief<T extends { readonly path?: string }>(event: T): T {
  const { path = "" } = event;
  return path.length <= PATH_LENGTH ? event : { ...event, path: `${path.slice(0, PATH_LENGTH)}\u2026` };
}

function withSlot(pace: readonly Pace[], slot: Pace): readonly Pace[] {
  return slot.at === 0 ? pace : withPace(pace, { ...slot });
}
