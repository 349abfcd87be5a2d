import { describe, expect, it } from "vitest";
import type { ForgeSite } from "../../src/core/site.ts";
import type { PipelinesTarget } from "../../src/core/target.ts";
import { listDatabase } from "../../src/origin/list-database.ts";
import type { PipelinesAnswer } from "../../src/origin/pipelines-db.ts";
import { DatabaseFailure, type DatabaseFault } from "../../src/origin/postgres.ts";

const SITE: ForgeSite = { host: "git.example.com", kind: "gitlab", origin: "https://origin.example.com" };
const REST_MS = 10_000;

function listOf(project: string, query = ""): PipelinesTarget {
  return { lane: "pipelines", project, resource: { kind: "list" }, query, scheme: "https:" };
}

const [ONE, SAME, OTHER] = [listOf("1"), listOf("1"), listOf("2")];

const ANSWER: PipelinesAnswer = {
  kind: "answer",
  body: '[{"id":7,"project_id":1}]',
  headers: [
    ["link", '<https://git.example.com/x>; rel="first"'],
    ["x-total", "1"],
    ["content-type", "application/json"],
  ],
};

/** A database that answers as told, and what was told of it. */
function scripted(): ReturnType<typeof listDatabase> & {
  readonly outcomes: [string, unknown][];
  readonly asked: string[];
  clock: number;
  answer: () => PipelinesAnswer;
} {
  const outcomes: [string, unknown][] = [];
  const asked: string[] = [];
  const parts = { clock: 0, answer: () => ANSWER };
  const lists = listDatabase({
    database: {
      list: async ({ project, query }, address) => {
        asked.push(`${address} ${project}?${query}`);
        return parts.answer();
      },
    },
    site: SITE,
    now: () => parts.clock,
    restMs: REST_MS,
    onAnswer: (outcome, failure) => outcomes.push([outcome, failure]),
  });
  return Object.assign(parts, lists, { outcomes, asked });
}

function failed(fault: DatabaseFault): PipelinesAnswer {
  const reason = fault === "too_slow" ? "timeout" : fault;
  return { kind: "none", reason, failure: new DatabaseFailure(fault, undefined) };
}

describe("listDatabase()", () => {
  it("makes a list as the forge would tell it at the site's address, header fields in the order of the forge's own", async () => {
    const lists = scripted();
    expect(await lists.make(listOf("demo/hello", "ref=main"), () => {})).toEqual({
      kind: "list",
      headers: [
        ["content-type", "application/json"],
        ["x-total", "1"],
        ["link", '<https://git.example.com/x>; rel="first"'],
      ],
      bytes: new TextEncoder().encode('[{"id":7,"project_id":1}]'),
      origin: undefined,
      isFinished: false,
      projectNumber: "1",
    });
    expect(lists.asked).toEqual(["https://git.example.com demo/hello?ref=main"]);
    expect(lists.outcomes).toEqual([["made", undefined]]);
  });

  it.each(["unreachable", "timeout", "schema", "error"] as const)(
    "leaves the database alone for a while after a failure: %s",
    async (fault) => {
      const lists = scripted();
      lists.answer = () => failed(fault);
      lists.clock = 5;
      expect(await lists.make(ONE, () => {})).toBeUndefined();
      expect(lists.outcomes).toEqual([[fault, expect.any(DatabaseFailure)]]);
      lists.clock = 4 + REST_MS;
      expect([lists.isAvailable(ONE), lists.isAvailable(OTHER)]).toEqual([false, false]);
      lists.clock = 5 + REST_MS;
      expect([lists.isAvailable(ONE), lists.isAvailable(OTHER)]).toEqual([true, true]);
    },
  );

  it.each([
    ["one that takes too long", failed("too_slow")],
    ["one that it cannot make", { kind: "none", reason: "unsupported" }],
    ["one of no project", { kind: "none", reason: "absent" }],
    ["one with a source that has no name", { kind: "none", reason: "schema" }],
  ] as const)("leaves a list alone for a while, and no other: %s", async (_name, answer) => {
    const lists = scripted();
    lists.answer = () => answer;
    expect(await lists.make(ONE, () => {})).toBeUndefined();
    expect([lists.isAvailable(SAME), lists.isAvailable(OTHER)]).toEqual([false, true]);
    expect(lists.isAvailable(listOf("1", "ref=main"))).toBe(true);
    lists.clock = REST_MS;
    expect(lists.isAvailable(SAME)).toBe(true);
  });

  it("does not leave a list alone for which another was about to try the database again", async () => {
    const lists = scripted();
    lists.answer = () => ({ kind: "none", reason: "resting" });
    expect(await lists.make(ONE, () => {})).toBeUndefined();
    expect(lists.isAvailable(ONE)).toBe(true);
    expect(lists.outcomes).toEqual([["resting", undefined]]);
  });

  it("is no error where nobody thought of what happens", async () => {
    const lists = scripted();
    const surprise = new TypeError("A surprise");
    lists.answer = () => {
      throw surprise;
    };
    expect(await lists.make(ONE, () => {})).toBeUndefined();
    expect(lists.outcomes).toEqual([["error", expect.objectContaining({ cause: surprise })]]);
    expect(lists.isAvailable(OTHER)).toBe(false);
  });
});
