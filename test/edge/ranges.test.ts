import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { cacheStatus, startHarness, type Harness } from "./harness.ts";

const BLOCK = 1024 * 1024;
const SIZES = { small: 4096, big: 5 * BLOCK + 123 } as const;
type Body = keyof typeof SIZES;

let harness: Harness;
let bytes: Record<Body, Buffer>;

/** The same bytes under ever new paths: GitLab's entity tags are those of one path, so each is cold once. */
const COPIES = 50;
const used = { small: 0, big: 0 };

beforeAll(async () => {
  harness = await startHarness({ bigFileBytes: SIZES.big, vars: { BLOCK_BYTES: BLOCK } });
  const raw = async (path: string) =>
    Buffer.from(
      await (await fetch(`${harness.demo.gitlab.url}/demo/hello/-/raw/main/${path}`)).arrayBuffer(),
    );
  bytes = { small: await raw("docs/small.txt"), big: await raw("big/blob.bin") };
  const copies = Array.from({ length: COPIES }, (_, copy) => [
    [`small/${copy}.txt`, bytes.small] as const,
    [`big/${copy}.bin`, bytes.big] as const,
  ]);
  await harness.demo.gitlab.commit("demo/hello", "copies", Object.fromEntries(copies.flat()));
});
afterAll(() => harness.close());
beforeEach(() => harness.demo.gitlab.resetCounts());

function url(body: Body, copy: number): string {
  return `${harness.gitlab}/demo/hello/-/raw/copies/${body}/${copy}.${body === "small" ? "txt" : "bin"}`;
}
const coldUrl = (body: Body): string => url(body, ++used[body]);
const warmUrl = (body: Body): string => url(body, 0);

async function read(response: Response): Promise<Buffer> {
  const body = Buffer.from(await response.arrayBuffer());
  expect(response.headers.get("content-length")).toBe(String(body.length));
  return body;
}

/** The parts of a `multipart/byteranges` body, each with its header lines, taken apart strictly. */
function parts(type: string, body: Buffer): { headers: string[]; data: Buffer }[] {
  const [, boundary = ""] = /^multipart\/byteranges; boundary=(\S+)$/.exec(type) ?? [];
  const text = body.toString("latin1");
  expect(text.startsWith(`--${boundary}\r\n`) && text.endsWith(`\r\n--${boundary}--\r\n`)).toBe(true);
  const inner = text.slice(boundary.length + 4, -(boundary.length + 8));
  return inner.split(`\r\n--${boundary}\r\n`).map((part) => {
    const end = part.indexOf("\r\n\r\n");
    return { headers: part.slice(0, end).split("\r\n"), data: Buffer.from(part.slice(end + 4), "latin1") };
  });
}

/** Half-open ranges that the answer must hold, or that it must be the whole, or none. */
type Expected = "whole" | "unsatisfiable" | readonly (readonly [start: number, end: number])[];
/** `edge` is a block's border, or the middle of a small body. */
type Row = readonly [header: string, expected: (size: number, edge: number) => Expected];

const fill = (header: string, size: number, edge: number): string =>
  header.replace(/\{(size|edge)([+-]\d+)?\}/g, (_, name: string, more: string | undefined) =>
    String((name === "size" ? size : edge) + Number(more ?? 0)),
  );
const many = (count: number, range: (index: number) => string): string =>
  `bytes=${Array.from({ length: count }, (_, index) => range(index)).join(",")}`;

