import { describe, expect, it } from "vitest";
import { Failure, problemDocument, type ProblemName, problemStatus } from "../../src/core/problem.ts";

describe("the status of a problem", () => {
  it.each<[ProblemName, number]>([
    ["bad_path", 400],
    ["path_too_long", 414],
    ["unauthorized", 401],
    ["not_found", 404],
    ["method_not_allowed", 405],
    ["precondition_failed", 412],
    ["range_not_satisfiable", 416],
    ["unknown_host", 421],
    ["misconfigured", 500],
    ["origin_unreachable", 502],
    ["origin_error", 502],
    ["origin_changed", 502],
    ["origin_truncated", 502],
    ["origin_timeout", 504],
    ["loop", 508],
  ])("problemStatus() does give %s the status %d", (problem, status) => {
    expect(problemStatus(problem)).toBe(status);
    expect(JSON.parse(problemDocument(problem, undefined))).toEqual({
      type: `urn:forgefront:problem:${problem}`,
      title: expect.stringMatching(/^[A-Z].*[^.]$/),
      status,
    });
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
