import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import { startHarness, type Harness } from "./harness.ts";
import { expectHits, tryForms } from "./raw-forms.ts";

const HELLO = "/demo/hello/raw";
const API = "/api/v1/repos/demo/hello/raw";
const SECRET = "/demo/secret/raw/branch/main/config/private.txt";
const SECRET_API = "/api/v1/repos/demo/secret/raw/config/private.txt?ref=main";

/** Header fields of the content, which the edge must pass on as the origin gave them. */
const CONTENT_HEADERS = [
  "content-type",
  "content-disposition",
  "content-security-policy",
  "x-content-type-options",
  "x-frame-options",
  "content-length",
  "etag",
  "last-modified",
];

let harness: Harness;
/** What the rows of the tables name by words in braces. */
const names: Record<string, string> = {};

beforeAll(async () => {
  harness = await startHarness({ bigFileBytes: 100_000 });
  const { gitea } = harness.demo;
  await gitea.commit("demo/hello", "odd-names", {
    "main/README.md": "a path that looks like a ref\n",
    "branch/main/x.txt": "a path with the grammar's own words\n",
    "raw/media/x.txt": "more of the grammar's own words\n",
    "日本語/🎉.txt": "CJK and an emoji\n",
    "e\u0301.txt": "decomposed\n",
    "\u00e9.txt": "composed\n",
    "a;b=c,d@e!$&'()*+.txt": "sub-delimiters\n",
    'quote"quote.txt': "a quote\n",
    "question?mark.txt": "a question mark\n",
    "100%25.txt": "a name that reads as an escape\n",
    "back\\slash.txt": "a backslash\n",
    " blank .txt": "blanks\n",
    "image.png": Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 254]),
  });
  for (const [word, object] of [
    ["main", "main"],
    ["blob", "main:docs/small.txt"],
    ["tag-commit", "v2.0^{commit}"],
  ] as const) {
    names[word] = (await gitea.objectId("demo/hello", object)) ?? "";
  }
  names["short"] = names["main"]?.slice(0, 10) ?? "";
});
afterAll(() => harness.close());

const named = (path: string): string => path.replace(/\{([\w-]+)\}/g, (_, word: string) => names[word] ?? "");
const fromEdge = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(harness.gitea + named(path), { redirect: "manual", ...init });
const fromOrigin = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(harness.demo.gitea.url + named(path), { redirect: "manual", ...init });
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

async function seen(response: Response): Promise<object> {
  const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
  const headers = Object.fromEntries(CONTENT_HEADERS.map((name) => [name, response.headers.get(name)]));
  return { status: response.status, body, headers };
}

