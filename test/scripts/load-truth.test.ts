import { describe, expect, it } from "vitest";
import {
  ANYBODY,
  createTruth,
  credentialFact,
  memberFact,
  openFact,
  statusFact,
  type Bounds,
  type Change,
} from "../../scripts/load/truth.ts";
import { judgeAccess, type Finding } from "../../scripts/load/verdict.ts";

const BOUNDS: Bounds = { grantMs: 31_000, denialMs: 11_000, refMs: 61_000, listMs: 6_000, toldMs: 2_000 };
const UNIT = "p1";
const START = 1_000_000;

const at = (second: number) => ({ askedMs: START + second * 1000, answeredMs: START + second * 1000 + 50 });
const fact = (name: string, value: string | boolean, second?: number): Change => ({
  kind: "fact",
  name,
  value,
  atMs: second === undefined ? 0 : START + second * 1000,
});

function truthOf(...changes: readonly Change[]) {
  const truth = createTruth(BOUNDS);
  truth.add([
    fact(openFact(UNIT), false),
    fact(credentialFact("ann"), true),
    fact(memberFact("ann", UNIT), true),
    fact(credentialFact("ben"), true),
    ...changes,
  ]);
  return truth;
}

describe("createTruth()", () => {
  it.each([
    ["a membership", memberFact("ann", UNIT)],
    ["a credential", credentialFact("ann")],
  ])("lets somebody be shown things until the bound after %s was withdrawn", (_, name) => {
    const truth = truthOf(fact(name, false, 0));
    expect(truth.mayShow("ann", UNIT, at(-1))).toBe(true);
    expect(truth.mayShow("ann", UNIT, at(30.9))).toBe(true);
    expect(truth.mayShow("ann", UNIT, at(31.1))).toBe(false);
    expect(truth.mustShow("ann", UNIT, at(-1))).toBe(true);
    expect(truth.mustShow("ann", UNIT, at(0))).toBe(false);
  });

  it("asks for a right that was given back only once a refusal is no longer believed", () => {
    const truth = truthOf(fact(memberFact("ann", UNIT), false, 0), fact(memberFact("ann", UNIT), true, 40));
    expect(truth.mayShow("ann", UNIT, at(39))).toBe(false);
    expect(truth.mayShow("ann", UNIT, at(40))).toBe(true);
    expect(truth.mustShow("ann", UNIT, at(50.9))).toBe(false);
    expect(truth.mustShow("ann", UNIT, at(51.1))).toBe(true);
  });

  it("lets an answer that took long show what was allowed when it came", () => {
    const truth = truthOf(fact(memberFact("ben", UNIT), true, 10));
    expect(truth.mayShow("ben", UNIT, { askedMs: START + 9000, answeredMs: START + 10_500 })).toBe(true);
    expect(truth.mayShow("ben", UNIT, { askedMs: START + 9000, answeredMs: START + 9900 })).toBe(false);
  });

  it("knows what anybody may read, and that a credential that is bad may be refused there", () => {
    const truth = truthOf(fact(openFact(UNIT), true, 0), fact(credentialFact("ben"), false, 0));
    expect(truth.mayShow(ANYBODY, UNIT, at(20))).toBe(true);
    expect(truth.mustShow(ANYBODY, UNIT, at(20))).toBe(true);
    expect(truth.mustShow("ben", UNIT, at(20))).toBe(false);
    expect(truth.mayShow("ben", UNIT, at(20))).toBe(true);
    expect(truthOf().mayShow(ANYBODY, UNIT, at(20))).toBe(false);
  });

  it("lists who has lost a right for longer than the bound", () => {
    const truth = truthOf(fact(memberFact("ann", UNIT), false, 0));
    expect(truth.withdrawn(START + 30_000)).toEqual([]);
    expect(truth.withdrawn(START + 32_000)).toEqual([{ who: "ann", unit: UNIT }]);
  });

  it("shows a status for as long as a list is believed", () => {
    const truth = truthOf(fact(statusFact(7), "running"), fact(statusFact(7), "failed", 0));
    expect(truth.values(statusFact(7), at(-1))).toEqual(["running"]);
    expect(truth.values(statusFact(7), at(5))).toEqual(["running", "failed"]);
    expect(truth.values(statusFact(7), at(7))).toEqual(["failed"]);
  });
});

