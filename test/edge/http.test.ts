import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cacheStatus, startHarness, type Harness } from "./harness.ts";

const BLOCK = 1024 * 1024;
const BIG = 5 * BLOCK + 123;
const TOKEN = { "PRIVATE-TOKEN": "glpat-reader" };

let harness: Harness;
let commit = "";
let secretCommit = "";
let blob = "";

beforeAll(async () => {
  harness = await startHarness({ bigFileBytes: BIG, vars: { BLOCK_BYTES: BLOCK } });
  const { gitlab } = harness.demo;
  commit = (await gitlab.objectId("demo/hello", "main")) ?? "";
  secretCommit = (await gitlab.objectId("demo/nested/secret", "main")) ?? "";
  blob = (await gitlab.objectId("demo/hello", "main:docs/small.txt")) ?? "";
});
afterAll(() => harness.close());

/** A file as four doors show it: with and without a date, in memory and in blocks. */
const FILES = {
  "GitLab, small": () => `${harness.gitlab}/demo/hello/-/raw/main/docs/small.txt`,
  "GitLab, big": () => `${harness.gitlab}/demo/hello/-/raw/main/big/blob.bin`,
  "Gitea, small": () => `${harness.gitea}/demo/hello/raw/branch/main/docs/small.txt`,
  "Gitea, big": () => `${harness.gitea}/demo/hello/raw/branch/main/big/blob.bin`,
};
const sizeOf = (file: string): number => (file.endsWith("big") ? BIG : 4096);

type Words = {
  readonly etag: string;
  readonly date: string;
  readonly earlier: string;
  readonly later: string;
};
type Row = readonly [what: string, headers: (words: Words) => Record<string, string>, status: number];

const ANY_FILE: readonly Row[] = [
  ["If-None-Match, same", ({ etag }) => ({ "If-None-Match": etag }), 304],
  ["If-None-Match, weak", ({ etag }) => ({ "If-None-Match": `W/${etag}` }), 304],
  ["If-None-Match, list", ({ etag }) => ({ "If-None-Match": `"a", W/"b,c" ,${etag}` }), 304],
  ["If-None-Match, *", () => ({ "If-None-Match": "*" }), 304],
  ["If-None-Match, other", () => ({ "If-None-Match": '"a", "b"' }), 200],
  ["If-None-Match, unquoted", ({ etag }) => ({ "If-None-Match": etag.slice(1, -1) }), 200],
  ["If-Match, same", ({ etag }) => ({ "If-Match": etag }), 200],
  ["If-Match, list", ({ etag }) => ({ "If-Match": `"a", ${etag}` }), 200],
  ["If-Match, *", () => ({ "If-Match": "*" }), 200],
  ["If-Match, weak", ({ etag }) => ({ "If-Match": `W/${etag}` }), 412],
  ["If-Match, other", () => ({ "If-Match": '"a"' }), 412],
  ["412 before 304", ({ etag }) => ({ "If-Match": '"a"', "If-None-Match": etag }), 412],
  ["304 after a true If-Match", ({ etag }) => ({ "If-Match": etag, "If-None-Match": etag }), 304],
  ["304 before 206", ({ etag }) => ({ "If-None-Match": etag, Range: "bytes=0-9" }), 304],
  ["304 before 416", ({ etag }) => ({ "If-None-Match": etag, Range: "bytes=999999999-" }), 304],
  ["412 before 416", () => ({ "If-Match": '"a"', Range: "bytes=999999999-" }), 412],
  ["206 after a false If-None-Match", () => ({ "If-None-Match": '"a"', Range: "bytes=0-9" }), 206],
  ["206 after a true If-Match", ({ etag }) => ({ "If-Match": etag, Range: "bytes=0-9" }), 206],
  ["dates that are none", () => ({ "If-Modified-Since": "today", "If-Unmodified-Since": "today" }), 200],
];
const DATED_FILE: readonly Row[] = [
  ["If-Modified-Since, same", ({ date }) => ({ "If-Modified-Since": date }), 304],
  ["If-Modified-Since, later", ({ later }) => ({ "If-Modified-Since": later }), 304],
  ["If-Modified-Since, earlier", ({ earlier }) => ({ "If-Modified-Since": earlier }), 200],
  ["If-Unmodified-Since, same", ({ date }) => ({ "If-Unmodified-Since": date }), 200],
  ["If-Unmodified-Since, earlier", ({ earlier }) => ({ "If-Unmodified-Since": earlier }), 412],
  ["a tag before a date", ({ date }) => ({ "If-None-Match": '"a"', "If-Modified-Since": date }), 200],
  [
    "If-Match before a date",
    ({ etag, earlier }) => ({ "If-Match": etag, "If-Unmodified-Since": earlier }),
    200,
  ],
  [
    "412 of a date before 304",
    ({ etag, earlier }) => ({ "If-Unmodified-Since": earlier, "If-None-Match": etag }),
    412,
  ],
];

