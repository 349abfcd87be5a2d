import { describe, expect, it, test } from "vitest";
import { basic, BIG_FILE_BYTES, useDemo } from "./running-demo.ts";

const running = useDemo();
const get = (path: string, init: RequestInit = {}) =>
  fetch(running.demo.gitea.url + path, { redirect: "manual", ...init });

describe("which file a URL names", () => {
  test.for([
    ["/demo/hello/raw/branch/feature/login/README.md", "# Hello, login\n"],
    ["/demo/hello/raw/branch/release/1.x/hotfix/README.md", "# Hello, hotfix\n"],
    ["/demo/hello/raw/branch/HEAD/docs/changes.txt", "A large file came\n"],
    ["/demo/hello/raw/branch/both/both.txt", "both as a branch\n"],
    ["/demo/hello/raw/tag/both/both.txt", "both as a tag\n"],
    ["/demo/hello/raw/tag/v2.0/docs/changes.txt", "A large file came\n"],
    ["/demo/hello/raw/tag/feature/login/x.txt", "login/x on feature\n"],
    ["/demo/hello/media/branch/main/feature/login/x.txt", "feature/login/x on main\n"],
    ["/demo/hello/raw/branch/main/docs/gr%C3%BC%C3%9Fe/na%C3%AFve%20file.txt", "Grüße\n"],
    ["/demo/hello/raw/branch/main/link-to-readme", "README.md"],
    ["/demo/hello/raw/branch/main/docs/empty.txt", ""],
    ["/api/v1/repos/demo/hello/raw/docs/changes.txt", "A large file came\n"],
    ["/api/v1/repos/demo/hello/raw/README.md?ref=feature/login", "# Hello, login\n"],
    ["/api/v1/repos/demo/hello/raw/both.txt?ref=both", "both as a branch\n"],
  ])("%s", async ([path = "", content]) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(content);
  });

  it("names a file by a commit id", async () => {
    const commit = await running.demo.gitea.objectId("demo/hello", "refs/heads/feature/login");
    for (const id of [commit, commit?.slice(0, 8)]) {
      expect(await (await get(`/demo/hello/raw/commit/${id}/README.md`)).text()).toBe("# Hello, login\n");
    }
  });

  test.for([
    ["/demo/hello/raw/README.md", "/demo/hello/raw/branch/main/README.md"],
    ["/demo/hello/raw/feature/login/x.txt?a=b", "/demo/hello/raw/branch/feature/login/x.txt?a=b"],
    ["/demo/hello/raw/v1.0/README.md", "/demo/hello/raw/tag/v1.0/README.md"],
  ])("%s, which names no kind of ref, leads to %s", async ([path = "", location]) => {
    const response = await get(path);
    expect([response.status, response.headers.get("location")]).toEqual([303, location]);
  });

  test.for([
    "/demo/hello/raw/branch/main/missing.txt",
    "/demo/hello/raw/branch/main/docs",
    "/demo/hello/raw/branch/main/vendor/library",
    "/demo/hello/raw/branch/v1.0/README.md",
    "/demo/hello/raw/tag/main/README.md",
    "/demo/hello/raw/commit/main/README.md",
    "/api/v1/repos/demo/hello/raw/missing.txt",
    "/api/v1/repos/demo/hello/raw/README.md?ref=missing",
  ])("%s is missing", async (path) => {
    expect((await get(path)).status).toBe(404);
  });
});

describe("the answer", () => {
  const path = "/demo/hello/raw/branch/main/docs/guide.html";

  it("carries the headers of a public file", async () => {
    const blob = await running.demo.gitea.objectId("demo/hello", "main:docs/guide.html");
    expect(Object.fromEntries((await get(path)).headers)).toMatchObject({
      etag: `"${blob}"`,
      "last-modified": "Mon, 05 Jan 2026 09:00:00 GMT",
      "content-type": "text/plain; charset=utf-8",
      "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      "x-content-type-options": "nosniff",
      "cache-control": "public, max-age=21600, no-transform",
    });
  });

  it("is 304 for the very entity tag, or for the date", async () => {
    const tag = (await get(path)).headers.get("etag") ?? "";
    const status = async (headers: Record<string, string>) => (await get(path, { headers })).status;
    expect(await status({ "If-None-Match": `"other", ${tag}` })).toBe(304);
    expect(await status({ "If-None-Match": `W/${tag}` })).toBe(200);
    expect(await status({ "If-None-Match": "*" })).toBe(200);
    expect(await status({ "If-Modified-Since": "Mon, 05 Jan 2026 09:00:00 GMT" })).toBe(304);
    expect(await status({ "If-Modified-Since": "Mon, 05 Jan 2026 08:59:59 GMT" })).toBe(200);
    expect(running.demo.gitea.counts()).toMatchObject({ "web:raw": 4, "web:raw-not-modified": 2 });
  });

  test.for<[string, number, number, number]>([
    ["bytes=0-0", 206, 0, 1],
    ["bytes=100000-2000000", 206, 100_000, 2_000_001],
    [`bytes=${BIG_FILE_BYTES - 3}-`, 206, BIG_FILE_BYTES - 3, BIG_FILE_BYTES],
    [`bytes=5-${BIG_FILE_BYTES * 2}`, 206, 5, BIG_FILE_BYTES],
  ])("%s gives that part", async ([range, status, start, end]) => {
    const url = "/demo/hello/raw/branch/main/big/blob.bin";
    const whole = Buffer.from(await (await get(url)).arrayBuffer());
    const response = await get(url, { headers: { Range: range } });
    expect(response.status).toBe(status);
    expect(response.headers.get("content-range")).toBe(`bytes ${start}-${end - 1}/${BIG_FILE_BYTES}`);
    expect(whole.subarray(start, end).equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
  });
});

describe("who may read", () => {
  const secret = "/demo/secret/raw/branch/main/README.md";

  test.for<[string, string, Record<string, string>]>([
    ["token", "", { Authorization: "token gitea-reader" }],
    ["Bearer", "", { Authorization: "Bearer gitea-reader" }],
    ["a password", "", basic("reader", "password")],
    ["a token as the user name", "", basic("gitea-reader", "x-oauth-basic")],
    ["a token as the password", "", basic("reader", "gitea-reader")],
    ["?token", "?token=gitea-reader", {}],
    ["?access_token", "?access_token=gitea-reader", {}],
    ["a session", "", { Cookie: "i_like_gitea=session-reader" }],
  ])("%s is accepted", async ([, query, headers]) => {
    const response = await get(secret + query, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("cache-control")).toMatch(/^private,/);
  });

  test.for<[string, string, Record<string, string>, number]>([
    ["nobody", secret, {}, 404],
    ["nobody for a missing repository", "/demo/missing/raw/branch/main/README.md", {}, 404],
    ["a token of another repository", secret, { Authorization: "token gitea-other" }, 404],
    ["an unknown token", secret, { Authorization: "token gitea-unknown" }, 401],
    ["nobody at the API", "/api/v1/repos/demo/secret/raw/README.md", {}, 404],
    [
      "an unknown token at the API",
      "/api/v1/repos/demo/secret",
      { Authorization: "token gitea-unknown" },
      401,
    ],
  ])("%s is refused", async ([, path, headers, status]) => {
    expect((await get(path, { headers })).status).toBe(status);
    expect(running.demo.gitea.counts().denied).toBe(1);
  });
});
