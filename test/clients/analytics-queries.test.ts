import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { COLLAPSED, MISS, STALE, UNUSED } from "../../src/core/cache-status.ts";
import type { OriginAnswer, RequestRecord } from "../../src/core/telemetry.ts";
import { telemetry } from "../../workers/telemetry.ts";
import { describeWith } from "../servers/presence.ts";
import { keptDataset, type Point } from "../workers/records.ts";
import { pythonEnvironment, pythonLacks } from "./python.ts";

const LACKS = await pythonLacks();
const PAGE = join(import.meta.dirname, "../../docs/analytics.md");
const QUERIES_PY = join(import.meta.dirname, "analytics_queries.py");

const MINUTE_MS = 60_000;

/** A row of a dataset, as Analytics Engine keeps a data point. */
type Row = Readonly<Record<string, string | number>>;
type Answer = readonly Row[];

/** What is written, at a time, and for how many points each of it stands. */
type Written = {
  readonly at: number;
  readonly sampled?: number;
  readonly act: (told: Told, at: number) => void;
};
type Told = ReturnType<typeof telemetry>["port"];

/** The rows that the Worker's own telemetry makes of what happens. */
function rowsOf(all: readonly Written[]): Row[] {
  return all.flatMap(({ at, sampled = 1, act }) => {
    const { dataset, points } = keptDataset();
    const { port, look } = telemetry({ sizes: () => [], dataset, isolate: () => "one" });
    act(port, at);
    look(at);
    return points.map((point) => rowOf(point, at, sampled));
  });
}

function rowOf({ indexes, blobs, doubles }: Point, at: number, sampled: number): Row {
  return {
    dataset: "forgefront",
    timestamp: Math.floor(at / 1000),
    _sample_interval: sampled,
    index1: indexes[0],
    ...Object.fromEntries(blobs.map((blob, index) => [`blob${index + 1}`, blob])),
    ...Object.fromEntries(doubles.map((double, index) => [`double${index + 1}`, double])),
  };
}

