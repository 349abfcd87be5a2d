import { describe, expect, it } from "vitest";
import { COLLAPSED, MISS, STALE } from "../../src/core/cache-status.ts";
import { analytics } from "../../workers/analytics.ts";
import { answer, keptDataset, NOW, passed, record, type Point } from "./records.ts";

/** The points that are written of what happens. */
function written(act: (told: ReturnType<typeof analytics>) => void): readonly Point[] {
  const { dataset, points } = keptDataset();
  const told = analytics(dataset);
  act(told);
  told.write();
  return points;
}

describe("analytics()", () => {
  it("does write no more of a host or a path than a data point may hold", () => {
    const host = `${"h".repeat(100)}.test`;
    const points = written((told) =>
      told.trouble({ host, lane: "raw", problem: "p", path: "x".repeat(20_000), at: NOW }),
    );
    expect(points.map(({ indexes, blobs }) => [indexes[0], ...blobs].map((text) => text.length))).toEqual([
      [96, 7, 105, 3, 1, 1000],
    ]);
  });

  it("does not write again what the dataset would not take", () => {
    const writes: unknown[] = [];
    const told = analytics({
      writeDataPoint(point) {
        writes.push(point);
        throw new TypeError("Refused");
      },
    });
    told.request(record(), 1);
    expect(() => told.write()).toThrow("Refused");
    told.write();
    expect(writes.length).toBe(1);
  });

  it("does write requests that went alike as one point", () => {
    const points = written((told) => {
      told.request(record(), 7);
      told.request(record({ grant: COLLAPSED, revision: STALE, body: MISS }), 1);
      told.request(record(), 3);
      told.request(passed({ status: 502 }), 2);
    });
    expect(points).toEqual([
      {
        indexes: ["git.test"],
        blobs: ["request", "git.test", "raw", "memory", "memory", "memory", "200"],
        doubles: [10, 200],
      },
      {
        indexes: ["git.test"],
        blobs: ["request", "git.test", "raw", "collapsed", "stale", "miss", "200"],
        doubles: [1, 200],
      },
      {
        indexes: ["git.test"],
        blobs: ["request", "git.test", "pass", "", "", "", "502"],
        doubles: [2, 502],
      },
    ]);
  });

  it("does write the bytes of hits in memory with the other bytes of caches", () => {
    const points = written((told) => {
      told.request(record({ hotBytes: 100 }), 7);
      told.bytes("git.test", "cache", 11);
      told.bytes("git.test", "origin", 5);
      told.bytes("s3.test", "origin", 6);
    });
    expect(points.slice(1)).toEqual([
      { indexes: ["git.test"], blobs: ["bytes", "git.test", "", "cache"], doubles: [711] },
      { indexes: ["git.test"], blobs: ["bytes", "git.test", "", "origin"], doubles: [5] },
      { indexes: ["s3.test"], blobs: ["bytes", "s3.test", "", "origin"], doubles: [6] },
    ]);
  });

  it("does write the answers of the origin by status, with the slowest of them", () => {
    const points = written((told) => {
      told.origin(answer({ ms: 10, path: "/quick" }));
      told.origin(answer({ ms: 90, path: "/slow", method: "HEAD" }));
      told.origin(answer({ ms: 20, path: "/last" }));
      told.origin(answer({ ms: 15_000, status: "timeout", path: "/never" }));
      const { path: _path, ...pass } = answer({ lane: "pass", ms: 4 });
      told.origin(pass);
    });
    expect(points).toEqual([
      {
        indexes: ["git.test"],
        blobs: ["origin", "git.test", "raw", "200", "HEAD", "/slow"],
        doubles: [3, 120, 90],
      },
      {
        indexes: ["git.test"],
        blobs: ["origin", "git.test", "raw", "timeout", "GET", "/never"],
        doubles: [1, 15_000, 15_000],
      },
      { indexes: ["git.test"], blobs: ["origin", "git.test", "pass", "200", "GET", ""], doubles: [1, 4, 4] },
    ]);
  });

  it("does name an answer that took no time", () => {
    const [point] = written((told) => told.origin(answer({ ms: 0 })));
    expect(point?.blobs).toEqual(["origin", "git.test", "raw", "200", "GET", "/a"]);
  });

  it("does write troubles with what the last was about", () => {
    const points = written((told) => {
      told.trouble({ host: "git.test", lane: "raw", problem: "origin 503 to GET", path: "/a", at: NOW });
      told.trouble({ host: "git.test", lane: "raw", problem: "origin 503 to GET", path: "/b", at: NOW });
      told.trouble({ problem: "kv failed", at: NOW });
    });
    expect(points).toEqual([
      {
        indexes: ["git.test"],
        blobs: ["trouble", "git.test", "raw", "origin 503 to GET", "/b"],
        doubles: [2],
      },
      { indexes: [""], blobs: ["trouble", "", "", "kv failed", ""], doubles: [1] },
    ]);
  });

  it("does write nothing twice", () => {
    const { dataset, points } = keptDataset();
    const told = analytics(dataset);
    told.request(record(), 1);
    told.write();
    told.write();
    expect(points).toHaveLength(1);
    told.request(record(), 5);
    told.write();
    expect(points.map(({ doubles }) => doubles)).toEqual([
      [1, 200],
      [5, 200],
    ]);
  });

  it("does tell 200 kinds apart in a moment, goes on counting those, and leaves the others out", () => {
    const { dataset, points } = keptDataset();
    const told = analytics(dataset);
    const host = (index: number) => `${index}.test`;
    for (let index = 0; index < 300; index++) told.bytes(host(index), "cache", 1);
    for (let index = 0; index < 300; index++) told.bytes(host(index), "cache", 1);
    told.write();
    expect(points).toHaveLength(200);
    expect(points.every(({ doubles }) => doubles[0] === 2)).toBe(true);
    told.bytes(host(299), "cache", 1);
    told.write();
    expect(points.at(-1)?.indexes).toEqual([host(299)]);
  });

  it("does nothing without a dataset", () => {
    const told = analytics(undefined);
    told.request(record({ hotBytes: 5 }), 1);
    told.origin(answer());
    told.bytes("git.test", "cache", 1);
    told.trouble({ problem: "internal", at: NOW });
    expect(() => told.write()).not.toThrow();
  });
});