const FORMS: readonly string[] = [
  `${HELLO}/branch/main/README.md`,
  `${HELLO}/branch/main/docs/small.txt`,
  `${HELLO}/branch/feature/login/README.md`,
  `${HELLO}/branch/feature/login-page/README.md`,
  `${HELLO}/branch/feature/login/x.txt`,
  `${HELLO}/branch/release/1.x/hotfix/README.md`,
  `${HELLO}/branch/main/feature/login/x.txt`,
  `${HELLO}/branch/both/both.txt`,
  `${HELLO}/tag/both/both.txt`,
  `${HELLO}/tag/v1.0/README.md`,
  `${HELLO}/tag/v2.0/docs/changes.txt`,
  `${HELLO}/tag/feature/README.md`,
  `${HELLO}/tag/feature/login/x.txt`,
  `${HELLO}/commit/{main}/README.md`,
  `${HELLO}/commit/{tag-commit}/docs/changes.txt`,
  `${HELLO}/branch/main/docs/gr%C3%BC%C3%9Fe/na%C3%AFve%20file.txt`,
  `${HELLO}/branch/main/docs/a+b%20&%20c%23d%25.txt`,
  `${HELLO}/branch/main/docs/empty.txt`,
  `${HELLO}/branch/main/docs/guide.html`,
  `${HELLO}/branch/main/images/logo.svg`,
  `${HELLO}/branch/main/link-to-readme`,
  `${HELLO}/branch/main/big/blob.bin`,
  `${HELLO}/branch/odd-names/main/README.md`,
  `${HELLO}/branch/odd-names/branch/main/x.txt`,
  `${HELLO}/branch/odd-names/raw/media/x.txt`,
  `${HELLO}/branch/odd-names/%E6%97%A5%E6%9C%AC%E8%AA%9E/%F0%9F%8E%89.txt`,
  `${HELLO}/branch/odd-names/e%CC%81.txt`,
  `${HELLO}/branch/odd-names/%C3%A9.txt`,
  `${HELLO}/branch/odd-names/a;b=c,d@e!$&'()*+.txt`,
  `${HELLO}/branch/odd-names/quote%22quote.txt`,
  `${HELLO}/branch/odd-names/question%3Fmark.txt`,
  `${HELLO}/branch/odd-names/100%2525.txt`,
  `${HELLO}/branch/odd-names/%20blank%20.txt`,
  `${HELLO}/branch/odd-names/image.png`,
  "/demo/hello/media/branch/main/README.md",
  "/demo/hello/media/tag/v2.0/docs/changes.txt",
  "/demo/hello/media/commit/{main}/docs/empty.txt",
  `${API}/README.md`,
  `${API}/README.md?ref=`,
  `${API}/README.md?ref=main`,
  `${API}/README.md?ref=feature/login`,
  `${API}/README.md?ref=feature%2Flogin-page`,
  `${API}/docs/small.txt?ref={main}`,
  `${API}/both.txt?ref=both`,
  `${API}/docs/changes.txt?ref=v2.0`,
  `${API}/docs/gr%C3%BC%C3%9Fe/na%C3%AFve%20file.txt?ref=main`,
  `${API}/docs/empty.txt`,
  `${API}/link-to-readme`,
];

describe("a raw file in every form", () => {
  tryForms(FORMS, { harness: () => harness, forge: "gitea", fromOrigin, fromEdge, seen });

  it.each([
    `${HELLO}/README.md`,
    `${HELLO}/docs/small.txt`,
    `${HELLO}/main/docs/small.txt`,
    `${HELLO}/v2.0/docs/changes.txt`,
    `${HELLO}/both/both.txt`,
    `${HELLO}/feature/README.md`,
    `${HELLO}/feature/login/README.md`,
    `${HELLO}/feature/login/x.txt`,
    `${HELLO}/release/1.x/hotfix/README.md`,
    `${HELLO}/{main}/README.md`,
    "/demo/hello/media/main/README.md",
  ])("the old form %s does hold what the origin redirects to", async (path) => {
    const expected = await seen(await fromOrigin(path, { redirect: "follow" }));
    expect(expected).toMatchObject({ status: 200 });
    for (let time = 0; time < 2; time++) {
      expect(await seen(await fromEdge(path, { redirect: "follow" }))).toEqual(expected);
    }
  });

  it.each([
    `${HELLO}/branch/odd-names/back%5Cslash.txt`,
    `${HELLO}/branch/feature%2Flogin/x.txt`,
    `${HELLO}/commit/{short}/README.md`,
    `${HELLO}/branch/HEAD/README.md`,
    `${API}/docs/small.txt?ref={short}`,
    `${HELLO}/blob/{blob}`,
    `${API}/README.md?ref=main&ref=v1.0`,
    "/api/v1/repos/demo/hello",
    "/demo/hello",
  ])("%s does answer as the origin, from whatever it is made", async (path) => {
    const origin = await fromOrigin(path);
    const expected = await seen(origin);
    for (let time = 0; time < 2; time++) {
      const response = await fromEdge(path);
      expect(response.headers.get("location")).toBe(origin.headers.get("location"));
      const body = await seen(response);
      if (path.startsWith("/api")) expect(body).toMatchObject({ status: origin.status });
      else expect(body).toEqual(expected);
    }
  });

  it("the default branch by its old form does follow what is pushed to it", async () => {
    const { gitea } = harness.demo;
    const path = `${HELLO}/fresh.txt`;
    await gitea.commit("demo/hello", "main", { "fresh.txt": "one\n" });
    await harness.world({ clockOffsetMs: 61_000 });
    expect(await (await fromEdge(path)).text()).toBe("one\n");
    await gitea.commit("demo/hello", "main", { "fresh.txt": "two\n" });
    await harness.world({ clockOffsetMs: 122_000 });
    expect(await (await fromEdge(path)).text()).toBe("two\n");
  });

  it("Last-Modified is that of the commit asked for, also where the bytes are those of an older one", async () => {
    const { gitea } = harness.demo;
    const path = `${HELLO}/branch/back-and-forth/x.txt`;
    await gitea.commit("demo/hello", "back-and-forth", { "x.txt": "first\n" });
    const first = await fromEdge(path);
    await gitea.commit("demo/hello", "back-and-forth", { "x.txt": "second\n" });
    const between = (await fromOrigin(path)).headers.get("last-modified") ?? "";
    await gitea.commit("demo/hello", "back-and-forth", { "x.txt": "first\n" });
    await harness.world({ clockOffsetMs: 183_000 });
    const again = await fromEdge(path);
    expect(await again.text()).toBe("first\n");
    expect(again.headers.get("etag")).toBe(first.headers.get("etag"));
    expect(again.headers.get("last-modified")).toBe((await fromOrigin(path)).headers.get("last-modified"));
    // Whoever holds the bytes that came between must not be told that they are still current.
    const condition = await fromEdge(path, { headers: { "If-Modified-Since": between } });
    expect(condition.status).toBe(200);
  });
});

