import { describe, expect, it } from "vitest";
import { cacheHits } from "../../scripts/load/cache-status.ts";
import { fileAt, fileContent, FILES, PROJECTS } from "../../scripts/load/catalogue.ts";
import { contentOf } from "../../scripts/load/content.ts";
import { judgeContent, type Sent } from "../../scripts/load/judge-content.ts";
import { isPartOf, rangeHeader } from "../../scripts/load/parts.ts";
import { zipf } from "../../scripts/load/zipf.ts";

const CONTENT = { name: "p1/a.txt", revision: 1, bytes: 10_000 };
const OLDER = { ...CONTENT, revision: 0, bytes: 9_963 };

describe("contentOf()", () => {
  it("makes the parts that the whole is cut into", () => {
    const whole = contentOf(CONTENT);
    expect(whole).toHaveLength(10_000);
    for (const [start, end] of [
      [0, 1],
      [63, 65],
      [4000, 4200],
      [8190, 8195],
      [9999, 20_000],
    ] as const)
      expect(contentOf(CONTENT, start, end)).toBe(whole.slice(start, end));
    expect(contentOf(CONTENT, 10_000, 10_001)).toBe("");
  });

  it("makes no two blocks, revisions or names alike", () => {
    expect(contentOf(CONTENT, 0, 4096)).not.toBe(contentOf(CONTENT, 4096, 8192));
    expect(contentOf(CONTENT, 100, 300)).not.toBe(contentOf(OLDER, 100, 300));
    expect(contentOf(CONTENT, 100, 300)).not.toBe(contentOf({ ...CONTENT, name: "p2/a.txt" }, 100, 300));
  });
});

describe("fileAt()", () => {
  it("names ten thousand files, each once", () => {
    const names = Array.from({ length: FILES }, (_, index) => fileContent(fileAt(index), 0).name);
    expect(new Set(names).size).toBe(10_000);
    expect(new Set(Array.from({ length: PROJECTS }, (_, index) => fileAt(index).project)).size).toBe(
      PROJECTS,
    );
  });
});

describe("zipf()", () => {
  it("draws the first twice as often as the second, and all of them", () => {
    const draw = zipf(100);
    const counts = new Map<number, number>();
    for (let step = 0; step < 100_000; step++) {
      const drawn = draw((step + 0.5) / 100_000);
      counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
    }
    expect(counts.size).toBe(100);
    expect((counts.get(0) ?? 0) / (counts.get(1) ?? 0)).toBeCloseTo(2, 1);
    expect(draw(0)).toBe(0);
    expect(draw(1 - 1e-9)).toBe(99);
  });
});

describe("cacheHits()", () => {
  it("reads each cache of the edge's own", () => {
    const header =
      "forgefront-grant; hit; ttl=21; detail=memory, forgefront-revision; fwd=miss; collapsed, forgefront-body; hit; detail=colo";
    expect(cacheHits(header)).toEqual({ grant: true, revision: false, body: true });
    expect(cacheHits("forgefront; fwd=bypass")).toEqual({});
    expect(cacheHits(undefined)).toEqual({});
  });
});

