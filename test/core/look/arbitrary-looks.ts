import fc from "fast-check";
import type { ColoLook } from "../../../src/core/look/colo-look.ts";
import {
  SLOT_MS,
  SLOTS,
  type IsolateLook,
  type Pace,
  type RepeatedTrouble,
} from "../../../src/core/look/isolate-look.ts";
import { withPace, withSlow, withTrouble } from "../../../src/core/look/of-late.ts";
import { OUTCOME_LABELS } from "../../../src/core/outcome-label.ts";
import { CACHE_NAMES, LANE_NAMES, type OriginAnswer, type Trouble } from "../../../src/core/telemetry.ts";

/** A time that is no beginning of a slot. */
export const NOW = 1_800_000_001_234;
/** All that is shown of the past, and more. */
const AN_HOUR_MS = 3_600_000;

const count = fc.nat({ max: 1_000_000 });
const time = fc.integer({ min: NOW - AN_HOUR_MS, max: NOW });
const lane = fc.constantFrom(...LANE_NAMES);
/** What would be a tag, an attribute, or another order of letters, were it written as it is. */
export const hostile = fc.constantFrom(
  "<script>alert(1)</script>",
  `"><img src=x onerror=alert(1)>`,
  "' style='position:fixed' x='",
  "</table></main><!--",
  "&lt;b&gt;",
  "cod\u202egpj.exe",
  "a\nb\u0000\u2028",
  "\ud800",
);

function byName<Name extends string, T>(
  names: readonly Name[],
  each: fc.Arbitrary<T>,
): fc.Arbitrary<Record<Name, T>> {
  const values = fc.tuple(...names.map(() => each));
  return values.map(
    (list) => Object.fromEntries(names.map((name, index) => [name, list[index]])) as Record<Name, T>,
  );
}

export const anyPace: fc.Arbitrary<Pace> = fc.record({ at: time, requests: count, asked: count });

export const anyAnswer: fc.Arbitrary<OriginAnswer> = fc.record(
  {
    host: fc.constantFrom("git.test", "s3.test"),
    lane,
    method: fc.constantFrom("GET", "HEAD"),
    path: fc.constantFrom("/a", "/b"),
    status: fc.constantFrom<OriginAnswer["status"]>(200, 404, 503, "timeout", "unreachable"),
    ms: fc.nat({ max: 30_000 }),
    at: time,
  },
  { requiredKeys: ["host", "lane", "method", "status", "ms", "at"] },
);

export const anyTrouble: fc.Arbitrary<Trouble> = fc.record(
  {
    host: fc.constantFrom("git.test", "s3.test"),
    lane,
    problem: fc.constantFrom("internal", "kv failed", "origin 503 to GET"),
    path: fc.constantFrom("/a", "/b", "/c"),
    at: time,
  },
  { requiredKeys: ["problem", "at"] },
);

const lanes = byName(LANE_NAMES, fc.record({ requests: count, refused: count, failed: count, asked: count }));
const caches = byName(CACHE_NAMES, byName(OUTCOME_LABELS, count));
const held = byName(CACHE_NAMES, fc.record({ entries: count, bytes: count }));

/** What an isolate may have seen; its lists are made as an isolate makes them. */
export const anyIsolate: fc.Arbitrary<IsolateLook> = fc
  .record({
    isolate: fc.constantFrom("one", "two", "three", "four"),
    since: time,
    at: time,
    lanes,
    caches,
    bytes: fc.record({ cache: count, origin: count }),
    held,
    pace: fc.array(anyPace, { maxLength: 6 }),
    slowest: fc.array(anyAnswer, { maxLength: 6 }),
    troubles: fc.array(anyTrouble, { maxLength: 6 }),
  })
  .map((look) =>
    Object.assign(look, {
      pace: look.pace.reduce<readonly Pace[]>(withPace, []),
      slowest: look.slowest.reduce<readonly OriginAnswer[]>(withSlow, []),
      troubles: look.troubles.reduce<readonly RepeatedTrouble[]>((all, each) => withTrouble(all, each), []),
    }),
  );

/** Looks at colos in which one word of an isolate at one time is one word. */
export const anyLooks: fc.Arbitrary<readonly ColoLook[]> = fc
  .array(
    fc.record({
      lookedAt: time,
      isolates: fc.uniqueArray(anyIsolate, { selector: ({ isolate }) => isolate, maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 4 },
  )
  .map((looks) => {
    const words = new Map<string, IsolateLook>();
    const asFirst = (look: IsolateLook) => {
      const key = `${look.isolate} ${look.at}`;
      const first = words.get(key) ?? look;
      words.set(key, first);
      return first;
    };
    return looks.map((look) => ({ ...look, isolates: look.isolates.map(asFirst) }));
  });

/** How long the pace is remembered. */
export const PACE_MS = SLOT_MS * SLOTS;
