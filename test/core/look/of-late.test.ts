import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SLOT_MS, SLOTS, type Pace, type RepeatedTrouble } from "../../../src/core/look/isolate-look.ts";
import { slotOf, withPace, withSlow, withTrouble } from "../../../src/core/look/of-late.ts";
import type { OriginAnswer, Trouble } from "../../../src/core/telemetry.ts";
import { anyAnswer, anyPace, anyTrouble, NOW, PACE_MS } from "./arbitrary-looks.ts";

const MINUTE_MS = 60_000;
const LATELY_MS = 15 * MINUTE_MS;

function answer(ms: number, at = NOW): OriginAnswer {
  return { host: "git.test", lane: "raw", method: "GET", path: "/a", status: 200, ms, at };
}

describe("withSlow()", () => {
  const slowest = (answers: readonly OriginAnswer[]) =>
    answers.reduce<readonly OriginAnswer[]>(withSlow, []).map(({ ms }) => ms);

  it("does keep the ten slowest, slowest first", () => {
    const answers = [5, 40, 1, 90, 3, 70, 2, 60, 50, 8, 4, 30].map((ms) => answer(ms));
    expect(slowest(answers)).toEqual([90, 70, 60, 50, 40, 30, 8, 5, 4, 3]);
  });

  it("does forget what was 15 minutes ago, however slow it was", () => {
    const old = NOW - LATELY_MS;
    expect(slowest([answer(9000, old), answer(8000, old + 1), answer(1)])).toEqual([8000, 1]);
  });

  it("does forget the old ones of a full list as well, with an answer that is faster than all of it", () => {
    const full = Array.from({ length: 10 }, (_, index) => answer(100 + index, NOW - LATELY_MS));
    expect(slowest([...full, answer(1)])).toEqual([1]);
  });

  it("does keep what is late alone, in order, and the very slowest of all while it is late", () => {
    fc.assert(
      fc.property(fc.array(anyAnswer, { minLength: 1, maxLength: 40 }), (answers) => {
        const inOrder = answers.toSorted((one, other) => one.at - other.at);
        const kept = inOrder.reduce<readonly OriginAnswer[]>(withSlow, []);
        const last = inOrder.at(-1)?.at ?? 0;
        const isLate = ({ at }: OriginAnswer) => at > last - LATELY_MS;
        expect(kept.every(isLate)).toBe(true);
        const times = kept.map(({ ms }) => ms);
        expect(times).toEqual(times.toSorted((one, other) => other - one));
        const late = inOrder.filter(isLate).toSorted((one, other) => other.ms - one.ms);
        if (inOrder.length <= 10) expect(times).toEqual(late.map(({ ms }) => ms));
        const most = Math.max(...inOrder.map(({ ms }) => ms));
        if (late[0]?.ms === most) expect(times[0]).toBe(most);
      }),
    );
  });
});

describe("withTrouble()", () => {
  const trouble: Trouble = {
    host: "git.test",
    lane: "raw",
    problem: "origin 503 to GET",
    path: "/a",
    at: NOW,
  };
  const fold = (troubles: readonly Trouble[]) =>
    troubles.reduce<readonly RepeatedTrouble[]>((all, each) => withTrouble(all, each), []);

  it("does count the same one again, with the time of the last", () => {
    expect(fold([{ ...trouble, at: NOW - 9 }, trouble, { ...trouble, at: NOW - 5 }])).toEqual([
      { ...trouble, at: NOW, times: 3 },
    ]);
  });

  it.each([
    { host: "s3.test" },
    { lane: "object" as const },
    { problem: "origin timeout to GET" },
    { path: "/b" },
  ])("does tell another one apart: %j", (other) => {
    expect(fold([trouble, { ...trouble, ...other }])).toHaveLength(2);
  });

  it("does keep the twenty newest, newest first", () => {
    const troubles = Array.from({ length: 25 }, (_, index) => ({
      ...trouble,
      path: `/${index}`,
      at: NOW + index,
    }));
    const paths = Array.from({ length: 20 }, (_, index) => `/${24 - index}`);
    expect(fold(troubles).map(({ path }) => path)).toEqual(paths);
  });

  it("does forget what was 15 minutes ago", () => {
    const old = { ...trouble, path: "/old", at: NOW - LATELY_MS };
    expect(fold([old, { ...old, path: "/less", at: old.at + 1 }, trouble]).map(({ path }) => path)).toEqual([
      "/a",
      "/less",
    ]);
  });

  it("does lose no time that a trouble came, while there are few and all are late", () => {
    fc.assert(
      fc.property(fc.array(anyTrouble, { maxLength: 20 }), (troubles) => {
        const lately = troubles.map((each) => ({ ...each, at: NOW - (each.at % LATELY_MS) + 1 }));
        const kept = fold(lately);
        expect(kept.reduce((sum, { times }) => sum + times, 0)).toBe(lately.length);
        const names = kept.map(({ host, lane, problem, path }) =>
          JSON.stringify([host, lane, problem, path]),
        );
        expect(new Set(names).size).toBe(names.length);
        expect(kept.map(({ at }) => at)).toEqual(
          kept.map(({ at }) => at).toSorted((one, other) => other - one),
        );
      }),
    );
  });
});

describe("withPace()", () => {
  it("does add what is in one slot, and begin another with the next", () => {
    const start = slotOf(NOW);
    const at = (ms: number, requests: number) => ({ at: start + ms, requests, asked: 1 });
    const pace = [at(0, 1), at(SLOT_MS - 1, 2), at(SLOT_MS, 4)].reduce<readonly Pace[]>(withPace, []);
    expect(pace).toEqual([
      { at: start, requests: 3, asked: 2 },
      { at: start + SLOT_MS, requests: 4, asked: 1 },
    ]);
  });

  it("does keep five minutes of sorted slots, each once, and lose nothing in them", () => {
    fc.assert(
      fc.property(fc.array(anyPace, { minLength: 1, maxLength: 80 }), (paces) => {
        const pace = paces.reduce<readonly Pace[]>(withPace, []);
        const starts = pace.map(({ at }) => at);
        const newest = Math.max(...paces.map(({ at }) => slotOf(at)));
        expect(starts.length).toBeLessThanOrEqual(SLOTS);
        expect(starts).toEqual([...new Set(starts)].toSorted((one, other) => one - other));
        expect(starts.every((at) => at % SLOT_MS === 0 && at > newest - PACE_MS)).toBe(true);
        const kept = paces.filter(({ at }) => slotOf(at) > newest - PACE_MS);
        const total = (list: readonly Pace[]) => list.reduce((sum, { requests }) => sum + requests, 0);
        const inOrder = paces.toSorted((one, other) => one.at - other.at);
        expect(total(inOrder.reduce<readonly Pace[]>(withPace, []))).toBe(total(kept));
      }),
    );
  });
});