describe("isPartOf()", () => {
  const single = (start: number, end: number, from = start) => ({
    contentType: "text/plain",
    contentRange: `bytes ${start}-${end - 1}/10000`,
    body: contentOf(CONTENT, from, from + end - start),
  });
  const piece = (start: number, end: number) =>
    `\r\n--B\r\nContent-Type: text/plain\r\nContent-Range: bytes ${start}-${end - 1}/10000\r\n\r\n${contentOf(CONTENT, start, end)}`;
  const several = (...parts: [number, number][]) => ({
    contentType: "multipart/byteranges; boundary=B",
    contentRange: undefined,
    body: `${parts.map(([start, end]) => piece(start, end)).join("")}\r\n--B--\r\n`,
  });
  const wanted = [{ start: 100, end: 300 }];
  const two = [...wanted, { start: 5000, end: 5100 }];

  it("takes the part that was asked for, and several of them", () => {
    expect(rangeHeader(two)).toBe("bytes=100-299,5000-5099");
    expect(isPartOf(single(100, 300), CONTENT, wanted)).toBe(true);
    expect(isPartOf(several([100, 300], [5000, 5100]), CONTENT, two)).toBe(true);
    expect(isPartOf(several([0, 5200]), CONTENT, two)).toBe(true);
  });

  it.each([
    ["bytes of another place", single(100, 300, 101)],
    ["another part", single(101, 301)],
    ["a shorter part", single(100, 299)],
    ["another length of the whole", { ...single(100, 300), contentRange: "bytes 100-299/9963" }],
    ["no range", { ...single(100, 300), contentRange: undefined }],
    ["several", several([100, 200], [200, 300])],
  ])("does not take %s", (_, answer) => {
    expect(isPartOf(answer, CONTENT, wanted)).toBe(false);
  });

  it("does not take several of which one is missing, or wrong", () => {
    expect(isPartOf(several([100, 300]), CONTENT, two)).toBe(false);
    const wrong = several([100, 300], [5000, 5100]);
    expect(isPartOf({ ...wrong, body: wrong.body.replace("@1|block", "@0|block") }, OLDER, two)).toBe(false);
  });
});

describe("judgeContent()", () => {
  const answer = (status: number, body: string, headers: Readonly<Record<string, string>> = {}) => ({
    status,
    body,
    header: (name: string) => headers[name],
  });
  const kind = (sent: Sent, got: ReturnType<typeof answer>, contents = [OLDER, CONTENT]) =>
    judgeContent(contents, sent, got).kind;
  const older = { etag: '"0"', revision: 0 };
  const newer = { etag: '"1"', revision: 1 };
  const part = [{ start: 10, end: 20 }];

  it("says which of the revisions it was", () => {
    const verdict = judgeContent([OLDER, CONTENT], { method: "GET" }, answer(200, contentOf(CONTENT)));
    expect(verdict).toEqual({ kind: "right", revision: 1 });
  });

  it.each([
    ["a body of another revision", { method: "GET" }, answer(200, contentOf(OLDER))],
    ["a body that is cut", { method: "GET" }, answer(200, contentOf(CONTENT).slice(0, -1))],
    ["a 304 for another revision", { method: "GET", ifNoneMatch: older }, answer(304, "")],
    ["a 304 that nobody asked for", { method: "GET" }, answer(304, "")],
    [
      "a 200 for what the client has",
      { method: "GET", ifNoneMatch: newer },
      answer(200, contentOf(CONTENT), { etag: newer.etag }),
    ],
    ["the whole for a part", { method: "GET", parts: part }, answer(200, contentOf(CONTENT))],
    [
      "a part under another revision's tag",
      { method: "GET", parts: part, ifRange: older },
      answer(206, contentOf(CONTENT, 10, 20), { "content-range": "bytes 10-19/10000" }),
    ],
    ["another length of a HEAD", { method: "HEAD" }, answer(200, "", { "content-length": "9963" })],
    [
      "a 416 for what is there",
      { method: "GET", parts: part },
      answer(416, "", { "content-range": "bytes */10000" }),
    ],
  ] as const)("does not take %s", (_, sent, got) => {
    expect(kind(sent, got, [CONTENT])).toBe("wrong");
  });

  it.each([
    ["a 304", { method: "GET", ifNoneMatch: newer }, answer(304, "", { etag: newer.etag })],
    [
      "a part",
      { method: "GET", parts: part, ifRange: newer },
      answer(206, contentOf(CONTENT, 10, 20), { "content-range": "bytes 10-19/10000" }),
    ],
    [
      "the whole where the tag is an old one",
      { method: "GET", parts: part, ifRange: older },
      answer(200, contentOf(CONTENT)),
    ],
    ["a HEAD", { method: "HEAD" }, answer(200, "", { "content-length": "10000" })],
    [
      "a 416",
      { method: "GET", parts: [{ start: 10_000, end: 10_001 }] },
      answer(416, "", { "content-range": "bytes */10000" }),
    ],
  ] as const)("takes %s", (_, sent, got) => {
    expect(kind(sent, got, [CONTENT])).toBe("right");
  });
});
