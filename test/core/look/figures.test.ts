import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { summedLook, type Look } from "../../../src/core/look/colo-look.ts";
import { NO_COUNTS } from "../../../src/core/look/counts.ts";
import { figures } from "../../../src/core/look/figures.ts";
import { savedQuestions, tiles } from "../../../src/core/look/tiles.ts";
import { SLOT_MS } from "../../../src/core/look/isolate-look.ts";
import { slotOf } from "../../../src/core/look/of-late.ts";
import { anyIsolate, NOW } from "./arbitrary-looks.ts";

const SEEN_NOTHING: Look = { ...NO_COUNTS, isolates: 1, since: NOW };

/** The tiles by their names: what is large, and what stands below it. */
function tilesOf(look: Look): Readonly<Record<string, readonly [string, string]>> {
  const found = tiles(look, NOW).matchAll(
    /<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd><dd class="more">([^<]*)<\/dd>/g,
  );
  return Object.fromEntries(
    Array.from(found, ([, name = "", value = "", more = ""]) => [name, [value, more] as const]),
  );
}

/** The cells of a row that begins with a name, without what is drawn. */
function rowOf(html: string, name: string): readonly string[] {
  const row = html.split("<tr>").find((each) => each.startsWith(`<th scope="row">${name}<td`)) ?? "";
  return row
    .split(/<td[^>]*>/)
    .slice(1)
    .map((cell) =>
      cell
        .replace(/<\/tbody>.*/s, "")
        .replaceAll(/<[^>]*>/g, "")
        .trim(),
    );
}

describe("savedQuestions()", () => {
  const lanes = (requests: number, asked: number) => ({
    ...NO_COUNTS.lanes,
    raw: { requests, asked, refused: 0, failed: 0 },
  });

  it.each([
    [10, 1, 9],
    [10, 0, 10],
    [0, 0, 0],
    [3, 5, 0],
  ])("does say of %i requests with %i questions that %i were saved", (requests, asked, saved) => {
    expect(savedQuestions({ lanes: lanes(requests, asked) })).toEqual({ saved, of: requests });
  });

  it("does not count what is passed through", () => {
    const pass = { requests: 100, asked: 100, refused: 0, failed: 0 };
    expect(savedQuestions({ lanes: { ...lanes(10, 1), pass } })).toEqual({ saved: 9, of: 10 });
  });

  it("does never say less than none, or more than all", () => {
    fc.assert(
      fc.property(anyIsolate, (isolate) => {
        const { saved, of } = savedQuestions(isolate);
        expect(saved).toBeGreaterThanOrEqual(0);
        expect(saved).toBeLessThanOrEqual(of);
      }),
    );
  });
});

describe("tiles()", () => {
  it("does show an isolate that has seen nothing as that", () => {
    expect(tilesOf(SEEN_NOTHING)).toEqual({
      "Requests now": ["0/s", "0 in 0 s"],
      "Origin questions saved": ["\u2013", "0 of 0"],
      "Bytes from cache": ["\u2013", "0 B; 0 B from the origin"],
      "Answers with 5xx": ["0", "\u2013"],
      "In memory": ["0 B", "0 bodies, 0 grants"],
      "Isolates seen": ["1", "of this colo, in ten minutes"],
    });
  });

  it("does show what was counted", () => {
    const look: Look = {
      ...SEEN_NOTHING,
      since: NOW - 120_000,
      isolates: 3,
      lanes: {
        ...NO_COUNTS.lanes,
        raw: { requests: 3000, refused: 5, failed: 30, asked: 30 },
        pass: { requests: 1000, refused: 0, failed: 0, asked: 1000 },
      },
      bytes: { cache: 3 * 1024 * 1024, origin: 1024 * 1024 },
      held: { ...NO_COUNTS.held, body: { entries: 1200, bytes: 2048 }, grant: { entries: 7, bytes: 0 } },
    };
    expect(tilesOf(look)).toEqual({
      "Requests now": ["0/s", "3,000 in 2 min"],
      "Origin questions saved": ["99.0 %", "2,970 of 3,000"],
      "Bytes from cache": ["75.0 %", "3.0 MiB; 1.0 MiB from the origin"],
      "Answers with 5xx": ["30", "0.8 %"],
      "In memory": ["2.0 KiB", "1,200 bodies, 7 grants"],
      "Isolates seen": ["3", "of this colo, in ten minutes"],
    });
  });

  it("does take the rate of the last half minute, but for the slot that has only begun", () => {
    const slot = (ago: number, requests: number) => ({
      at: slotOf(NOW) - ago * SLOT_MS,
      requests,
      asked: 0,
    });
    const pace = [slot(7, 5000), slot(6, 300), slot(1, 300), slot(0, 90_000)];
    expect(tilesOf({ ...SEEN_NOTHING, since: NOW - 120_000, pace })["Requests now"]?.[0]).toBe("20/s");
  });

  it("does take the rate of an isolate that is younger over its own time", () => {
    const since = slotOf(NOW) - 2 * SLOT_MS;
    const pace = [{ at: since, requests: 100, asked: 0 }];
    expect(tilesOf({ ...SEEN_NOTHING, since, pace })["Requests now"]?.[0]).toBe("10/s");
  });
});

