import { createHash } from "node:crypto";
import { request } from "node:http";
import { describe, expect, it, test } from "vitest";
import { pseudoRandomBytes } from "../../scripts/demo/pseudo-random.ts";
import { basic, BIG_FILE_BYTES, useDemo } from "./running-demo.ts";

const running = useDemo();
const get = (path: string, init: RequestInit = {}) =>
  fetch(running.demo.gitlab.url + path, { redirect: "manual", ...init });

describe("which file a URL names", () => {
  test.for([
    ["/demo/hello/-/raw/main/README.md", "# Hello\n\nA small repository to try a cache on.\n"],
    ["/demo/hello/raw/main/README.md", "# Hello\n\nA small repository to try a cache on.\n"],
    ["/demo/hello/-/raw/HEAD/README.md", "# Hello\n\nA small repository to try a cache on.\n"],
    ["/demo/hello/-/raw/feature/login/README.md", "# Hello, login\n"],
    ["/demo/hello/-/raw/feature/login-page/README.md", "# Hello, login page\n"],
    ["/demo/hello/-/raw/release/1.x/hotfix/README.md", "# Hello, hotfix\n"],
    ["/demo/hello/-/raw/feature/README.md", "# Hello, tag feature\n"],
    ["/demo/hello/-/raw/feature/login/x.txt", "x on feature/login\n"],
    ["/demo/hello/-/raw/main/feature/login/x.txt", "feature/login/x on main\n"],
    ["/demo/hello/-/raw/feature%2Flogin/x.txt", "x on feature/login\n"],
    ["/demo/hello/-/raw/both/both.txt", "both as a tag\n"],
    ["/demo/hello/-/raw/both/both.txt?ref_type=tags", "both as a tag\n"],
    ["/demo/hello/-/raw/both/both.txt?ref_type=heads", "both as a branch\n"],
    ["/demo/hello/-/raw/main/docs/gr%C3%BC%C3%9Fe/na%C3%AFve%20file.txt", "Grüße\n"],
    ["/demo/hello/-/raw/main/docs/a+b%20&%20c%23d%25.txt", "Every special character has its place\n"],
    ["/demo/hello/-/raw/main/docs/empty.txt", ""],
    ["/demo/hello/-/raw/main/link-to-readme", "README.md"],
    ["/demo/hello/-/raw/v2.0/docs/changes.txt", "A large file came\n"],
  ])("%s", async ([path = "", content]) => {
    const response = await get(path);
    expect(response.status).toBe(200);
    expect(await response.text()).toBe(content);
  });

  it("names a file by a full and by a short commit id", async () => {
    const commit = await running.demo.gitlab.objectId("demo/hello", "refs/heads/feature/login");
    for (const id of [commit, commit?.slice(0, 8)]) {
      expect(await (await get(`/demo/hello/-/raw/${id}/README.md`)).text()).toBe("# Hello, login\n");
    }
  });

  test.for([
    "/demo/hello/-/raw/main/missing.txt",
    "/demo/hello/-/raw/main/docs",
    "/demo/hello/-/raw/main/vendor/library",
    "/demo/hello/-/raw/missing/README.md",
    "/demo/hello/-/raw/v1.0/README.md?ref_type=heads",
    "/demo/hello/-/raw/main~1/README.md",
    "/demo/hello/-/raw/main/README.md%0Ax",
    "/demo/hello/-/raw/main",
  ])("%s is missing", async (path) => {
    expect((await get(path)).status).toBe(404);
  });

  test.for([
    "/demo/hello/-/raw/main/%2e%2e/README.md",
    "/demo/hello/-/raw/main/a%00b",
    "/demo/hello/-/raw/main/%ff",
    "/demo/hello/-/raw/main/..%2fREADME.md",
  ])("%s is refused", async (path) => {
    // fetch() would resolve the dot segments before it asks.
    const status = await new Promise((answer, fail) => {
      request(running.demo.gitlab.url, { path }, (response) => answer(response.resume().statusCode))
        .on("error", fail)
        .end();
    });
    expect(status).toBe(400);
  });
});