async function wordsOf(url: string): Promise<Words> {
  const { headers } = await fetch(url, { method: "HEAD" });
  const date = headers.get("last-modified") ?? "Thu, 01 Jan 2026 00:00:00 GMT";
  const moved = (ms: number) => new Date(Date.parse(date) + ms).toUTCString();
  return { etag: headers.get("etag") ?? "", date, earlier: moved(-1000), later: moved(1000) };
}

describe.each(Object.keys(FILES) as (keyof typeof FILES)[])("conditions on %s", (file) => {
  const rows = file.startsWith("Gitea") ? [...ANY_FILE, ...DATED_FILE] : ANY_FILE;

  it.each(rows)("%s", async (_, headersOf, status) => {
    const url = FILES[file]();
    const headers = headersOf(await wordsOf(url));
    await harness.newIsolate();
    for (let time = 0; time < 2; time++) {
      const response = await fetch(url, { headers });
      const { byteLength } = await response.arrayBuffer();
      expect(response.status).toBe(status);
      expect(byteLength).toBe({ 200: sizeOf(file), 206: 10, 304: 0 }[status] ?? byteLength);
      if (status === 412) expect(response.headers.get("content-type")).toBe("application/problem+json");
      const head = await fetch(url, { method: "HEAD", headers });
      // A range is of GET alone.
      expect(head.status).toBe(status === 206 ? 200 : status);
    }
  });

  it("a 304 does carry what a 200 says of itself, and nothing of the content", async () => {
    const url = FILES[file]();
    const whole = await fetch(url);
    await whole.arrayBuffer();
    const { etag } = await wordsOf(url);
    const { headers } = await fetch(url, { headers: { "If-None-Match": etag } });
    for (const name of ["etag", "cache-control", "vary"])
      expect(headers.get(name)).toBe(whole.headers.get(name));
    expect(headers.get("age")).toMatch(/^\d+$/);
    expect(Object.keys(cacheStatus(whole)).length).toBeGreaterThan(1);
    for (const name of [
      "content-type",
      "content-length",
      "content-disposition",
      "content-range",
      "set-cookie",
    ])
      expect(headers.get(name)).toBeNull();
  });

  it("HEAD does say what GET would, without a body", async () => {
    const url = FILES[file]();
    const whole = await fetch(url);
    expect((await whole.arrayBuffer()).byteLength).toBe(sizeOf(file));
    const head = await fetch(url, { method: "HEAD" });
    expect(await head.text()).toBe("");
    const varying = new Set(["server-timing", "cache-status", "age", "connection", "transfer-encoding"]);
    const kept = ({ headers }: Response) => [...headers].filter(([name]) => !varying.has(name));
    expect(kept(head)).toEqual(kept(whole));
    expect(head.headers.get("content-length")).toBe(String(sizeOf(file)));
    expect(head.headers.get("accept-ranges")).toBe("bytes");
  });
});