/** The queries of the page by the heading that they stand under, in their order. */
function queriesOf(page: string): ReadonlyMap<string, readonly string[]> {
  const sections = page.split(/^## /m).slice(1);
  return new Map(
    sections.map((section) => [
      section.slice(0, section.indexOf("\n")),
      Array.from(section.matchAll(/^```sql\n(.*?)^```$/gms), ([, text = ""]) => text),
    ]),
  );
}

async function run(rows: readonly Row[], queries: readonly string[]): Promise<Answer[]> {
  const env = await pythonEnvironment();
  return await new Promise((resolve, reject) => {
    const child = execFile("python3", [QUERIES_PY], { env, timeout: 60_000 }, (error, stdout, stderr) => {
      if (error === null) resolve(JSON.parse(stdout) as Answer[]);
      else reject(new Error(stderr, { cause: error }));
    });
    child.stdin?.end(JSON.stringify({ rows, queries }));
  });
}

const hit = (tier: "memory" | "colo" | "kv") => ({ kind: "hit", tier, ttl: undefined }) as const;
const HIT: RequestRecord = {
  host: "git.test",
  lane: "raw",
  status: 200,
  grant: hit("memory"),
  revision: hit("memory"),
  body: hit("memory"),
  hotBytes: 1000,
};
const MISSED: RequestRecord = { ...HIT, grant: MISS, revision: MISS, body: MISS, hotBytes: 0 };
const PASSED: RequestRecord = {
  ...HIT,
  lane: "pass",
  grant: UNUSED,
  revision: UNUSED,
  body: UNUSED,
  hotBytes: 0,
};
const ANSWER: Omit<OriginAnswer, "at"> = {
  host: "git.test",
  lane: "raw",
  method: "GET",
  path: "/a",
  status: 200,
  ms: 10,
};
const { path: _path, ...PASSED_ANSWER } = ANSWER;

/** What the page says, and one more for each other column that a query is said to be good for. */
const page = await readFile(PAGE, "utf8");
const queries = queriesOf(page);

function query(heading: string, index = 0): string {
  const found = queries.get(heading)?.[index];
  if (found === undefined) throw new Error(`The page has no such query: ${heading}`);
  return found;
}

const HITS = query("Hits by cache and tier");
const ALL = [
  HITS,
  HITS.replaceAll("blob4", "blob5"),
  HITS.replaceAll("blob4", "blob6"),
  query("Questions that the origin was spared"),
  query("Requests and questions over time"),
  query("Bytes from the cache and from the origin"),
  query("Requests by lane and status over time"),
  query("Slowest answers of the origin"),
  query("Slowest answers of the origin", 1),
  query("Recent errors"),
] as const;

describe("the queries of the page", () => {
  /** What the SQL reference of Analytics Engine has and ClickHouse has as well. */
  const FUNCTIONS = ["argMax", "if", "max", "NOW", "SUM", "sumIf", "toStartOfInterval"];

  it("are all run here", () => {
    const run_ = new Set<string>(ALL);
    for (const each of [...queries.values()].flat()) expect(run_).toContain(each);
  });

  it("use nothing that Analytics Engine's dialect has not", () => {
    for (const each of ALL) {
      const called = Array.from(each.matchAll(/\b(\w+)\(/g), ([, name = ""]) => name);
      expect(FUNCTIONS).toEqual(expect.arrayContaining(called));
      expect(each).not.toMatch(/\b(?:JOIN|UNION|WITH|OVER|CASE|DISTINCT)\b/i);
      expect(each).toMatch(/^FROM (?:forgefront|\()$/m);
    }
  });

  it("weigh every sum by how much a point stands for", () => {
    for (const each of ALL)
      for (const [, summed = ""] of each.matchAll(/\bsum(?:If)?\(([^,)]*)/gi))
        expect(summed).toMatch(/^_sample_interval \* double\d$/);
  });
});

describeWith("ClickHouse", LACKS)("in ClickHouse", () => {
  const now = Math.floor(Date.now() / (5 * MINUTE_MS)) * 5 * MINUTE_MS - 10 * MINUTE_MS;
  const then = now - 5 * MINUTE_MS;
  /** Longer ago than any query looks. */
  const long = now - 26 * 60 * MINUTE_MS;

  const traffic = (told: Told, at: number): void => {
    for (let times = 0; times < 90; times++) told.request(HIT, at);
    for (let times = 0; times < 4; times++)
      told.request({ ...HIT, grant: hit("colo"), revision: hit("kv"), body: hit("colo"), hotBytes: 0 }, at);
    for (let times = 0; times < 2; times++)
      told.request({ ...MISSED, grant: COLLAPSED, revision: STALE }, at);
    for (let times = 0; times < 3; times++) told.request(MISSED, at);
    told.request({ ...MISSED, status: 502 }, at);
    for (let times = 0; times < 50; times++) told.request(PASSED, at);
    told.request({ ...HIT, host: "s3.test", lane: "object", status: 206, hotBytes: 0 }, at);
    told.bytes("git.test", "cache", 400);
    told.bytes("git.test", "origin", 3600);
    told.bytes("s3.test", "cache", 7);
    told.origin({ ...ANSWER, ms: 10, at });
    told.origin({ ...ANSWER, ms: 50, path: "/slow", at });
    told.origin({ ...ANSWER, ms: 15_000, method: "HEAD", status: "timeout", path: "/never", at });
    for (let times = 0; times < 50; times++) told.origin({ ...PASSED_ANSWER, lane: "pass", ms: 2, at });
    told.trouble({ host: "git.test", lane: "raw", problem: "origin_truncated", path: "app: main/b", at });
    told.trouble({ problem: "kv failed", at });
  };
  const later = (told: Told, at: number): void => {
    for (let times = 0; times < 10; times++) told.request(HIT, at);
    told.trouble({ host: "git.test", lane: "raw", problem: "origin_truncated", path: "app: main/c", at });
  };

  const WRITTEN: readonly Written[] = [
    { at: then, act: traffic },
    { at: now, act: later },
    { at: long, act: traffic },
  ];
  const time = (at: number) => new Date(at).toISOString().slice(0, 19).replace("T", " ");

  /** What all of it comes to; with `weight`, each point stands for so many. */
  const expected = (weight: number): readonly Answer[] => {
    const hits = (counts: Record<"memory" | "colo" | "kv" | "waited" | "asked", number>) => [
      {
        host: "git.test",
        lookups: 110 * weight,
        hits: (counts.memory + counts.colo + counts.kv) / 110,
        from_memory: counts.memory / 110,
        from_colo: counts.colo / 110,
        from_kv: counts.kv / 110,
        waited: counts.waited / 110,
        asked_origin: counts.asked / 110,
      },
      {
        host: "s3.test",
        lookups: weight,
        hits: 1,
        from_memory: 1,
        from_colo: 0,
        from_kv: 0,
        waited: 0,
        asked_origin: 0,
      },
    ];
    const asked = { host: "git.test", timestamp: time(then) };
    return [
      hits({ memory: 100, colo: 4, kv: 0, waited: 2, asked: 4 }),
      hits({ memory: 100, colo: 0, kv: 4, waited: 0, asked: 6 }),
      hits({ memory: 100, colo: 4, kv: 0, waited: 0, asked: 6 }),
      [
        { host: "git.test", requests: 110 * weight, asked: 3 * weight, saved: 107 / 110 },
        { host: "s3.test", requests: weight, asked: 0, saved: 1 },
      ],
      [
        { minute: time(then), requests: 101 * weight, asked: 3 * weight },
        { minute: time(now), requests: 10 * weight, asked: 0 },
      ],
      [
        {
          host: "git.test",
          from_cache: 100_400 * weight,
          from_origin: 3600 * weight,
          cached: 100_400 / 104_000,
        },
        { host: "s3.test", from_cache: 7 * weight, from_origin: 0, cached: 1 },
      ],
      [
        { time: time(then), lane: "object", status: "206", requests: weight },
        { time: time(then), lane: "pass", status: "200", requests: 50 * weight },
        { time: time(then), lane: "raw", status: "200", requests: 99 * weight },
        { time: time(then), lane: "raw", status: "502", requests: weight },
        { time: time(now), lane: "raw", status: "200", requests: 10 * weight },
      ],
      [
        { ...asked, ms: 15_000, status: "timeout", lane: "raw", method: "HEAD", path: "/never" },
        { ...asked, ms: 50, status: "200", lane: "raw", method: "GET", path: "/slow" },
        { ...asked, ms: 2, status: "200", lane: "pass", method: "GET", path: "" },
      ],
      [
        {
          host: "git.test",
          lane: "raw",
          answers: 3 * weight,
          mean_ms: 15_060 / 3,
          slowest_ms: 15_000,
          slowest_path: "/never",
        },
        { host: "git.test", lane: "pass", answers: 50 * weight, mean_ms: 2, slowest_ms: 2, slowest_path: "" },
      ],
      [
        {
          problem: "origin_truncated",
          times: 2 * weight,
          host: "git.test",
          lane: "raw",
          about: "app: main/c",
          last: time(now),
        },
        // The origin's client tells of it as a trouble, too; both were at one time, and are in no order.
        {
          problem: "kv failed",
          times: weight,
          host: "",
          lane: "",
          about: "",
          last: time(then),
        },
        {
          problem: "origin timeout to HEAD",
          times: weight,
          host: "git.test",
          lane: "raw",
          about: "/never",
          last: time(then),
        },
      ],
    ];
  };

  it.each([1, 10])("give what was written, where each point stands for %i", async (weight) => {
    const answers = await run(rowsOf(WRITTEN.map((each) => ({ ...each, sampled: weight }))), ALL);
    const wanted = expected(weight);
    expect(answers).toHaveLength(wanted.length);
    for (const [index, answer] of answers.entries()) {
      const rows = wanted[index] ?? [];
      const inOrder = index === ALL.length - 1 ? byProblem(answer) : answer;
      expect(inOrder).toEqual(rows.map(closely));
    }
  });

  it("give nothing of nothing, and fail at none", async () => {
    const answers = await run(rowsOf([{ at: long, act: traffic }]), ALL);
    expect(answers).toEqual(ALL.map(() => []));
  });

  it("are refused where a column is not there, so that they are really run", async () => {
    await expect(run(rowsOf(WRITTEN), [HITS.replaceAll("blob4", "blob21")])).rejects.toThrow(/blob21/);
  });
});

/** A row whose shares need not be equal to the last digit. */
function closely(row: Row): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "number" ? (expect.closeTo(value, 9) as unknown) : value,
    ]),
  );
}

/** Those of one time by their names. */
function byProblem(answer: Answer): Answer {
  const key = ({ last = "", problem = "" }: Row) => `${last} ${problem}`;
  return answer.toSorted((one, other) =>
    one["last"] === other["last"]
      ? key(one).localeCompare(key(other))
      : String(other["last"]).localeCompare(String(one["last"])),
  );
}