describe("what is not there", () => {
  it.each([
    `${HELLO}/branch/main/missing.txt`,
    `${HELLO}/branch/main/docs`,
    `${HELLO}/branch/main/vendor/library`,
    `${HELLO}/branch/main/README.md/README.md`,
    `${HELLO}/commit/{main}/docs`,
    `${HELLO}/commit/0123456789012345678901234567890123456789/README.md`,
    `${API}/missing.txt`,
    `${API}/docs?ref=main`,
    `${API}/vendor/library`,
    `${API}/README.md?ref=0123456789012345678901234567890123456789`,
  ])("%s does get the origin's own answer, each time", async (path) => {
    const origin = await fromOrigin(path);
    const text = await origin.text();
    for (let time = 0; time < 2; time++) {
      const response = await fromEdge(path);
      expect(response.headers.get("cache-control") ?? "no-store").not.toMatch(/public|max-age=[1-9]/);
      expect(response.status).toBe(origin.status);
      expect(response.headers.get("content-type")).toBe(origin.headers.get("content-type"));
      // The API's errors hold the address that was asked.
      if (!path.startsWith("/api")) expect(await response.text()).toBe(text);
    }
  });

  it.each([
    `${HELLO}/branch/missing/README.md`,
    `${HELLO}/branch/v1.0/README.md`,
    `${HELLO}/tag/main/README.md`,
    `${HELLO}/branch/feature/README.md`,
    `${HELLO}/branch/feat/README.md`,
    `${API}/README.md?ref=missing`,
  ])("%s names no ref: 404", async (path) => {
    expect((await fromOrigin(path)).status).toBe(404);
    for (let time = 0; time < 2; time++) expect((await fromEdge(path)).status).toBe(404);
  });
});

type Carrier = readonly [what: string, headers: Record<string, string>, query: string];