describe("HEAD of what is not cached", () => {
  it("does leave no empty body behind", async () => {
    for (const path of ["/demo/hello/-/raw/v2.0/docs/changes.txt", "/demo/hello/-/raw/v2.0/big/blob.bin"]) {
      const head = await fetch(harness.gitlab + path, { method: "HEAD" });
      expect([head.status, await head.text()]).toEqual([200, ""]);
      const whole = await fetch(harness.gitlab + path);
      const { byteLength } = await whole.arrayBuffer();
      expect(String(byteLength)).toBe(head.headers.get("content-length"));
      expect(byteLength).toBeGreaterThan(0);
    }
  });
});

describe("what clients and caches behind may keep", () => {
  const MINUTE = "max-age=60, stale-while-revalidate=60";
  const YEAR = "max-age=31536000, immutable";
  const api = "/api/v4/projects/1/repository";
  const secret = "/demo/nested/secret/-/raw";

  it.each([
    ["a branch", () => "/demo/hello/-/raw/main/README.md", {}, `public, ${MINUTE}`],
    ["a tag", () => "/demo/hello/-/raw/v1.0/README.md", {}, `public, ${MINUTE}`],
    ["the default branch", () => "/demo/hello/-/raw/HEAD/README.md", {}, `public, ${MINUTE}`],
    ["the API", () => `${api}/files/README.md/raw`, {}, `public, ${MINUTE}`],
    [
      "a short commit id of the API",
      () => `${api}/files/README.md/raw?ref=${commit.slice(0, 8)}`,
      {},
      `public, ${MINUTE}`,
    ],
    ["a commit id", () => `/demo/hello/-/raw/${commit}/README.md`, {}, `public, ${YEAR}`],
    ["a commit id of the API", () => `${api}/files/README.md/raw?ref=${commit}`, {}, `public, ${YEAR}`],
    ["a blob id", () => `${api}/blobs/${blob}/raw`, {}, `public, ${YEAR}`],
    ["a private branch", () => `${secret}/main/README.md`, TOKEN, `private, ${MINUTE}`],
    ["a private commit", () => `${secret}/${secretCommit}/README.md`, TOKEN, `private, ${YEAR}`],
    [
      "a private session",
      () => `${secret}/main/README.md`,
      { Cookie: "_gitlab_session=session-reader" },
      `private, ${MINUTE}`,
    ],
  ])("%s", async (_, path, headers, expected) => {
    for (const extra of [{}, { Range: "bytes=0-3" }, { "If-None-Match": "*" }, {}]) {
      const response = await fetch(harness.gitlab + path(), {
        headers: { ...headers, ...extra } as Record<string, string>,
      });
      await response.arrayBuffer();
      expect(response.headers.get("cache-control")).toBe(expected);
      const vary = (response.headers.get("vary") ?? "").toLowerCase().split(/, */);
      expect(vary).toEqual(
        expect.arrayContaining([
          "authorization",
          "cookie",
          "private-token",
          "job-token",
          "deploy-token",
          "x-gitlab-static-object-token",
        ]),
      );
    }
  });

  it("the same at Gitea", async () => {
    const read = async (path: string) => {
      const response = await fetch(harness.gitea + path);
      await response.arrayBuffer();
      expect(response.headers.get("vary")?.toLowerCase()).toMatch(/^authorization, cookie\b/);
      return response.headers.get("cache-control");
    };
    expect(await read("/demo/hello/raw/branch/main/README.md")).toBe(`public, ${MINUTE}`);
    expect(await read(`/demo/hello/raw/commit/${commit}/README.md`)).toBe(`public, ${YEAR}`);
  });

  it("a member's answer is private once nobody else may read", async () => {
    const { gitlab } = harness.demo;
    const url = `${harness.gitlab}/demo/hello/-/raw/main/docs/guide.html`;
    await (await fetch(url)).arrayBuffer();
    gitlab.setVisibility("demo/hello", "private");
    try {
      await harness.world({ clockOffsetMs: 31_000 });
      const response = await fetch(url, { headers: TOKEN });
      expect(response.status).toBe(200);
      expect(response.headers.get("cache-control")).toBe(`private, ${MINUTE}`);
      expect((await fetch(url)).status).toBe(401);
    } finally {
      gitlab.setVisibility("demo/hello", "public");
      await harness.world({ clockOffsetMs: 62_000 });
    }
  });
});