describe("the answer", () => {
  it("carries the headers of a public file", async () => {
    const response = await get("/demo/hello/-/raw/main/docs/guide.html");
    const headers = Object.fromEntries(response.headers);
    expect(headers).toMatchObject({
      "content-type": "text/plain; charset=utf-8",
      "content-disposition": "inline",
      "x-content-type-options": "nosniff",
      "cache-control":
        "max-age=60, public, must-revalidate, stale-while-revalidate=60, stale-if-error=300, s-maxage=60",
      "content-length": String((await response.text()).length),
    });
    expect(headers["content-security-policy"]).toContain("default-src 'none'");
    expect(headers["set-cookie"]).toMatch(/^_gitlab_session=/);
    const blob = await running.demo.gitlab.objectId("demo/hello", "main:docs/guide.html");
    expect(headers["etag"]).toMatch(/^"[0-9a-f]{32}"$/);
    expect(blob).not.toContain(headers["etag"]?.slice(1, -1));
  });

  test.for([
    ["docs/empty.txt", "text/plain; charset=utf-8", "inline"],
    ["images/logo.svg", "image/svg+xml", "attachment"],
    ["big/blob.bin", "application/octet-stream", "attachment"],
    [
      "docs/gr%C3%BC%C3%9Fe/na%C3%AFve%20file.txt?inline=false",
      "text/plain; charset=utf-8",
      `attachment; filename="na?ve file.txt"; filename*=UTF-8''na%C3%AFve%20file.txt`,
    ],
  ])("%s is %s, %s", async ([path, type, disposition]) => {
    const { headers } = await get(`/demo/hello/-/raw/main/${path}`, { method: "HEAD" });
    expect([headers.get("content-type"), headers.get("content-disposition")]).toEqual([type, disposition]);
  });

  it("is for an hour by a commit id, and private where not everybody may read", async () => {
    const commit = await running.demo.gitlab.objectId("demo/nested/secret", "main");
    const response = await get(`/demo/nested/secret/-/raw/${commit}/README.md`, {
      headers: { "PRIVATE-TOKEN": "glpat-reader" },
    });
    expect(response.headers.get("cache-control")).toMatch(/^max-age=3600, private,/);
  });

  it("holds every byte of a large file, whatever Range asks for", async () => {
    const response = await get("/demo/hello/-/raw/main/big/blob.bin", {
      headers: { Range: "bytes=0-9" },
    });
    const digest = createHash("sha256");
    for (const chunk of pseudoRandomBytes("hello", BIG_FILE_BYTES)) digest.update(chunk);
    expect(response.status).toBe(200);
    const bytes = new Uint8Array(await response.arrayBuffer());
    expect(createHash("sha256").update(bytes).digest("hex")).toBe(digest.digest("hex"));
    expect(running.demo.gitlab.counts()).toMatchObject({
      total: 1,
      "web:raw": 1,
      bytes: BIG_FILE_BYTES,
    });
  });

  it("is 304 for an entity tag in a list, a weak one, and *", async () => {
    const path = "/demo/hello/-/raw/main/README.md";
    const tag = (await get(path)).headers.get("etag");
    for (const value of [`"other", ${tag}`, `W/${tag}`, "*"]) {
      const response = await get(path, { headers: { "If-None-Match": value } });
      expect([response.status, response.headers.get("etag"), await response.text()]).toEqual([304, tag, ""]);
    }
    expect((await get(path, { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
    expect(running.demo.gitlab.counts()).toMatchObject({
      total: 5,
      "web:raw": 2,
      "web:raw-not-modified": 3,
    });
  });
});

describe("who may read", () => {
  const secret = "/demo/nested/secret/-/raw/main/README.md";

  test.for<[string, string, Record<string, string>]>([
    ["PRIVATE-TOKEN", "", { "PRIVATE-TOKEN": "glpat-reader" }],
    ["Bearer", "", { Authorization: "Bearer glpat-reader" }],
    ["Basic with a password", "", basic("reader", "password")],
    ["Basic with a token", "", basic("oauth2", "glpat-reader")],
    ["Basic with a job token", "", basic("gitlab-ci-token", "job-reader")],
    ["Basic with a deploy token", "", basic("gitlab+deploy-token-1", "gldt-secret")],
    ["JOB-TOKEN", "", { "JOB-TOKEN": "job-reader" }],
    ["Deploy-Token", "", { "Deploy-Token": "gldt-secret" }],
    ["private_token", "?private_token=glpat-reader", {}],
    ["access_token", "?access_token=glpat-reader", {}],
    ["job_token", "?job_token=job-reader", {}],
    ["static object token", "?token=static-reader", {}],
    ["static object token header", "", { "X-Gitlab-Static-Object-Token": "static-reader" }],
    ["session", "", { Cookie: "a=b; _gitlab_session=session-reader" }],
  ])("%s is accepted", async ([, query, headers]) => {
    expect((await get(secret + query, { headers })).status).toBe(200);
  });

  test.for<[string, string, Record<string, string>, number]>([
    ["nobody", secret, {}, 302],
    ["nobody for a missing project", "/demo/missing/-/raw/main/README.md", {}, 302],
    ["an ended session", secret, { Cookie: "_gitlab_session=ended" }, 302],
    ["a token of another project", secret, { "PRIVATE-TOKEN": "glpat-other" }, 404],
    [
      "the deploy token of another project",
      "/demo/other/-/raw/main/README.md",
      { "Deploy-Token": "gldt-secret" },
      404,
    ],
    ["an unknown token", secret, { "PRIVATE-TOKEN": "glpat-unknown" }, 401],
    [
      "an unknown token for a public project",
      "/demo/hello/-/raw/main/README.md",
      { "PRIVATE-TOKEN": "glpat-unknown" },
      401,
    ],
    ["an expired token", secret, { "PRIVATE-TOKEN": "glpat-expired" }, 401],
    ["a password of somebody else", secret, basic("other", "password"), 401],
    ["a job token under another name", secret, basic("reader", "job-reader"), 401],
  ])("%s is refused", async ([, path, headers, status]) => {
    const response = await get(path, { headers });
    expect(response.status).toBe(status);
    expect(response.headers.get("location")).toBe(
      status === 302 ? `${running.demo.gitlab.url}/users/sign_in` : null,
    );
    expect(running.demo.gitlab.counts()).toMatchObject({ denied: 1, "web:raw": 0, other: 1 });
  });
});
