import { describe, expect, test } from "vitest";
import type { PipelinesTarget } from "../../src/core/target.ts";
import { type PipelinesAnswer, pipelinesDatabase } from "../../src/origin/pipelines-db.ts";
import type { PipelinesRow } from "../../src/origin/pipelines-sql.ts";
import { DatabaseFailure, type DatabaseFault, faultOf, type RunQuery } from "../../src/origin/postgres.ts";

const REST_MS = 5000;
const FOUND: PipelinesRow = {
  is_found: true,
  is_ambiguous: false,
  is_known: true,
  total: 1,
  rows: 1,
  body: "[{}]",
};

function list(query = ""): PipelinesTarget {
  return { lane: "pipelines", project: "1", resource: { kind: "list" }, query, scheme: "https:" };
}

/** A database that answers what it is told to, and counts how often it was asked. */
function scene() {
  const world: { ms: number; asked: number; answer: readonly object[] | DatabaseFault } = {
    ms: 0,
    asked: 0,
    answer: [FOUND],
  };
  const run: RunQuery = async () => {
    world.asked += 1;
    if (typeof world.answer === "string") throw new DatabaseFailure(world.answer, undefined);
    return world.answer;
  };
  const database = pipelinesDatabase({ run, restMs: REST_MS, now: () => world.ms });
  const reason = async (query?: string) =>
    outcome(await database.list(list(query), "https://git.example.com", () => {}));
  return { world, reason };
}

function outcome(answer: PipelinesAnswer): string {
  return answer.kind === "answer" ? "answer" : answer.reason;
}

describe("pipelinesDatabase()", () => {
  test.each<[string, readonly object[]]>([
    ["absent", [{ ...FOUND, is_found: false }]],
    ["ambiguous", [{ ...FOUND, is_ambiguous: true }]],
    ["schema", [{ ...FOUND, is_known: false }]],
    ["error", []],
  ])("has no answer that is %s, and does not rest for that", async (expected, answer) => {
    const { world, reason } = scene();
    world.answer = answer;
    expect([await reason(), await reason()]).toEqual([expected, expected]);
  });

  test.each(["timeout", "unreachable", "schema", "error"] as const)("rests after %s", async (fault) => {
    const { world, reason } = scene();
    world.answer = fault;
    expect(await reason()).toBe(fault);
    world.ms = REST_MS - 1;
    expect([await reason(), await reason("ref=other")]).toEqual(["resting", "resting"]);
    expect(world.asked).toBe(1);
    world.ms = REST_MS;
    expect([await reason(), await reason()]).toEqual([fault, "resting"]);
    world.ms = 2 * REST_MS;
    world.answer = [FOUND];
    expect([await reason(), await reason()]).toEqual(["answer", "answer"]);
  });

  test("lets one try when the rest is over, and the others wait for how that ends", async () => {
    const { world, reason } = scene();
    world.answer = "unreachable";
    await reason();
    world.ms = REST_MS;
    expect(await Promise.all([reason(), reason(), reason()])).toEqual(["unreachable", "resting", "resting"]);
    expect(world.asked).toBe(2);
  });

  test("leaves only that list alone which the database took too long for", async () => {
    const { world, reason } = scene();
    world.answer = "too_slow";
    expect([await reason("ref=slow"), await reason("ref=slow")]).toEqual(["timeout", "resting"]);
    world.answer = [FOUND];
    expect([await reason("ref=quick"), await reason("ref=slow")]).toEqual(["answer", "resting"]);
    world.ms = REST_MS;
    expect([await reason("ref=slow"), await reason("ref=slow")]).toEqual(["answer", "answer"]);
  });

  test("asks nothing for what the database cannot know", async () => {
    const { world, reason } = scene();
    expect(await reason("scope=tags")).toBe("unsupported");
    expect(world.asked).toBe(0);
  });

  test("hides no fault of its own", async () => {
    const run: RunQuery = async () => {
      throw new TypeError("a mistake");
    };
    const database = pipelinesDatabase({ run, restMs: REST_MS, now: () => 0 });
    await expect(database.list(list(), "https://git.example.com", () => {})).rejects.toThrow("a mistake");
  });
});

describe("faultOf()", () => {
  test.each<[DatabaseFault, object]>([
    ["too_slow", { code: "57014", message: "canceling statement due to statement timeout" }],
    ["timeout", { code: "CONNECT_TIMEOUT" }],
    ["unreachable", { code: "ECONNREFUSED" }],
    ["unreachable", { code: "CONNECTION_CLOSED" }],
    ["unreachable", { code: "57P03", message: "the database system is starting up" }],
    ["unreachable", { code: "53300", message: "too many connections" }],
    ["unreachable", new Error("connection attempt failed")],
    ["schema", { code: "42P01", message: 'relation "routes" does not exist' }],
    ["schema", { code: "42703" }],
    ["schema", { code: "42501", message: "permission denied for table users" }],
    ["error", { code: "28P01", message: "password authentication failed" }],
    ["error", { code: "22003" }],
    ["error", new Error("something else")],
  ])("is %s for %o", (fault, error) => {
    expect(faultOf(error)).toBe(fault);
  });
});
