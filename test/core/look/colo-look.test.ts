import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergedLooks, summedLook, type ColoLook } from "../../../src/core/look/colo-look.ts";
import { NO_COUNTS } from "../../../src/core/look/counts.ts";
import type { IsolateLook } from "../../../src/core/look/isolate-look.ts";
import { withSlow, withTrouble } from "../../../src/core/look/of-late.ts";
import { OUTCOME_LABELS } from "../../../src/core/outcome-label.ts";
import { CACHE_NAMES, LANE_NAMES } from "../../../src/core/telemetry.ts";
import { anyIsolate, anyLooks, NOW } from "./arbitrary-looks.ts";

const GONE_MS = 10 * 60_000;

function isolate(name: string, at: number): IsolateLook {
  return { ...NO_COUNTS, isolate: name, since: at, at };
}

/** Isolates of one time are in no order. */
function sorted({ lookedAt, isolates }: ColoLook): ColoLook {
  const byName = (one: IsolateLook, other: IsolateLook) => one.isolate.localeCompare(other.isolate);
  return { lookedAt, isolates: isolates.toSorted(byName) };
}

describe("mergedLooks()", () => {
  it("does not depend on which of two comes first", () => {
    fc.assert(
      fc.property(anyLooks, anyLooks, ([one], [other]) => {
        if (one === undefined || other === undefined) return;
        const distinct = { ...other, isolates: other.isolates.filter(({ at }) => !hasTime(one, at)) };
        expect(sorted(mergedLooks(one, distinct))).toEqual(sorted(mergedLooks(distinct, one)));
      }),
    );
  });

  it("does add nothing to what is known already", () => {
    fc.assert(
      fc.property(anyLooks, (looks) => {
        const all = looks.reduce(mergedLooks, { lookedAt: 0, isolates: [] });
        for (const each of [...looks, all]) expect(sorted(mergedLooks(all, each))).toEqual(sorted(all));
      }),
    );
  });

  it("does hold the newest word of each isolate, and of none that was silent for ten minutes", () => {
    fc.assert(
      fc.property(anyLooks, (looks) => {
        const { lookedAt, isolates } = looks.reduce(mergedLooks, { lookedAt: 0, isolates: [] });
        const words = looks.flatMap((look) => look.isolates);
        const newest = Math.max(...words.map(({ at }) => at));
        for (const name of new Set(words.map((word) => word.isolate))) {
          const last = Math.max(...words.filter((word) => word.isolate === name).map(({ at }) => at));
          const found = isolates.filter((each) => each.isolate === name).map(({ at }) => at);
          expect(found).toEqual(last > newest - GONE_MS ? [last] : []);
        }
        expect(lookedAt).toBe(Math.max(...looks.map((look) => look.lookedAt)));
      }),
    );
  });

  it("does hold no more than 32 isolates, the newest", () => {
    const isolates = Array.from({ length: 50 }, (_, index) => isolate(String(index), NOW + index));
    const merged = mergedLooks({ lookedAt: 0, isolates: isolates.slice(25) }, { lookedAt: 0, isolates });
    const names = Array.from({ length: 32 }, (_, index) => String(49 - index));
    expect(merged.isolates.map((each) => each.isolate)).toEqual(names);
  });

  it("does know an isolate as gone to the millisecond", () => {
    const at = (ms: number) => ({ lookedAt: 0, isolates: [isolate(String(ms), NOW + ms)] });
    const names = (look: ColoLook) => look.isolates.map((each) => each.isolate);
    expect(names(mergedLooks(at(-GONE_MS), at(0)))).toEqual(["0"]);
    expect(names(mergedLooks(at(1 - GONE_MS), at(0)))).toEqual(["0", String(1 - GONE_MS)]);
  });
});

function hasTime({ isolates }: ColoLook, at: number): boolean {
  return isolates.some((each) => each.at === at);
}

describe("summedLook()", () => {
  const anyIsolates = fc.uniqueArray(anyIsolate, {
    selector: (look) => look.isolate,
    minLength: 1,
    maxLength: 4,
  });

  it("does add every count of all isolates", () => {
    fc.assert(
      fc.property(anyIsolates, (isolates) => {
        const look = summedLook({ lookedAt: 0, isolates });
        const total = (count: (each: IsolateLook) => number) =>
          isolates.reduce((all, each) => all + count(each), 0);
        for (const lane of LANE_NAMES)
          for (const name of ["requests", "refused", "failed", "asked"] as const)
            expect(look.lanes[lane][name]).toBe(total((each) => each.lanes[lane][name]));
        for (const cache of CACHE_NAMES) {
          for (const label of OUTCOME_LABELS)
            expect(look.caches[cache][label]).toBe(total((each) => each.caches[cache][label]));
          for (const name of ["entries", "bytes"] as const)
            expect(look.held[cache][name]).toBe(total((each) => each.held[cache][name]));
        }
        for (const source of ["cache", "origin"] as const)
          expect(look.bytes[source]).toBe(total((each) => each.bytes[source]));
        expect(look.isolates).toBe(isolates.length);
        expect(look.since).toBe(Math.min(...isolates.map(({ since }) => since)));
      }),
    );
  });

  it("does join the lists as if one isolate had seen it all", () => {
    fc.assert(
      fc.property(anyIsolates, (isolates) => {
        const look = summedLook({ lookedAt: 0, isolates });
        const slow = isolates.flatMap(({ slowest }) => slowest).reduce(withSlow, NO_COUNTS.slowest);
        expect(look.slowest).toEqual(slow);
        const troubles = isolates
          .flatMap((each) => each.troubles)
          .reduce((all, each) => withTrouble(all, each, each.times), NO_COUNTS.troubles);
        expect(look.troubles).toEqual(troubles);
      }),
    );
  });

  it("does leave what it is made of as it was", () => {
    fc.assert(
      fc.property(anyIsolates, (isolates) => {
        const before = JSON.stringify(isolates);
        summedLook({ lookedAt: 0, isolates });
        expect(JSON.stringify(isolates)).toBe(before);
        expect(NO_COUNTS.lanes.raw.requests).toBe(0);
      }),
    );
  });
});
