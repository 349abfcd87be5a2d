import { describe, expect, test } from "vitest";
import { billOf, excessOf, largestFirstRead } from "../../scripts/costs/bill.ts";
import { COUNTED } from "../../scripts/costs/counts.ts";
import { readFigures, SITUATIONS, type Figures } from "../../scripts/costs/figures.ts";
import { LANES } from "../../scripts/costs/lanes.ts";
import { eventsOf, usageOf, type Usage, type Workload } from "../../scripts/costs/model.ts";
import { readRequest, UsageError } from "../../scripts/costs/options.ts";
import { withTables } from "../../scripts/costs/page.ts";
import { reportOf } from "../../scripts/costs/report.ts";
import { figuresTable, largestSentence, teamsTable } from "../../scripts/costs/tables.ts";

const NOTHING: Usage = {
  requests: 0,
  cpuMs: 0,
  kvReads: 0,
  kvWrites: 0,
  kvDeletes: 0,
  kvLists: 0,
  dataPoints: 0,
};

function workloadOf(args: string): Workload {
  const request = readRequest(args.split(" ").filter((word) => word !== ""));
  if (request.kind !== "estimate") throw new Error(`${args} asks for no estimate`);
  return request.workload;
}

describe("billOf()", () => {
  test("costs the plan alone where a month takes what is included", () => {
    const usage = { ...NOTHING, requests: 10e6, cpuMs: 30e6, kvReads: 10e6, kvWrites: 1e6, dataPoints: 10e6 };
    expect(billOf(usage).total).toBe(5);
  });

  test.each([
    { name: "requests", taken: 11e6, dollars: 0.3 },
    { name: "cpuMs", taken: 130e6, dollars: 2 },
    { name: "kvReads", taken: 12e6, dollars: 1 },
    { name: "kvWrites", taken: 3e6, dollars: 10 },
    { name: "kvDeletes", taken: 2e6, dollars: 5 },
    { name: "kvLists", taken: 2e6, dollars: 5 },
    { name: "dataPoints", taken: 14e6, dollars: 1 },
  ] as const)("costs $dollars dollars more for $taken $name", ({ name, taken, dollars }) => {
    const { lines, total } = billOf({ ...NOTHING, [name]: taken });
    expect(lines[name]).toBeCloseTo(dollars, 9);
    expect(total).toBeCloseTo(5 + dollars, 9);
  });
});

describe("excessOf()", () => {
  test("names what an average day takes above the free plan, and nothing else", () => {
    const usage = { ...NOTHING, requests: 3e6, kvWrites: 30_030, kvReads: 4e6 };
    expect(excessOf(usage)).toEqual([
      { name: "kvReads", daily: 4e6 / 30, allowed: 100_000 },
      { name: "kvWrites", daily: 1001, allowed: 1000 },
    ]);
  });
});

describe("largestFirstRead()", () => {
  test("is what so many subrequests read in blocks", () => {
    const first = { fetches: 1, cacheMatches: 28, cachePuts: 27 };
    const large = { bytes: 56 * 1024, first } as unknown as Figures["large"];
    expect(largestFirstRead({ large } as Figures, "free")).toBe(50 * 1024);
  });
});

describe("eventsOf()", () => {
  const steady = "--requests 1M --hours 100 --hit 1 --denied 0 --isolates 1";

  test("has a renewal for each read at most", () => {
    const { renewed, returned, first, denied, passed } = eventsOf(
      workloadOf("--requests 1M --passed 0.25 --denied 0.15 --hit 0.8 --askers 1000 --projects 1000"),
    );
    expect([first, denied, passed]).toEqual([expect.closeTo(120_000), expect.closeTo(150_000), 250_000]);
    expect(renewed + returned).toBeLessThanOrEqual(600_000);
    expect(renewed + returned).toBeGreaterThan(595_000);
  });

  test("renews a grant once in 22.5 s for a pair that asks all the time", () => {
    const { renewed, returned } = eventsOf(workloadOf(`${steady} --requests 1G --askers 1 --projects 1`));
    expect(renewed).toBeCloseTo((100 * 3600) / 22.5, -1);
    expect(returned).toBeCloseTo(0, 3);
  });

  test("asks the origin for every request of pairs that come once in an hour", () => {
    const { returned } = eventsOf(workloadOf(`${steady} --requests 10k --askers 100 --projects 1`));
    expect(returned / 1e4).toBeGreaterThan(0.98);
  });

  test("asks for a list again once in 5 s, however many ask", () => {
    const lists = `${steady} --lane pipelines --requests 1G --projects 2`;
    const seldom = eventsOf(workloadOf(`${lists} --askers 10`)).relisted;
    expect(seldom).toBeCloseTo((2 * 100 * 3600) / 5, -2);
    expect(eventsOf(workloadOf(`${lists} --askers 1000`)).relisted).toBe(seldom);
    expect(eventsOf(workloadOf(`${steady} --lane raw`)).relisted).toBe(0);
  });
});