const ROWS: readonly Row[] = [
  ["bytes=0-0", () => [[0, 1]]],
  ["bytes=0-99", () => [[0, 100]]],
  ["bytes=100-", (size) => [[100, size]]],
  ["bytes=-1", (size) => [[size - 1, size]]],
  ["bytes=-100", (size) => [[size - 100, size]]],
  ["bytes=-{size+1}", (size) => [[0, size]]],
  ["bytes=0-{size+10}", (size) => [[0, size]]],
  ["bytes=0-99999999999999999999", (size) => [[0, size]]],
  ["bytes={size-1}-{size-1}", (size) => [[size - 1, size]]],
  ["bytes={edge-10}-{edge+9}", (_, edge) => [[edge - 10, edge + 10]]],
  ["bytes={edge}-{edge}", (_, edge) => [[edge, edge + 1]]],
  ["bytes={edge-1}-", (size, edge) => [[edge - 1, size]]],
  ["Bytes=0-9", () => [[0, 10]]],
  ["bytes= 0-9 , {size+1}-, ,", () => [[0, 10]]],
  ["bytes={size}-", () => "unsatisfiable"],
  ["bytes={size+10}-{size+20}", () => "unsatisfiable"],
  ["bytes=-0", () => "unsatisfiable"],
  ["bytes=99999999999999999999-", () => "unsatisfiable"],
  ["lines=0-9", () => "whole"],
  ["bytes 0-9", () => "whole"],
  ["bytes=", () => "whole"],
  ["bytes=9-0", () => "whole"],
  ["bytes=0-9,x", () => "whole"],
  ["bytes=0x1-0x2", () => "whole"],
  [
    "bytes=0-9,100-109",
    () => [
      [0, 10],
      [100, 110],
    ],
  ],
  [
    "bytes=-5,0-4",
    (size) => [
      [size - 5, size],
      [0, 5],
    ],
  ],
  [
    "bytes={edge+100}-{edge+199},{edge-5}-{edge+4}",
    (_, edge) => [
      [edge + 100, edge + 200],
      [edge - 5, edge + 5],
    ],
  ],
  [
    "bytes=0-9,{edge-5}-{edge+4},-1",
    (size, edge) => [
      [0, 10],
      [edge - 5, edge + 5],
      [size - 1, size],
    ],
  ],
  ["bytes=0-99,50-149", () => [[0, 150]]],
  ["bytes=0-9,10-19", () => [[0, 20]]],
  [
    "bytes=200-299,0-9,250-349",
    () => [
      [200, 350],
      [0, 10],
    ],
  ],
  [
    many(16, (index) => `${index * 100}-${index * 100 + 1}`),
    () => Array.from({ length: 16 }, (_, index) => [index * 100, index * 100 + 2] as const),
  ],
  [many(17, (index) => `${index * 100}-${index * 100 + 1}`), () => "whole"],
  [many(500, (index) => `${index * 2}-${index * 2}`), () => "whole"],
  [many(500, () => "0-"), () => "whole"],
];

const TITLED = ROWS.map(([header, expected]) => [header.slice(0, 40), header, expected] as const);

