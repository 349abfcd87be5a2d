import { describe, expect, it } from "vitest";
import { firstDifference } from "../../scripts/chaos/ask.ts";
import { newClocks } from "../../scripts/chaos/clocks.ts";
import { partSeed, seededRandom } from "../../scripts/chaos/random.ts";
import { formatFailures } from "../../scripts/chaos/report.ts";
import { drawFault } from "../../scripts/chaos/store-faults.ts";
import { addTo, count, newTally } from "../../scripts/chaos/tally.ts";
import { verdictOn, type Answer, type Leeway, type Truth } from "../../scripts/chaos/verdict.ts";

const MAY: Truth = { asker: "may", length: 10 };
const MAY_NOT: Truth = { ...MAY, asker: "may not" };
const UNTIL: Truth = { ...MAY, asker: "until revoked" };
const PART: Truth = { ...MAY, length: 3, range: { start: 2, end: 5, size: 10 } };
const OK: Answer = {
  status: 200,
  contentRange: undefined,
  end: "whole",
  bytes: 10,
  wrongAt: undefined,
  tellsSecret: false,
  isDecoy: false,
  says: "",
};
const PART_OK: Answer = { ...OK, status: 206, contentRange: "bytes 2-4/10", bytes: 3 };
const PASSED_PART: Answer = {
  ...PART_OK,
  contentRange: "bytes 1-3/10",
  says: "(forgefront; fwd=bypass; length 3)",
};
const LONGER: Answer = { ...PART_OK, contentRange: "bytes 2-4/11" };
const QUIET: Leeway = { failures: false, decoys: false, statuses: [] };
const FAULT: Leeway = { failures: true, decoys: false, statuses: [] };
const PAGES: Leeway = { ...FAULT, decoys: true };

describe("verdictOn()", () => {
  const rows: readonly [string, Truth, Partial<Answer>, Leeway, string][] = [
    ["the true bytes", MAY, {}, QUIET, "right"],
    ["the true part", PART, PART_OK, QUIET, "right"],
    ["the whole in the place of a part", PART, {}, QUIET, "right"],
    ["another byte", MAY, { wrongAt: 4 }, FAULT, "wrong"],
    ["another byte before it breaks off", MAY, { wrongAt: 4, end: "cut" }, FAULT, "wrong"],
    ["fewer bytes, ended well", MAY, { bytes: 9 }, FAULT, "wrong"],
    ["nothing, ended well", MAY, { bytes: 0 }, FAULT, "wrong"],
    ["another part than was asked for", PART, { ...PART_OK, contentRange: "bytes 1-3/10" }, FAULT, "wrong"],
    ["another part, passed on in a fault", PART, PASSED_PART, FAULT, "failed"],
    ["another part, passed on without one", PART, PASSED_PART, QUIET, "unexpected"],
    ["a part that nobody asked for in a fault", MAY, PART_OK, FAULT, "failed"],
    ["a part that nobody asked for without one", MAY, PART_OK, QUIET, "unexpected"],
    ["a body that breaks off in a fault", MAY, { bytes: 4, end: "cut" }, FAULT, "failed"],
    ["a body that breaks off without one", MAY, { bytes: 4, end: "cut" }, QUIET, "unexpected"],
    ["502 in a fault", MAY, { status: 502 }, FAULT, "failed"],
    ["502 without one", MAY, { status: 502 }, QUIET, "unexpected"],
    ["no answer in a fault", MAY, { status: 0, end: "cut" }, FAULT, "failed"],
    ["500 in a fault", MAY, { status: 500 }, FAULT, "unexpected"],
    ["a status that is let pass", MAY, { status: 422 }, { ...FAULT, statuses: [422] }, "failed"],
    ["404 to one who may", MAY, { status: 404 }, FAULT, "unexpected"],
    ["404 to one who may not", MAY_NOT, { status: 404 }, QUIET, "refused"],
    ["content to one who may not", MAY_NOT, {}, FAULT, "leak"],
    ["a beginning of it to one who may not", MAY_NOT, { bytes: 1, end: "cut" }, FAULT, "leak"],
    ["304 to one who may not", MAY_NOT, { status: 304 }, FAULT, "leak"],
    ["416 to one who may not", MAY_NOT, { status: 416 }, FAULT, "leak"],
    ["a secret in a failure", MAY_NOT, { status: 502, tellsSecret: true }, FAULT, "leak"],
    ["content while a grant may live", UNTIL, {}, QUIET, "right"],
    ["a refusal while a grant may live", UNTIL, { status: 401 }, QUIET, "refused"],
    ["nothing by the deadline", MAY, { status: 0, end: "late" }, FAULT, "stuck"],
    ["half of it by the deadline", MAY, { bytes: 5, end: "late" }, FAULT, "stuck"],
    ["a faulty origin's page", MAY, { isDecoy: true, wrongAt: 0 }, PAGES, "decoy"],
    ["the same to one who may not", MAY_NOT, { isDecoy: true, wrongAt: 0 }, PAGES, "leak"],
    ["a part of something longer", PART, LONGER, PAGES, "decoy"],
    ["another byte in it", PART, { ...LONGER, wrongAt: 3 }, PAGES, "wrong"],
    ["it when the fault is over", PART, LONGER, QUIET, "wrong"],
    ["content to one who may not, and then nothing", MAY_NOT, { bytes: 5, end: "late" }, FAULT, "leak"],
    ["a page when the fault is over", MAY, { isDecoy: true, wrongAt: 0 }, QUIET, "wrong"],
  ];

  it.each(rows)("judges %s", (_, truth, answer, leeway, kind) => {
    expect(verdictOn(truth, { ...OK, ...answer }, leeway).kind).toBe(kind);
  });
});