describe("usageOf()", () => {
  test("takes for each event what was measured, and for all others what a hit takes", async () => {
    const figures = await readFigures();
    const workload = workloadOf(
      "--requests 1M --passed 0.25 --denied 0.15 --hit 0.8 --askers 3 --deliveries 1k",
    );
    const { hot, first, renewed, returned, denied } = figures.lanes.raw;
    const events = eventsOf(workload);
    const beyond = events.first + events.renewed + events.returned;
    expect(usageOf(workload, figures).cpuMs).toBeCloseTo(
      (600_000 - beyond) * hot.cpuMs +
        events.first * first.cpuMs +
        events.renewed * renewed.cpuMs +
        events.returned * returned.cpuMs +
        150_000 * denied.cpuMs +
        250_000 * figures.passed.cpuMs +
        1000 * figures.delivery.cpuMs,
      3,
    );
  });

  test("adds looks for what was told, but for objects", async () => {
    const figures = await readFigures();
    const reads = (args: string) => usageOf(workloadOf(args), figures).kvReads;
    const hot = "--requests 100M --hours 100 --isolates 1 --askers 1 --projects 10";
    const looks = (10 * figures.look.perProject + figures.look.perSite) * ((100 * 3600) / 30);
    expect(reads(`${hot} --watched`) - reads(hot)).toBeCloseTo(looks, -3);
    expect(reads(`${hot} --lane object --watched`)).toBe(reads(`${hot} --lane object`));
  });

  test("writes no more data points than there are requests, nor more than isolates can in their seconds", async () => {
    const figures = await readFigures();
    const points = (args: string) => usageOf(workloadOf(args), figures).dataPoints;
    expect(points("--requests 1000 --hours 100")).toBe(1000);
    expect(points("--requests 1G --hours 100 --isolates 2")).toBe(figures.dataPointsPerS * 2 * 100 * 3600);
  });
});

describe("readRequest()", () => {
  test("reads numbers with their units", () => {
    expect(workloadOf("--requests 2.5M --deliveries 5k --hit 0.5")).toMatchObject({
      requests: 2_500_000,
      deliveries: 5000,
      isWatched: true,
      hit: 0.5,
    });
    expect(workloadOf("")).toMatchObject({ lane: "raw", isWatched: false });
  });

  test.each([
    "--lane x",
    "--requests 1X",
    "--requests 0",
    "--hit 1.1",
    "--hit x",
    "--hours -1",
    "--other",
    "x",
  ])("does not understand %s", (args) => {
    expect(() => workloadOf(args)).toThrow(UsageError);
  });

  test("knows what is no estimate", () => {
    expect(readRequest(["--help"])).toEqual({ kind: "help" });
    expect(readRequest(["--measure"])).toEqual({ kind: "measure" });
  });
});

describe("figures.json", () => {
  test("has every count of every situation of every lane, and one request for each", async () => {
    const { lanes } = await readFigures();
    for (const lane of LANES) {
      for (const situation of SITUATIONS) {
        const figure = lanes[lane][situation];
        expect(Object.keys(figure)).toEqual(expect.arrayContaining([...COUNTED, "cpuMs", "events"]));
        expect([lane, situation, figure.requests]).toEqual([lane, situation, 1]);
      }
    }
  });

  test("has no use of KV for what is hot, nor a write for what is denied or passes through", async () => {
    const { lanes, passed, clone } = await readFigures();
    for (const { hot, denied } of Object.values(lanes)) {
      expect([hot.kvReads, hot.kvWrites, hot.fetches, denied.kvWrites]).toEqual([0, 0, 0, 0]);
    }
    for (const { kvReads, kvWrites } of [passed, clone]) expect([kvReads, kvWrites]).toEqual([0, 0]);
  });
});

describe("withTables()", () => {
  test("puts what the figures say in the place of what a page said, and nothing else", async () => {
    const figures = await readFigures();
    const old = "| a request | CPU |\n| --- | --- |\n| raw | 1 |\n";
    const teams = "| a month of   | bill |\n| ------ | --- |\n| few | $1 |\n";
    const largest = "about 1 MiB on Workers Free, 2 GiB on Workers Paid";
    const other = "| a promise | held by |\n| --- | --- |\n| 1 | 2 |\n";
    const page = `# Page\n\n${old}\nMore\n\n${other}\n${teams}\n${largest}.\n`;
    expect(withTables(page, figures)).toBe(
      `# Page\n\n${figuresTable(figures)}\n\nMore\n\n${other}\n${teamsTable(figures)}\n\n${largestSentence(figures)}.\n`,
    );
    for (const missing of [old, teams, largest]) {
      expect(() => withTables(page.replace(missing, ""), figures)).toThrow("The page");
    }
  });
});

describe("reportOf()", () => {
  test("ends its table with the plan and the sum", async () => {
    const report = reportOf(workloadOf("--requests 100M"), await readFigures());
    const dollars = [...report.matchAll(/(\d+\.\d\d)$/gm)].map(([, amount]) => Number(amount));
    const sum = dollars.slice(0, -1).reduce((total, line) => total + line, 0);
    expect(dollars.at(-1)).toBeCloseTo(sum, 1);
    expect(report).toContain("Workers Paid");
  });
});
