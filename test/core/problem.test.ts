import { describe, expect, it } from "vitest";
import { Failure, problemDocument, problemStatus, problemTitle } from "../../src/core/problem.ts";
import { PROBLEM_NAMES, PROBLEM_STATUSES } from "./problem-names.ts";

describe("the status of a problem", () => {
  it.each(PROBLEM_NAMES.map((name) => [name, PROBLEM_STATUSES[name]] as const))(
    "problemStatus() does give %s the status %d",
    (problem, status) => {
      expect(problemStatus(problem)).toBe(status);
      expect(JSON.parse(problemDocument(problem, undefined))).toEqual({
        type: `urn:forgefront:problem:${problem}`,
        title: expect.stringMatching(/^[A-Z].*[^.]$/),
        status,
      });
    },
  );

  it("problemTitle() does give each problem a title of its own", () => {
    const titles = PROBLEM_NAMES.map(problemTitle);
    expect(new Set(titles).size).toBe(titles.length);
    expect(JSON.parse(problemDocument("loop", undefined))).toMatchObject({ title: problemTitle("loop") });
  });
});

describe("the detail of a problem", () => {
  it("problemDocument() does carry it as data", () => {
    const detail = 'No branch "a\nb"';
    expect(JSON.parse(problemDocument("not_found", detail))).toMatchObject({ detail });
  });

  it("Failure does keep its cause out of what is shown", () => {
    const failure = new Failure("origin_error", "Status 500", new Error("https://user:secret@origin"));
    expect(failure).toMatchObject({
      problem: "origin_error",
      detail: "Status 500",
      name: "Failure",
    });
    expect(failure.message).toBe("origin_error: Status 500");
    expect(failure.cause).toBeInstanceOf(Error);
    expect(problemDocument(failure.problem, failure.detail)).not.toContain("secret");
  });

  it("Failure does name the problem alone where there is no detail", () => {
    expect(new Failure("loop").message).toBe("loop");
  });
});