describe("revisions()", () => {
  const began = (commit: number, path: string, revision: number, second: number): Change => ({
    kind: "push-began",
    unit: UNIT,
    commit,
    path,
    revision,
    atMs: START + second * 1000,
  });
  const mark = (kind: "push-ended" | "push-told", commit: number, second: number): Change => ({
    kind,
    unit: UNIT,
    commit,
    atMs: START + second * 1000,
  });
  const push = (commit: number, path: string, revision: number, second: number) => [
    began(commit, path, revision, second),
    mark("push-ended", commit, second + 0.5),
  ];

  it("gives the old one and the new one until the ref is no longer believed", () => {
    const truth = truthOf(...push(1, "a", 1, 0));
    expect(truth.revisions(UNIT, "a", at(-1))).toEqual([0]);
    expect(truth.revisions(UNIT, "a", at(0.2))).toEqual([0, 1]);
    expect(truth.revisions(UNIT, "a", at(61.4))).toEqual([0, 1]);
    expect(truth.revisions(UNIT, "a", at(61.6))).toEqual([1]);
    expect(truth.revisions(UNIT, "b", at(61.6))).toEqual([0]);
  });

  it("keeps the old one for as long as a push has not ended", () => {
    expect(truthOf(began(1, "a", 1, 0)).revisions(UNIT, "a", at(100))).toEqual([0, 1]);
  });

  it("gives only the new one once the edge was told, of earlier pushes as well", () => {
    const truth = truthOf(...push(1, "a", 1, 0), ...push(2, "b", 1, 5), mark("push-told", 2, 6));
    expect(truth.revisions(UNIT, "a", at(7.9))).toEqual([0, 1]);
    expect(truth.revisions(UNIT, "a", at(8.1))).toEqual([1]);
    expect(truth.revisions(UNIT, "b", at(8.1))).toEqual([1]);
  });

  it("gives none of before the oldest commit, and all since", () => {
    const truth = truthOf(...push(1, "a", 1, 0), ...push(2, "a", 2, 70), ...push(3, "a", 3, 80));
    expect(truth.revisions(UNIT, "a", at(90))).toEqual([1, 2, 3]);
    expect(truth.revisions(UNIT, "a", at(135))).toEqual([2, 3]);
  });
});

describe("judgeAccess()", () => {
  const shown = { status: 200, cacheControl: "private, max-age=60", setsCookie: false, body: "" };
  const judge = (who: string, change: Partial<typeof shown>, second = 0): Finding["kind"] | undefined =>
    judgeAccess(truthOf(), { who, unit: UNIT }, { ...shown, ...change }, at(second))?.kind;

  it.each([200, 206, 304, 412, 416])("takes a %d to somebody without the right for a leak", (status) => {
    expect(judge("ben", { status })).toBe("leak");
    expect(judge(ANYBODY, { status })).toBe("leak");
    expect(judge("ann", { status })).toBeUndefined();
  });

  it.each([302, 401, 403, 404])("takes a %d to somebody with the right for an error", (status) => {
    expect(judge("ann", { status })).toBe("error");
    expect(judge("ben", { status })).toBeUndefined();
  });

  it.each([
    ["a refusal with bytes of a file", "ben", { status: 404, body: "<p>FF|p1/a@0|1" }, "leak"],
    ["a cookie", "ann", { setsCookie: true }, "leak"],
    ["what is private as public", "ann", { cacheControl: "public, max-age=60" }, "leak"],
    ["a failure of a server", "ben", { status: 502 }, "error"],
  ] as const)("finds %s", (_, who, change, kind) => {
    expect(judge(who, change)).toBe(kind);
  });
});
