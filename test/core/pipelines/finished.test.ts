import { describe, expect, it } from "vitest";
import { isFinished, projectNumber } from "../../../src/core/pipelines/finished.ts";
import type { PipelinesResource } from "../../../src/core/target.ts";

const PIPELINE: PipelinesResource = { kind: "pipeline", id: "5" };
const JOBS: PipelinesResource = { kind: "jobs", pipeline: "5" };
const DONE = ["success", "failed", "canceled", "skipped"];
const NOT_DONE = (
  "created waiting_for_resource preparing waiting_for_callback pending running canceling manual scheduled " +
  "SUCCESS toString"
).split(" ");

function job(status: unknown, pipeline: unknown): object {
  return { id: 1, status, pipeline: { id: 5, project_id: 7, status: pipeline } };
}

describe("a pipeline", () => {
  it.each(DONE.map((status) => [status]))("isFinished() does hold for one that is %s", (status) => {
    expect(isFinished(PIPELINE, JSON.stringify({ id: 5, status }))).toBe(true);
  });

  it.each([...NOT_DONE, "", null, 1, ["success"]].map((status) => [status]))(
    "isFinished() does not hold for one that is %j",
    (status) => {
      expect(isFinished(PIPELINE, JSON.stringify({ id: 5, status }))).toBe(false);
    },
  );

  it.each([
    ["{}"],
    ["[]"],
    ["null"],
    ['"success"'],
    [""],
    ['{"status":"success"'],
    ['[{"status":"success"}]'],
  ])("isFinished() does not hold for %s", (text) => {
    expect(isFinished(PIPELINE, text)).toBe(false);
  });
});

describe("jobs", () => {
  it("isFinished() does hold where every job is done, and its pipeline", () => {
    const jobs = DONE.flatMap((one) => DONE.map((other) => job(one, other)));
    expect(isFinished(JOBS, JSON.stringify(jobs))).toBe(true);
  });

  it.each(NOT_DONE.map((status) => [status]))("isFinished() does not hold where one job is %s", (status) => {
    expect(isFinished(JOBS, JSON.stringify([job("success", "success"), job(status, "success")]))).toBe(false);
  });

  it.each<[string | undefined]>([...NOT_DONE.map((status): [string] => [status]), [undefined]])(
    "isFinished() does not hold where all that are listed are done, but their pipeline is %s",
    (status) => {
      expect(isFinished(JOBS, JSON.stringify([job("success", status)]))).toBe(false);
    },
  );

  it.each([["[]"], ["{}"], ["[null]"], ["[1]"], ['[{"status":"success"}]'], ["["], ['{"status":"success"}']])(
    "isFinished() does not hold for %s",
    (text) => {
      expect(isFinished(JOBS, text)).toBe(false);
    },
  );
});

it.each<PipelinesResource["kind"]>(["list", "latest", "tasks"])(
  "isFinished() does never hold for %s: another pipeline may come",
  (kind) => {
    const resource = { kind } as PipelinesResource;
    expect(isFinished(resource, '{"status":"success"}')).toBe(false);
    expect(isFinished(resource, JSON.stringify([job("success", "success")]))).toBe(false);
  },
);

it.each<[string, string]>([
  ['{"id":1,"project_id":7}', "7"],
  ['[{"project_id":7},{"project_id":7}]', "7"],
  ['[{"pipeline":{"project_id":7}},{"pipeline":{"project_id":7}}]', "7"],
  ['{"project_id":9007199254740991}', "9007199254740991"],
])("projectNumber() does read %s", (text, number) => {
  expect(projectNumber(text)).toBe(number);
});

it.each([
  ['[{"project_id":7},{"project_id":8}]'],
  ['[{"project_id":7},{}]'],
  ['[{"pipeline":{"project_id":7}},{"pipeline":{}}]'],
  ["[]"],
  ["{}"],
  ["null"],
  ["7"],
  [""],
  ['{"project_id":"7"}'],
  ['{"project_id":0}'],
  ['{"project_id":-7}'],
  ['{"project_id":7.5}'],
  ['{"project_id":9007199254740992}'],
  ['{"workflow_runs":[{"project_id":7}]}'],
  ['[[{"project_id":7}]]'],
  ['[{"project_id":7}'],
])("projectNumber() does read none in %s", (text) => {
  expect(projectNumber(text)).toBeUndefined();
});