describe("newClocks()", () => {
  it("says that a revocation is over when no grant from before may live by an isolate's own clock", () => {
    let now = 1000;
    const clocks = newClocks(() => now);
    expect(clocks.revocation("")).toBe("none");
    clocks.revoke();
    now += 32_000;
    expect(clocks.revocation("")).toBe("grants may live");
    now += 1;
    expect(clocks.revocation("")).toBe("over");
    clocks.restoring();
    expect(clocks.revocation("")).toBe("grants may live");
    clocks.restored();
    expect(clocks.revocation("")).toBe("none");
  });

  it("counts from the latest time that any clock had before", () => {
    const clocks = newClocks(() => 0);
    clocks.move({ "": 3_600_000 });
    clocks.move({ "": 0 });
    clocks.revoke();
    clocks.move({ "": 3_620_000, other: 40_000 });
    expect(clocks.revocation("")).toBe("grants may live");
    clocks.move({ "": 3_632_001, other: 40_000 });
    expect(clocks.revocation("")).toBe("over");
    expect(clocks.revocation("other")).toBe("grants may live");
  });

  it("does not take a clock that was moved after the revocation for one of before", () => {
    const clocks = newClocks(() => 0);
    clocks.revoke();
    clocks.move({ "": 33_000 });
    expect(clocks.revocation("")).toBe("over");
  });
});

describe("seededRandom()", () => {
  it("gives the same numbers for the same seed, and others for another", () => {
    const numbers = (seed: number) => {
      const random = seededRandom(seed);
      return Array.from({ length: 5 }, () => random.below(1_000_000));
    };
    expect(numbers(7)).toEqual(numbers(7));
    expect(numbers(7)).not.toEqual(numbers(8));
    expect(partSeed(7, "kv")).not.toBe(partSeed(7, "cache"));
  });

  it("stays within its bounds and reaches them", () => {
    const random = seededRandom(1);
    const drawn = new Set(Array.from({ length: 1000 }, () => random.below(4)));
    expect(drawn).toEqual(new Set([0, 1, 2, 3]));
  });
});

describe("drawFault()", () => {
  const rates = { throws: 0.25, hangs: 0.25, loses: 0.25, breaks: 0.125 };

  it.each([
    [0, "throws"],
    [0.25, "hangs"],
    [0.5, "loses"],
    [0.75, "breaks"],
    [0.875, "none"],
    [0.999, "none"],
  ])("makes of %d %s", (next, fault) => {
    const random = { next: () => next, below: () => 0, pick: <T>(from: readonly T[]) => from[0] as T };
    expect(drawFault(random, rates)).toBe(fault);
  });
});

describe("count()", () => {
  it("keeps each verdict apart, and complains of what must not be", () => {
    const tally = newTally();
    const read = { name: "a file", isAnew: false, begunAt: 5, ms: 3 };
    count(tally, { ...read, verdict: { kind: "right" } });
    count(tally, { ...read, verdict: { kind: "failed", how: "502" } });
    count(tally, { ...read, ms: 9, verdict: { kind: "leak", why: "status 200" } });
    count(tally, { ...read, isAnew: false, begunAt: 7, verdict: { kind: "stuck", why: "nothing" } });
    expect(tally).toMatchObject({ requests: 4, right: 1, leaks: 1, stuck: 1, wrong: 0, slowestMs: 9 });
    expect(tally.lastFailureAt).toBe(7);
    expect(tally.complaints).toEqual(["leak: a file: status 200", "stuck: a file: nothing"]);
    expect(formatFailures(tally)).toBe("502 x 1");
  });

  it("adds up what two have counted", () => {
    const [one, other] = [newTally(), newTally()];
    for (const tally of [one, other]) {
      const verdict = { kind: "wrong", why: "byte 3 is another" } as const;
      count(tally, { name: "a file", verdict, isAnew: false, begunAt: 1, ms: 1 });
      count(tally, {
        name: "a file",
        verdict: { kind: "failed", how: "504" },
        isAnew: false,
        begunAt: 1,
        ms: 2,
      });
    }
    addTo(one, other);
    expect(one).toMatchObject({ requests: 4, wrong: 2, failed: { "504": 2 }, slowestMs: 2 });
    expect(one.complaints).toHaveLength(2);
  });
});

describe("firstDifference()", () => {
  it.each([
    ["abc", "abd", 2],
    ["abc", "ab", 2],
    ["", "a", 0],
  ])("of %j and %j is at %d", (one, other, at) => {
    expect(firstDifference(Buffer.from(one), Buffer.from(other))).toBe(at);
  });
});
