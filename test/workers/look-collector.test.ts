import { describe, expect, it } from "vitest";
import { COLLAPSED, MISS } from "../../src/core/cache-status.ts";
import { NO_COUNTS } from "../../src/core/look/counts.ts";
import { SLOT_MS } from "../../src/core/look/isolate-look.ts";
import { lookCollector, type LookCollector } from "../../workers/look-collector.ts";
import { answer, NOW, passed, record } from "./records.ts";

const SIZES = [
  { cache: "grant", entries: 3 },
  { cache: "revision", entries: 4 },
  { cache: "body", entries: 5, bytes: 600 },
] as const;

function collector(): LookCollector {
  return lookCollector(
    () => SIZES,
    () => "one",
  );
}

describe("lookCollector()", () => {
  it("does keep no more than the beginning of a long path", () => {
    const seen = collector();
    const path = `/${"x".repeat(16_000)}`;
    seen.origin(answer({ path }));
    seen.trouble({ problem: "internal", at: NOW, path });
    const { slowest, troubles } = seen.look(NOW);
    for (const event of [...slowest, ...troubles]) expect(event.path).toBe(`${path.slice(0, 300)}\u2026`);
    expect([slowest.length, troubles.length]).toEqual([1, 1]);
  });

  it("does ask for a name and a time with the first event, and only then", () => {
    let asked = 0;
    const name = () => `isolate ${++asked}`;
    const seen = lookCollector(() => [], name);
    expect(asked).toBe(0);
    seen.bytes("cache", 1); // in a request that was counted before, or will be
    expect(asked).toBe(0);
    seen.request(record(), 1, NOW);
    seen.origin(answer({ at: NOW + 5 }));
    seen.trouble({ problem: "internal", at: NOW + 6 });
    expect(seen.look(NOW + 10)).toMatchObject({ isolate: "isolate 1", since: NOW, at: NOW + 10 });
    expect(asked).toBe(1);
  });

  it("does begin with a look, where nothing came before", () => {
    expect(collector().look(NOW)).toEqual({
      ...NO_COUNTS,
      held: {
        grant: { entries: 3, bytes: 0 },
        revision: { entries: 4, bytes: 0 },
        body: { entries: 5, bytes: 600 },
      },
      isolate: "one",
      since: NOW,
      at: NOW,
    });
  });

  it("does count requests by lane, and what their caches did", () => {
    const seen = collector();
    seen.request(record({ hotBytes: 100 }), 9, NOW);
    seen.request(record({ grant: COLLAPSED, revision: MISS, body: MISS }), 1, NOW);
    seen.request(record({ lane: "object", status: 404 }), 2, NOW);
    seen.request(record({ lane: "object", status: 503 }), 3, NOW);
    seen.request(passed({ status: 499 }), 1, NOW);
    seen.request(passed({ status: 500 }), 1, NOW);
    const { lanes, caches, bytes } = seen.look(NOW);
    const none = { refused: 0, failed: 0, asked: 0 };
    expect(lanes).toEqual({
      ...NO_COUNTS.lanes,
      raw: { ...none, requests: 10 },
      object: { requests: 5, refused: 2, failed: 3, asked: 0 },
      pass: { requests: 2, refused: 1, failed: 1, asked: 0 },
    });
    expect(caches).toEqual({
      grant: { ...NO_COUNTS.caches.grant, memory: 14, collapsed: 1 },
      revision: { ...NO_COUNTS.caches.revision, memory: 14, miss: 1 },
      body: { ...NO_COUNTS.caches.body, memory: 14, miss: 1 },
    });
    expect(bytes).toEqual({ cache: 900, origin: 0 });
  });

  it("does count what the origin was asked, and remember what was slow", () => {
    const seen = collector();
    seen.origin(answer({ ms: 5 }));
    seen.origin(answer({ ms: 50, path: "/slow" }));
    seen.origin(answer({ lane: "pass", ms: 20 }));
    const { lanes, slowest } = seen.look(NOW);
    expect(lanes.raw).toEqual({ requests: 0, refused: 0, failed: 0, asked: 2 });
    expect(lanes.pass.asked).toBe(1);
    expect(slowest.map(({ ms }) => ms)).toEqual([50, 20, 5]);
  });

  it("does keep the pace of all lanes but what is passed through", () => {
    const seen = collector();
    const start = NOW - (NOW % SLOT_MS);
    seen.request(record(), 4, start);
    seen.origin(answer({ at: start + 1 }));
    seen.request(passed(), 100, start);
    seen.origin(answer({ lane: "pass", at: start + 1 }));
    seen.request(record({ lane: "pipelines" }), 1, start + SLOT_MS);
    expect(seen.look(NOW).pace).toEqual([
      { at: start, requests: 4, asked: 1 },
      { at: start + SLOT_MS, requests: 1, asked: 0 },
    ]);
  });

  it("does add bytes by where they came from", () => {
    const seen = collector();
    seen.bytes("cache", 5);
    seen.bytes("origin", 7);
    seen.bytes("origin", 1);
    expect(seen.look(NOW).bytes).toEqual({ cache: 5, origin: 8 });
  });

  it("does not change what was seen before", () => {
    const seen = collector();
    seen.request(record(), 1, NOW);
    const before = seen.look(NOW);
    const text = JSON.stringify(before);
    seen.request(record(), 1, NOW);
    seen.trouble({ problem: "internal", at: NOW });
    expect(JSON.stringify(before)).toBe(text);
    expect(lookCollector(() => [], String).look(NOW).lanes).toEqual(NO_COUNTS.lanes);
  });
});