describe("figures()", () => {
  it("does show how each cache took part", () => {
    const grant = { memory: 70, colo: 20, kv: 5, collapsed: 2, stale: 0, miss: 3, bypass: 0 };
    const html = figures({ ...SEEN_NOTHING, caches: { ...NO_COUNTS.caches, grant } }, NOW);
    expect(rowOf(html, "Grants: who")).toEqual([
      "95.0 %",
      "70.0 %",
      "20.0 %",
      "5.0 %",
      "2.0 %",
      "",
      "3.0 %",
      "",
    ]);
    expect(rowOf(html, "Bodies: what")).toEqual(["\u2013", "", "", "", "", "", "", ""]);
    expect(html).toContain('<td title="70">70.0 %');
  });

  it("does show each lane", () => {
    const object = { requests: 12_345, refused: 7, failed: 1, asked: 89 };
    const html = figures({ ...SEEN_NOTHING, lanes: { ...NO_COUNTS.lanes, object } }, NOW);
    expect(rowOf(html, "Objects")).toEqual(["12,345", "89", "7", "1"]);
    expect(rowOf(html, "Raw files")).toEqual(["0", "0", "0", "0"]);
  });

  it("does show what was slow and what went wrong, with what is not known left out", () => {
    const html = figures(
      {
        ...SEEN_NOTHING,
        slowest: [
          {
            host: "git.test",
            lane: "raw",
            method: "HEAD",
            path: "/a",
            status: 200,
            ms: 1234,
            at: NOW - 5000,
          },
          { host: "git.test", lane: "pass", method: "GET", status: "timeout", ms: 7, at: NOW - 61_000 },
        ],
        troubles: [
          { host: "git.test", lane: "raw", problem: "origin 503 to GET", path: "/a", at: NOW, times: 3 },
          { problem: "kv failed", at: NOW - 2000, times: 1 },
        ],
      },
      NOW,
    );
    expect(rowOf(html, "1,234 ms")).toEqual(["200", "git.test", "raw", "HEAD /a", "5 s ago"]);
    expect(rowOf(html, "7 ms")).toEqual(["timeout", "git.test", "pass", "GET (passed through)", "1 min ago"]);
    expect(rowOf(html, "origin 503 to GET")).toEqual(["3\u00d7", "git.test", "raw", "/a", "0 s ago"]);
    expect(rowOf(html, "kv failed")).toEqual(["1\u00d7", "", "", "", "2 s ago"]);
  });

  it("does leave out what is not late any more", () => {
    const old = { host: "git.test", lane: "raw", at: NOW - 15 * 60_000 } as const;
    const slowest = [{ ...old, method: "GET", path: "/old", status: 200, ms: 1234 }];
    const troubles = [{ ...old, problem: "origin 503 to GET", path: "/older", times: 3 }];
    expect(figures({ ...SEEN_NOTHING, slowest, troubles }, NOW)).not.toMatch(/\/old/);
  });

  it("does hold no number that is none, whatever was seen", () => {
    fc.assert(
      fc.property(fc.array(anyIsolate, { maxLength: 3 }), (isolates) => {
        const html = figures(summedLook({ lookedAt: NOW, isolates }), NOW);
        expect(html).not.toMatch(/NaN|Infinity|undefined|\[object/);
      }),
    );
  });
});