const GOOD: readonly Carrier[] = [
  ["Authorization: token", { Authorization: "token gitea-reader" }, ""],
  ["Bearer", { Authorization: "Bearer gitea-reader" }, ""],
  ["Basic, user and password", { Authorization: basic("reader", "password") }, ""],
  ["Basic, token as password", { Authorization: basic("anything", "gitea-reader") }, ""],
  ["Basic, token as user", { Authorization: basic("gitea-reader", "x-oauth-basic") }, ""],
  ["?token", {}, "token=gitea-reader"],
  ["?access_token", {}, "access_token=gitea-reader"],
  ["a session", { Cookie: "lang=de; i_like_gitea=session-reader" }, ""],
  ["a token in two places", { Authorization: "token gitea-reader" }, "token=gitea-reader"],
];
const BAD: readonly Carrier[] = [
  ["a wrong token", { Authorization: "token wrong" }, ""],
  ["a wrong bearer", { Authorization: "Bearer wrong" }, ""],
  ["a wrong password", { Authorization: basic("reader", "wrong") }, ""],
  ["a wrong token in the query", {}, "token=wrong"],
  ["a token without access", { Authorization: "token gitea-other" }, ""],
  ["an ended session", { Cookie: "i_like_gitea=ended" }, ""],
  ["another cookie", { Cookie: "reader=session-reader" }, ""],
  ["two wrong tokens", { Authorization: "token wrong" }, "access_token=wrong"],
  ["nobody", {}, ""],
];
const withQuery = (path: string, query: string): string =>
  query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;

describe.each([
  ["the web", SECRET],
  ["the API", SECRET_API],
])("credentials at %s", (_, file) => {
  it.each(GOOD)(
    "%s does open a private file, from the cache the second time",
    async (_what, headers, query) => {
      const path = withQuery(file, query);
      const expected = await seen(await fromOrigin(path, { headers }));
      expect(expected).toMatchObject({
        status: 200,
        body: expect.stringContaining(PRIVATE_MARKER) as string,
      });
      const first = await fromEdge(path, { headers });
      expect(first.headers.get("cache-control")).toBe("private, max-age=60, stale-while-revalidate=60");
      expect(await seen(first)).toEqual(expected);
      harness.demo.gitea.resetCounts();
      const second = await fromEdge(path, { headers });
      expectHits(second);
      expect(second.headers.get("set-cookie")).toBeNull();
      expect(await seen(second)).toEqual(expected);
      expect(harness.demo.gitea.counts().total).toBe(0);
    },
  );

  it.each(BAD)("%s does open nothing", async (what, headers, query) => {
    const path = withQuery(file, query);
    const { status } = await fromOrigin(path, { headers });
    for (const method of ["GET", "HEAD", "GET"]) {
      const response = await fromEdge(path, { headers, method });
      // Smart HTTP challenges nobody in particular, where the page would have been missing.
      if (status !== 404 || what === "a token without access") expect(response.status).toBe(status);
      else expect([401, 404]).toContain(response.status);
      expect(response.headers.get("cache-control") ?? "no-store").toBe("no-store");
      expect(response.headers.get("etag")).toBeNull();
      expect(await response.text()).not.toContain(PRIVATE_MARKER);
    }
  });
});

describe("denials", () => {
  it("nobody is challenged for Basic on the web", async () => {
    const response = await fromEdge(SECRET);
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Basic realm="Gitea"');
  });

  it.each([
    ["a wrong token", { Authorization: "token wrong" }],
    ["a token without access", { Authorization: "token gitea-other" }],
  ])("the API does answer %s in JSON, as the origin", async (_, headers) => {
    const origin = await fromOrigin(SECRET_API, { headers });
    const { message } = (await origin.json()) as { message: string };
    for (let time = 0; time < 2; time++) {
      const response = await fromEdge(SECRET_API, { headers });
      expect(response.status).toBe(origin.status);
      expect(response.headers.get("content-type")).toBe("application/json");
      expect(await response.json()).toMatchObject({ message });
    }
  });

  it("a private project and a missing one do look the same", async () => {
    for (const headers of [{}, { Authorization: "token gitea-other" }, { Cookie: "i_like_gitea=ended" }]) {
      const hidden = await fromEdge(SECRET, { headers });
      const missing = await fromEdge(SECRET.replace("secret", "nothing"), { headers });
      expect(await seen(missing)).toEqual(await seen(hidden));
      expect(missing.headers.get("www-authenticate")).toBe(hidden.headers.get("www-authenticate"));
    }
  });
});
