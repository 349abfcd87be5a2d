import { describe, expect, it } from "vitest";
import { MISS } from "../../src/core/cache-status.ts";
import type { RequestRecord } from "../../src/core/telemetry.ts";
import { telemetry, type Told } from "../../workers/telemetry.ts";
import { answer, keptDataset, NOW, passed, record, type Point } from "./records.ts";

function told(): Told & { readonly points: readonly Point[] } {
  const { dataset, points } = keptDataset();
  return { ...telemetry({ sizes: () => [], dataset, isolate: () => "one" }), points };
}

/** The value of a series as Prometheus reads it. */
async function scraped({ scrape }: Told, series: string): Promise<number | undefined> {
  const { text } = await scrape(NOW);
  const line = text.split("\n").find((each) => each.startsWith(`${series} `));
  return line === undefined ? undefined : Number(line.slice(series.length));
}

describe("telemetry()", () => {
  it("does tell once a second, however many requests there were", () => {
    const { port, points } = told();
    const hit = record();
    port.request(hit, NOW); // the first is told at once: nothing was told before
    expect(points).toHaveLength(1);
    for (let index = 0; index < 5000; index++) port.request(hit, NOW + 999);
    expect(points).toHaveLength(1);
    port.request(hit, NOW + 1000);
    expect(points.map(({ doubles }) => doubles[0])).toEqual([1, 5001]);
  });

  it("does tell early where there are many kinds, so that what waits is bounded", () => {
    const { port, points } = told();
    port.request(record(), NOW);
    const before = points.length;
    for (let index = 0; index < 199; index++) port.request(record({ host: `${index}.test` }), NOW);
    expect(points).toHaveLength(before);
    port.request(record({ host: "last.test" }), NOW);
    expect(points).toHaveLength(before + 200);
  });

  it("does tell Prometheus, Analytics Engine and who looks inside the same", async () => {
    const all = told();
    const { port, points, look } = all;
    const hit = record({ hotBytes: 100 });
    const miss = record({ grant: MISS, revision: MISS, body: MISS });
    port.request(miss, NOW);
    for (let index = 0; index < 9; index++) port.request(hit, NOW + index);
    port.request(passed({ status: 503 }), NOW + 10);
    port.bytes("git.test", "origin", 100);
    port.origin(answer());
    port.origin(answer({ ms: 40, path: "/slow" }));

    const seen = look(NOW + 20);
    expect(seen.lanes.raw).toEqual({ requests: 10, refused: 0, failed: 0, asked: 2 });
    expect(seen.caches.body).toMatchObject({ memory: 9, miss: 1 });
    expect(seen.bytes).toEqual({ cache: 900, origin: 100 });
    expect(seen.lanes.pass.failed).toBe(1);

    expect(await scraped(all, 'forgefront_requests_total{lane="raw",status="200"}')).toBe(10);
    expect(await scraped(all, 'forgefront_requests_total{lane="pass",status="503"}')).toBe(1);
    expect(await scraped(all, 'forgefront_cache_lookups_total{cache="body",outcome="memory"}')).toBe(9);
    expect(await scraped(all, 'forgefront_cache_lookups_total{cache="body",outcome="miss"}')).toBe(1);
    expect(await scraped(all, 'forgefront_body_bytes_total{source="cache"}')).toBe(900);
    expect(await scraped(all, 'forgefront_body_bytes_total{source="origin"}')).toBe(100);
    expect(await scraped(all, 'forgefront_origin_requests_total{lane="raw",status="200"}')).toBe(2);

    const total = (kind: string, lane: string) =>
      points
        .filter(({ blobs }) => blobs[0] === kind && blobs[2] === lane)
        .reduce((sum, { doubles }) => sum + (doubles[0] ?? 0), 0);
    expect({
      raw: total("request", "raw"),
      pass: total("request", "pass"),
      asked: total("origin", "raw"),
      bytes: total("bytes", ""),
    }).toEqual({ raw: 10, pass: 1, asked: 2, bytes: 1000 });
  });

  it.each([
    [200, undefined],
    [404, undefined],
    [499, undefined],
    [500, "origin 500 to HEAD"],
    [503, "origin 503 to HEAD"],
    ["timeout", "origin timeout to HEAD"],
    ["unreachable", "origin unreachable to HEAD"],
  ] as const)("does take the origin's answer %s for the trouble %j", (status, problem) => {
    const { port, look, points } = told();
    port.origin(answer({ status, method: "HEAD" }));
    const { troubles } = look(NOW);
    expect(troubles).toEqual(
      problem === undefined
        ? []
        : [{ host: "git.test", lane: "raw", problem, path: "/a", at: NOW, times: 1 }],
    );
    expect(points.filter(({ blobs }) => blobs[0] === "trouble")).toHaveLength(troubles.length);
  });

  it("does tell of trouble with what was passed through without its path", () => {
    const { port, look } = told();
    const { path: _path, ...pass } = answer({ lane: "pass", status: 503 });
    port.origin(pass);
    const [trouble] = look(NOW).troubles;
    expect(trouble).not.toHaveProperty("path");
  });

  it("does count records by what they are, not by how they are made", async () => {
    const all = told();
    const records: RequestRecord[] = [record(), record(), record({ status: 206 })];
    for (const each of records) all.port.request(each, NOW);
    expect(await scraped(all, 'forgefront_requests_total{lane="raw",status="200"}')).toBe(2);
    expect(all.look(NOW).lanes.raw.requests).toBe(3);
  });
});