async function expectAnswer(response: Response, body: Body, expected: Expected): Promise<void> {
  const { headers, status } = response;
  const size = SIZES[body];
  const whole = bytes[body];
  const received = await read(response);
  if (expected === "unsatisfiable") {
    expect([status, headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
    expect(headers.get("content-type")).toBe("application/problem+json");
    return;
  }
  expect(headers.get("accept-ranges")).toBe("bytes");
  expect(headers.get("etag")).toMatch(/^"[^"]+"$/);
  if (expected === "whole") {
    expect([status, headers.get("content-range")]).toEqual([200, null]);
    expect(received.equals(whole)).toBe(true);
    return;
  }
  expect(status).toBe(206);
  const type = body === "small" ? "text/plain; charset=utf-8" : "application/octet-stream";
  const ranges = expected.map(([start, end]) => `bytes ${start}-${end - 1}/${size}`);
  const data = expected.map(([start, end]) => whole.subarray(start, end));
  if (expected.length === 1) {
    expect([headers.get("content-type"), headers.get("content-range")]).toEqual([type, ranges[0]]);
    expect(received.equals(data[0] ?? whole)).toBe(true);
    return;
  }
  expect(headers.get("content-range")).toBeNull();
  const found = parts(headers.get("content-type") ?? "", received);
  expect(found.map((part) => part.headers.toSorted())).toEqual(
    ranges.map((range) => [`Content-Range: ${range}`, `Content-Type: ${type}`]),
  );
  expect(found.every((part, index) => part.data.equals(data[index] ?? whole))).toBe(true);
}

describe.each<Body>(["small", "big"])("ranges of a %s body", (body) => {
  const size = SIZES[body];
  const edge = body === "big" ? 3 * BLOCK : size / 2;

  it.each(TITLED)("%s does hold cold, warm and in a new isolate", async (_, header, expected) => {
    const path = coldUrl(body);
    const headers = { Range: fill(header, size, edge) };
    for (const step of ["cold", "warm", "new isolate"]) {
      if (step === "new isolate") await harness.newIsolate();
      await expectAnswer(await fetch(path, { headers }), body, expected(size, edge));
    }
    expect(harness.demo.gitlab.counts()["web:raw"]).toBeLessThanOrEqual(2);
  });

  it("a whole body does equal the origin's, cold and warm, with an exact Content-Length", async () => {
    for (let time = 0; time < 3; time++) {
      if (time === 2) await harness.newIsolate();
      await expectAnswer(await fetch(warmUrl(body)), body, "whole");
    }
    expect(harness.demo.gitlab.counts()["web:raw"]).toBe(1);
  });

  it("a warm range does ask the origin nothing", async () => {
    await read(await fetch(warmUrl(body)));
    harness.demo.gitlab.resetCounts();
    const response = await fetch(warmUrl(body), {
      headers: { Range: fill("bytes={edge-10}-{edge+9}", size, edge) },
    });
    await expectAnswer(response, body, [[edge - 10, edge + 10]]);
    expect(cacheStatus(response)["forgefront-body"]).toContain("; hit");
    expect(harness.demo.gitlab.counts().total).toBe(0);
  });

  it("HEAD does ignore Range and tell the whole length", async () => {
    const response = await fetch(warmUrl(body), { method: "HEAD", headers: { Range: "bytes=0-9" } });
    expect([response.status, response.headers.get("content-length")]).toEqual([200, String(size)]);
    expect([response.headers.get("content-range"), await response.text()]).toEqual([null, ""]);
  });

  it("If-Range does let a range count only for the very same strong tag", async () => {
    const etag = (await fetch(warmUrl(body), { method: "HEAD" })).headers.get("etag") ?? "";
    const range = "bytes=0-9";
    const ask = (ifRange: string, asked = range) =>
      fetch(warmUrl(body), { headers: { Range: asked, "If-Range": ifRange } });
    await expectAnswer(await ask(etag), body, [[0, 10]]);
    await expectAnswer(await ask(etag, `bytes=${size}-`), body, "unsatisfiable");
    for (const other of [
      `W/${etag}`,
      '"another"',
      `${etag}, ${etag}`,
      "*",
      etag.slice(1, -1),
      new Date().toUTCString(),
    ]) {
      await expectAnswer(await ask(other), body, "whole");
      await expectAnswer(await ask(other, `bytes=${size}-`), body, "whole");
    }
    expect(harness.demo.gitlab.counts()["web:raw"]).toBe(0);
  });
});

describe("a cold range late in a big file", () => {
  it("does not wait for a store, and fills the file for the next", async () => {
    const path = coldUrl("big");
    const { size, edge } = { size: SIZES.big, edge: 5 * BLOCK };
    const headers = { Range: `bytes=${edge - 7}-${edge + 6}` };
    await expectAnswer(await fetch(path, { headers }), "big", [[edge - 7, edge + 7]]);
    harness.demo.gitlab.resetCounts();
    await expectAnswer(await fetch(path), "big", "whole");
    await expectAnswer(await fetch(path, { headers: { Range: "bytes=-1" } }), "big", [[size - 1, size]]);
    expect(harness.demo.gitlab.counts()["web:raw"]).toBe(0);
  });

  it("does answer while the store fails, in any order", async () => {
    await harness.world({ cache: "failing" });
    try {
      for (const [header, expected] of [
        ["bytes=-50", [[SIZES.big - 50, SIZES.big]]],
        [
          `bytes=-5,${2 * BLOCK - 5}-${2 * BLOCK + 4},0-4`,
          [
            [SIZES.big - 5, SIZES.big],
            [2 * BLOCK - 5, 2 * BLOCK + 5],
            [0, 5],
          ],
        ],
        ["bytes=0-", [[0, SIZES.big]]],
      ] as const) {
        await expectAnswer(await fetch(coldUrl("big"), { headers: { Range: header } }), "big", expected);
      }
      expect(harness.demo.gitlab.counts()["web:raw"]).toBeGreaterThanOrEqual(3);
    } finally {
      await harness.world({ cache: "ok" });
    }
  });

  it("many different cold ranges at once do share one read", async () => {
    const path = coldUrl("big");
    const starts = Array.from({ length: 20 }, (_, index) => ((index * 7919) % 50) * 100_000);
    await Promise.all(
      starts.map(async (start) => {
        const response = await fetch(path, { headers: { Range: `bytes=${start}-${start + 70_000 - 1}` } });
        await expectAnswer(response, "big", [[start, start + 70_000]]);
      }),
    );
    expect(harness.demo.gitlab.counts()["web:raw"]).toBe(1);
  });
});

describe("ranges at Gitea, which has dates and single ranges of its own", () => {
  it("If-Range does take the exact date, once no other of its second can come", async () => {
    const path = "/demo/hello/raw/branch/main/docs/small.txt";
    const date = (await fetch(harness.demo.gitea.url + path)).headers.get("last-modified") ?? "";
    expect(date).toMatch(/ GMT$/);
    const ask = (ifRange: string) =>
      fetch(harness.gitea + path, { headers: { Range: "bytes=0-9", "If-Range": ifRange } });
    try {
      await harness.world({ clockOffsetMs: Date.parse(date) + 30_000 - Date.now() });
      await harness.newIsolate();
      for (const _ of ["cold", "cached"]) await expectAnswer(await ask(date), "small", "whole");
    } finally {
      await harness.world({ clockOffsetMs: 0 });
      await harness.newIsolate();
    }
    await expectAnswer(await ask(date), "small", [[0, 10]]);
    for (const other of [
      new Date(Date.parse(date) + 1000).toUTCString(),
      new Date(Date.parse(date) - 1000).toUTCString(),
      "yesterday",
    ])
      await expectAnswer(await ask(other), "small", "whole");
  });

  it("a suffix does reach the origin as a range from a block's start, once the size is known", async () => {
    const path = `${harness.gitea}/demo/hello/raw/branch/main/big/blob.bin`;
    expect((await fetch(path, { method: "HEAD" })).headers.get("content-length")).toBe(String(SIZES.big));
    harness.demo.gitea.resetCounts();
    const suffix = await fetch(path, { headers: { Range: "bytes=-10" } });
    await expectAnswer(suffix, "big", [[SIZES.big - 10, SIZES.big]]);
    expect(harness.demo.gitea.counts().bytes).toBeLessThanOrEqual(BLOCK);
    await expectAnswer(await fetch(path), "big", "whole");
  });

  it("an empty file has no range to give", async () => {
    for (const [site, form] of [
      [harness.gitlab, "-/raw/main"],
      [harness.gitea, "raw/branch/main"],
    ] as const) {
      const path = `${site}/demo/hello/${form}/docs/empty.txt`;
      for (const range of ["bytes=0-", "bytes=-1", "bytes=0-0"]) {
        const response = await fetch(path, { headers: { Range: range } });
        expect([response.status, response.headers.get("content-range")]).toEqual([416, "bytes */0"]);
      }
      const whole = await fetch(path, { headers: { Range: "lines=0-1" } });
      expect([whole.status, (await read(whole)).length]).toEqual([200, 0]);
    }
  });
});
