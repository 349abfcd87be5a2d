import { describe, expect, it } from "vitest";
import { PIPELINES, projectId } from "../../scripts/load/catalogue.ts";
import { judgeList } from "../../scripts/load/judge-list.ts";
import type { Metrics } from "../../scripts/load/k6-run.ts";
import { awayMs, boundsOf, FULL, leastMixedS, SHORT } from "../../scripts/load/lengths.ts";
import { SCENARIOS } from "../../scripts/load/plan.ts";
import { readRequest, UsageError } from "../../scripts/load/request.ts";
import { figuresRow, formatFigures, heldThresholds } from "../../scripts/load/summary.ts";
import { localThresholds } from "../../scripts/load/thresholds.ts";
import { createTruth, statusFact } from "../../scripts/load/truth.ts";

describe("readRequest()", () => {
  it("reads scenarios in their order, and all where none is named", () => {
    expect(readRequest([])).toEqual({
      scenarios: SCENARIOS,
      isShort: false,
      seconds: undefined,
      json: undefined,
    });
    expect(readRequest(["mixed", "raw", "--short", "--seconds", "9", "--json", "x"])).toEqual({
      scenarios: ["raw", "mixed"],
      isShort: true,
      seconds: 9,
      json: "x",
    });
  });

  it.each([["git"], ["--seconds", "0"], ["--seconds", "1.5"], ["--seconds", "601"], ["--quick"]])(
    "refuses %s",
    (...args) => {
      expect(() => readRequest(args)).toThrow(UsageError);
    },
  );
});

describe("lengths", () => {
  it.each([
    ["full", FULL],
    ["short", SHORT],
  ])("leave room in a %s run for a right to be withdrawn, missed and given back", (_, lengths) => {
    expect(awayMs(lengths)).toBeGreaterThan(boundsOf(lengths).grantMs);
    expect(lengths.mixedS).toBeGreaterThan(leastMixedS(lengths));
    expect(leastMixedS(lengths) * 1000).toBeGreaterThan(awayMs(lengths));
  });
});

describe("heldThresholds()", () => {
  const counter = (count: number, thresholds: Readonly<Record<string, { ok: boolean }>>) => ({
    type: "counter",
    values: { count, rate: 1 },
    thresholds,
  });
  const held = (metrics: Metrics, metric: string, expression: string) =>
    heldThresholds(metrics, { [metric]: [expression] })[0];

  it("says what k6 says of what was measured", () => {
    const metrics: Metrics = {
      leaks: counter(0, { "count==0": { ok: true } }),
      judged: counter(0, { "count>0": { ok: false } }),
      body_hit: {
        type: "rate",
        values: { rate: 0.5, passes: 1, fails: 1 },
        thresholds: { "rate>0.9": { ok: false } },
      },
      took: { type: "trend", values: { "p(95)": 12, count: 3 }, thresholds: { "p(95)<20": { ok: true } } },
    };
    expect(held(metrics, "leaks", "count==0")).toMatchObject({ isOk: true, value: "0" });
    expect(held(metrics, "judged", "count>0")).toMatchObject({ isOk: false, value: "0" });
    expect(held(metrics, "body_hit", "rate>0.9")).toMatchObject({ isOk: false, value: "0.500" });
    expect(held(metrics, "took", "p(95)<20")).toMatchObject({ isOk: true, value: "12" });
  });

  it("takes nothing that was not measured for held, as k6 does", () => {
    const metrics: Metrics = {
      body_hit: {
        type: "rate",
        values: { rate: 0, passes: 0, fails: 0 },
        thresholds: { "rate>0": { ok: true } },
      },
      took: { type: "trend", values: { "p(95)": 0, count: 0 }, thresholds: { "p(95)<20": { ok: true } } },
    };
    for (const [metric, expression] of [
      ["body_hit", "rate>0"],
      ["took", "p(95)<20"],
      ["leaks", "count==0"],
    ] as const)
      expect(held(metrics, metric, expression)).toMatchObject({ isOk: false, value: "not measured" });
  });

  it("is asked for leaks, wrong bytes, errors and time in every scenario, and for what bites in the mixed one", () => {
    for (const scenario of SCENARIOS)
      expect(localThresholds(scenario, { p95Ms: 7, isShort: false })).toMatchObject({
        leaks: ["count==0"],
        wrong_bytes: ["count==0"],
        errors: ["rate<0.001"],
        judged: ["count>0"],
        took: ["p(95)<7"],
      });
    expect(localThresholds("mixed", { p95Ms: 7, isShort: true })).toMatchObject({
      withdrawn_asked: ["count>10"],
    });
  });
});

describe("figuresRow()", () => {
  it("has a figure under each heading, or a dash", () => {
    const row = figuresRow("raw", {}, { seconds: 1, originQuestions: 1200 });
    expect(row.at(-1)).toBe("1,200");
    expect(new Set(row.slice(1, -1))).toEqual(new Set(["-"]));
    const [heading = ""] = formatFigures([row]).split("\n");
    expect(heading.trim().split(/ {2,}/)).toHaveLength(row.length);
  });
});

describe("judgeList()", () => {
  const site = "http://edge";
  const asked = { askedMs: 100_000, answeredMs: 100_010 };
  const truth = createTruth({ grantMs: 0, denialMs: 0, refMs: 0, listMs: 6000, toldMs: 0 });
  const ids = Array.from({ length: PIPELINES }, (_, index) => index + 1);
  truth.add(ids.map((id) => ({ kind: "fact", name: statusFact(id), value: "running", atMs: 0 })));
  truth.add([{ kind: "fact", name: statusFact(1), value: "failed", atMs: 90_000 }]);
  const items = ids.map((id) => ({
    id,
    project_id: projectId(3),
    status: id === 1 ? "failed" : "running",
    web_url: `${site}/load/closed/project-3/-/pipelines/${id}`,
  }));
  const judge = (list: unknown) => judgeList(truth, { project: 3, site }, JSON.stringify(list), asked);
  const first = (change: object) => items.map((item, index) => (index === 0 ? { ...item, ...change } : item));

  it("takes the list as it is", () => {
    expect(judge(items)).toBeUndefined();
  });

  it.each([
    ["a status of long ago", first({ status: "running" })],
    ["a pipeline of another project", first({ project_id: projectId(4) })],
    ["an unknown pipeline", first({ id: 999 })],
    ["an address of the origin's", first({ web_url: "http://origin/x" })],
    ["a pipeline too few", items.slice(1)],
    ["no list", { message: "404" }],
  ])("does not take %s", (_, list) => {
    expect(judge(list)).toBeDefined();
  });
});