describe("what an answer tells of its making", () => {
  it("Cache-Status does name the caches in order, each with what it did", async () => {
    const url = `${harness.gitlab}/demo/hello/-/raw/feature/login/README.md`;
    const commitUrl = `${harness.gitlab}/demo/hello/-/raw/${commit}/docs/changes.txt`;
    const member = (name: string, rest: string) => `forgefront-${name}; ${rest}`;
    const status = async (address: string) => {
      const response = await fetch(address);
      await response.arrayBuffer();
      return response.headers.get("cache-status") ?? "";
    };
    expect(await status(url)).toMatch(
      /^forgefront-grant; .*, forgefront-revision; fwd=miss, forgefront-body; fwd=miss$/,
    );
    const hit = String.raw`hit(; ttl=\d+)?; detail=`;
    const all = (tier: string) =>
      new RegExp(
        `^${[member("grant", hit + tier), member("revision", hit + tier), member("body", hit + tier)].join(", ")}$`,
      );
    expect(await status(url)).toMatch(all("memory"));
    await harness.newIsolate();
    expect(await status(url)).toMatch(all("colo"));
    await status(commitUrl);
    expect(await status(commitUrl)).toMatch(
      new RegExp(`^${member("grant", `${hit}memory`)}, ${member("body", `${hit}memory`)}$`),
    );
  });

  it("ttl does count down", async () => {
    const url = `${harness.gitlab}/demo/hello/-/raw/release/1.x/hotfix/README.md`;
    await harness.world({ clockOffsetMs: 200_000 });
    await (await fetch(url)).arrayBuffer();
    await harness.world({ clockOffsetMs: 212_000 });
    const { "forgefront-grant": grant, "forgefront-revision": revision } = cacheStatus(await fetch(url));
    const ttl = (member = "") => Number(/; ttl=(\d+)/.exec(member)?.[1]);
    expect(ttl(grant)).toBeGreaterThanOrEqual(15);
    expect(ttl(grant)).toBeLessThanOrEqual(18);
    expect(ttl(revision)).toBeGreaterThanOrEqual(45);
    expect(ttl(revision)).toBeLessThanOrEqual(48);
  });

  it("Age does count from when the name was last resolved", async () => {
    const url = FILES["GitLab, big"]();
    await harness.world({ clockOffsetMs: 300_000 });
    const ages = async () => {
      const plain = await fetch(url);
      await plain.arrayBuffer();
      const part = await fetch(url, { headers: { Range: "bytes=0-0" } });
      const none = await fetch(url, { headers: { "If-None-Match": "*" } });
      return [plain, part, none].map(({ headers }) => Number(headers.get("age")));
    };
    for (const age of await ages()) expect(age).toBeLessThanOrEqual(2);
    await harness.world({ clockOffsetMs: 315_000 });
    for (const age of await ages()) {
      expect(age).toBeGreaterThanOrEqual(15);
      expect(age).toBeLessThanOrEqual(17);
    }
  });

  it("Server-Timing does name the three steps and the origin", async () => {
    for (let time = 0; time < 2; time++) {
      const { headers } = await fetch(FILES["GitLab, small"]());
      const steps = (headers.get("server-timing") ?? "").split(", ");
      expect(steps.map((step) => step.replace(/;dur=\d+(\.\d+)?$/, ""))).toEqual([
        "grant",
        "revision",
        "body",
        "origin",
      ]);
    }
  });

  it("a refusal does tell of its making too, and may not be kept", async () => {
    for (let time = 0; time < 2; time++) {
      const { headers, status } = await fetch(`${harness.gitlab}/demo/nested/secret/-/raw/main/README.md`);
      expect([status, headers.get("cache-control")]).toEqual([401, "no-store"]);
      expect(headers.get("cache-status")).toMatch(
        time === 0 ? /^forgefront-grant; fwd=miss/ : /^forgefront-grant; hit/,
      );
      expect(headers.get("server-timing")).toContain("origin;dur=");
    }
  });
});
