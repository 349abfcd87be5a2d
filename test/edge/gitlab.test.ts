import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import { startHarness, type Harness } from "./harness.ts";
import { expectHits, tryForms } from "./raw-forms.ts";

const HELLO = "/demo/hello/-/raw";
const SECRET = "/demo/nested/secret/-/raw/main/config/private.txt";
const SECRET_API =
  "/api/v4/projects/demo%2Fnested%2Fsecret/repository/files/config%2Fprivate.txt/raw?ref=main";
const FILES_1 = "/api/v4/projects/1/repository/files";

/** Header fields of the content, which the edge must pass on as the origin gave them. */
const CONTENT_HEADERS = [
  "content-type",
  "content-disposition",
  "content-security-policy",
  "x-content-type-options",
  "content-length",
  "x-gitlab-blob-id",
  "x-gitlab-commit-id",
  "x-gitlab-content-sha256",
  "x-gitlab-encoding",
  "x-gitlab-execute-filemode",
  "x-gitlab-file-name",
  "x-gitlab-file-path",
  "x-gitlab-last-commit-id",
  "x-gitlab-ref",
  "x-gitlab-size",
];

let harness: Harness;
/** What the rows of the tables name by words in braces. */
const names: Record<string, string> = {};

beforeAll(async () => {
  harness = await startHarness({ bigFileBytes: 100_000 });
  const { gitlab } = harness.demo;
  names["commit"] = await gitlab.commit("demo/hello", "odd-names", {
    "main/README.md": "a path that looks like a ref\n",
    "raw/main/x.txt": "a path with the grammar's own words\n",
    "日本語/🎉.txt": "CJK and an emoji\n",
    "e\u0301.txt": "decomposed\n",
    "\u00e9.txt": "composed\n",
    "a;b=c,d@e!$&'()*+.txt": "sub-delimiters\n",
    'quote"quote.txt': "a quote\n",
    "question?mark.txt": "a question mark\n",
    "100%25.txt": "a name that reads as an escape\n",
    "back\\slash.txt": "a backslash\n",
    " blank .txt": "blanks\n",
    README: "no extension\n",
    "image.png": Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 255, 254]),
  });
  for (const [word, object] of [
    ["main", "main"],
    ["blob", "main:docs/small.txt"],
    ["tag-commit", "v2.0^{commit}"],
    ["tag-object", "v2.0"],
  ] as const) {
    names[word] = (await gitlab.objectId("demo/hello", object)) ?? "";
  }
});
afterAll(() => harness.close());

const named = (path: string): string => path.replace(/\{([\w-]+)\}/g, (_, word: string) => names[word] ?? "");
const fromEdge = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(harness.gitlab + named(path), { redirect: "manual", ...init });
const fromOrigin = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(harness.demo.gitlab.url + named(path), { redirect: "manual", ...init });
const basic = (user: string, password: string): string =>
  `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;

function contentHeaders({ headers }: Response): Record<string, string | null> {
  return Object.fromEntries(CONTENT_HEADERS.map((name) => [name, headers.get(name)]));
}

async function seen(response: Response): Promise<object> {
  const body = Buffer.from(await response.arrayBuffer()).toString("latin1");
  return { status: response.status, body, headers: contentHeaders(response) };
}

const FORMS: readonly string[] = [
  `${HELLO}/main/README.md`,
  "/demo/hello/raw/main/README.md",
  `${HELLO}/main/docs/small.txt?inline=false`,
  `${HELLO}/main/docs/small.txt?inline=true`,
  `${HELLO}/HEAD/README.md`,
  `${HELLO}/feature/login/README.md`,
  `${HELLO}/feature/login-page/README.md`,
  `${HELLO}/release/1.x/hotfix/README.md`,
  "/demo/hello/raw/release/1.x/hotfix/README.md",
  `${HELLO}/feature/README.md`,
  `${HELLO}/feature/login/x.txt`,
  `${HELLO}/main/feature/login/x.txt`,
  `${HELLO}/v1.0/README.md`,
  `${HELLO}/v2.0/docs/changes.txt`,
  `${HELLO}/both/both.txt`,
  `${HELLO}/both/both.txt?ref_type=tags`,
  `${HELLO}/both/both.txt?ref_type=heads`,
  `${HELLO}/both/both.txt?ref_type=neither`,
  `${HELLO}/{main}/README.md`,
  `${HELLO}/{tag-commit}/docs/changes.txt?inline=false`,
  `${HELLO}/{tag-object}/README.md`,
  `${HELLO}/main/docs/gr%C3%BC%C3%9Fe/na%C3%AFve%20file.txt`,
  `${HELLO}/main/docs/a+b%20&%20c%23d%25.txt`,
  `${HELLO}/main/docs/%61%2B%62%20%26%20%63%23%64%25%2Etxt`,
  `${HELLO}/main/docs/empty.txt`,
  `${HELLO}/main/docs/guide.html`,
  `${HELLO}/main/images/logo.svg`,
  `${HELLO}/main/bin/hello`,
  `${HELLO}/main/link-to-readme`,
  `${HELLO}/main/big/blob.bin`,
  `${HELLO}/odd-names/main/README.md`,
  `${HELLO}/odd-names/raw/main/x.txt`,
  "/demo/hello/raw/odd-names/raw/main/x.txt",
  `${HELLO}/odd-names/%E6%97%A5%E6%9C%AC%E8%AA%9E/%F0%9F%8E%89.txt?inline=false`,
  `${HELLO}/odd-names/e%CC%81.txt`,
  `${HELLO}/odd-names/%C3%A9.txt`,
  `${HELLO}/odd-names/a;b=c,d@e!$&'()*+.txt`,
  `${HELLO}/odd-names/quote%22quote.txt?inline=false`,
  `${HELLO}/odd-names/question%3Fmark.txt`,
  `${HELLO}/odd-names/100%2525.txt`,
  `${HELLO}/odd-names/%20blank%20.txt`,
  `${HELLO}/odd-names/README`,
  `${HELLO}/odd-names/image.png`,
  `${FILES_1}/README.md/raw`,
  `${FILES_1}/README.md/raw?ref=main`,
  `${FILES_1}/README.md/raw?ref=HEAD`,
  `${FILES_1}/README.md/raw?ref={main}`,
  `${FILES_1}/README.md/raw?ref=feature/login`,
  `${FILES_1}/README.md/raw?ref=feature%2Flogin-page`,
  `${FILES_1}/README.md/raw?ref=refs/heads/feature/login`,
  `${FILES_1}/both.txt/raw?ref=both`,
  `${FILES_1}/docs%2Fsmall.txt/raw?ref=v2.0&lfs=true`,
  `${FILES_1}/docs%2Fempty.txt/raw?ref=main`,
  `${FILES_1}/docs%2Fgr%C3%BC%C3%9Fe%2Fna%C3%AFve%20file.txt/raw?ref=main`,
  `${FILES_1}/a;b=c,d@e!$&'()*+.txt/raw?ref=odd-names`,
  `${FILES_1}/%E6%97%A5%E6%9C%AC%E8%AA%9E%2F%F0%9F%8E%89.txt/raw?ref=odd-names`,
  `${FILES_1}/bin%2Fhello/raw?ref=main`,
  "/api/v4/projects/demo%2Fhello/repository/files/README.md/raw",
  "/api/v4/projects/demo%2Fhello/repository/files/README.md/raw?ref=release/1.x/hotfix",
  "/api/v4/projects/1/repository/blobs/{blob}/raw",
  "/api/v4/projects/demo%2Fhello/repository/blobs/{blob}/raw",
];

describe("a raw file in every form", () => {
  tryForms(FORMS, { harness: () => harness, forge: "gitlab", fromOrigin, fromEdge, seen });

  it.each([
    `${HELLO}/odd-names/back%5Cslash.txt`,
    `${HELLO}/feature%2Flogin/x.txt`,
    `${HELLO}/both/both.txt?ref_type=heads&ref_type=tags`,
    `${FILES_1}/docs%2Fsmall.txt/raw?ref=main&ref=v1.0`,
    `${FILES_1}/README.md?ref=main`,
    `${FILES_1}/README.md/raw?ref=`,
    "/api/v4/projects/1/repository/blobs/{blob}",
    "/api/v4/projects/1",
    "/users/sign_in",
  ])("%s does answer as the origin, from whatever it is made", async (path) => {
    const expected = await seen(await fromOrigin(path));
    for (let time = 0; time < 2; time++) expect(await seen(await fromEdge(path))).toEqual(expected);
  });

  it("a short commit id does name the commit, as at the origin", async () => {
    const path = `${HELLO}/${names["main"]?.slice(0, 8)}/README.md`;
    const expected = await seen(await fromOrigin(path));
    expect(expected).toMatchObject({ status: 200 });
    expect(await seen(await fromEdge(path))).toEqual(expected);
  });

  it("ref_type does not change where the ref ends", async () => {
    const path = `${HELLO}/feature/login/x.txt?ref_type=tags`;
    expect((await fromOrigin(path)).status).toBe(404);
    expect((await fromEdge(path)).status).toBe(404);
  });

  it("a new commit, a tag that moved and a deleted branch do show within the life of a ref", async () => {
    const { gitlab } = harness.demo;
    await gitlab.commit("demo/hello", "moving", { "x.txt": "one\n" });
    await gitlab.createTag("demo/hello", "mark", "refs/heads/moving");
    const read = async (ref: string) => await (await fromEdge(`${HELLO}/${ref}/x.txt`)).text();
    expect([await read("moving"), await read("mark")]).toEqual(["one\n", "one\n"]);
    await gitlab.commit("demo/hello", "moving", { "x.txt": "two\n" });
    await gitlab.createTag("demo/hello", "mark", "refs/heads/moving");
    await harness.world({ clockOffsetMs: 61_000 });
    expect([await read("moving"), await read("mark")]).toEqual(["two\n", "two\n"]);
    await gitlab.deleteRef("demo/hello", "refs/heads/moving");
    await harness.world({ clockOffsetMs: 122_000 });
    expect((await fromEdge(`${HELLO}/moving/x.txt`)).status).toBe(404);
  });
});

describe("what is not there", () => {
  it.each([
    `${HELLO}/main/missing.txt`,
    `${HELLO}/main/docs`,
    `${HELLO}/main/docs/`,
    `${HELLO}/main/vendor/library`,
    `${HELLO}/{main}/docs`,
    `${HELLO}/0123456789012345678901234567890123456789/README.md`,
    `${HELLO}/main/README.md/README.md`,
    `${HELLO}/main`,
    `${FILES_1}/missing.txt/raw?ref=main`,
    `${FILES_1}/docs/raw?ref=main`,
    `${FILES_1}/vendor%2Flibrary/raw?ref=main`,
    `${FILES_1}/README.md/raw?ref=missing`,
    `${FILES_1}/README.md/raw?ref=0123456789012345678901234567890123456789`,
    "/api/v4/projects/1/repository/blobs/0123456789012345678901234567890123456789/raw",
    "/api/v4/projects/999/repository/files/README.md/raw?ref=main",
    "/api/v4/projects/demo%2Fmissing/repository/files/README.md/raw",
  ])("%s does get the origin's own answer, each time", async (path) => {
    const expected = await seen(await fromOrigin(path));
    for (let time = 0; time < 2; time++) {
      const response = await fromEdge(path);
      expect(response.headers.get("cache-control") ?? "no-store").not.toMatch(/public|max-age=[1-9]/);
      expect(await seen(response)).toEqual(expected);
    }
    const head = await fromEdge(path, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([(expected as { status: number }).status, ""]);
  });

  it.each([
    `${HELLO}/missing/README.md`,
    `${HELLO}/v1.0/README.md?ref_type=heads`,
    `${HELLO}/feat/README.md`,
  ])("%s names no ref: 404", async (path) => {
    for (let time = 0; time < 2; time++) expect((await fromEdge(path)).status).toBe(404);
  });

  it("a missing file does cost the origin one question in ten seconds", async () => {
    await fromEdge(`${HELLO}/main/not-here.txt`);
    harness.demo.gitlab.resetCounts();
    for (let time = 0; time < 5; time++)
      expect((await fromEdge(`${HELLO}/main/not-here.txt`)).status).toBe(404);
    expect(harness.demo.gitlab.counts().total).toBe(0);
  });
});

type Carrier = readonly [what: string, headers: Record<string, string>, query: string];

const GOOD_FOR_BOTH: readonly Carrier[] = [
  ["PRIVATE-TOKEN", { "PRIVATE-TOKEN": "glpat-reader" }, ""],
  ["Bearer", { Authorization: "Bearer glpat-reader" }, ""],
  ["JOB-TOKEN", { "JOB-TOKEN": "job-reader" }, ""],
  ["Deploy-Token", { "Deploy-Token": "gldt-secret" }, ""],
  ["?private_token", {}, "private_token=glpat-reader"],
  ["?access_token", {}, "access_token=glpat-reader"],
  ["?job_token", {}, "job_token=job-reader"],
  ["a session", { Cookie: "theme=dark; _gitlab_session=session-reader; other=1" }, ""],
  ["a token in two places", { "PRIVATE-TOKEN": "glpat-reader" }, "private_token=glpat-reader"],
];
const GOOD_ON_THE_WEB: readonly Carrier[] = [
  ...GOOD_FOR_BOTH,
  ["Basic, token as password", { Authorization: basic("oauth2", "glpat-reader") }, ""],
  ["Basic, user and password", { Authorization: basic("reader", "password") }, ""],
  ["Basic, job token", { Authorization: basic("gitlab-ci-token", "job-reader") }, ""],
  ["Basic, deploy token", { Authorization: basic("gitlab+deploy-token-1", "gldt-secret") }, ""],
  ["static object token", { "X-Gitlab-Static-Object-Token": "static-reader" }, ""],
  ["?token", {}, "token=static-reader"],
];
/** The same with every secret made wrong. */
function spoiled([what, headers, query]: Carrier): Carrier {
  const wrong = Object.entries(headers).map(([name, value]) => [
    name,
    value.startsWith("Basic") ? basic("reader", "wrong") : `${value.replace("; other=1", "")}-wrong`,
  ]);
  return [what, Object.fromEntries(wrong) as Record<string, string>, query && `${query}-wrong`];
}
const withQuery = (path: string, query: string): string =>
  query === "" ? path : `${path}${path.includes("?") ? "&" : "?"}${query}`;

describe.each([
  ["the web", SECRET, GOOD_ON_THE_WEB],
  ["the API", SECRET_API, GOOD_FOR_BOTH],
] as const)("credentials at %s", (_, file, carriers) => {
  it.each(carriers)(
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
      harness.demo.gitlab.resetCounts();
      const second = await fromEdge(path, { headers });
      expectHits(second);
      expect(second.headers.get("set-cookie")).toBeNull();
      expect(await seen(second)).toEqual(expected);
      expect(harness.demo.gitlab.counts().total).toBe(0);
    },
  );

  it.each([
    ...carriers.map(spoiled),
    ["an expired token", { "PRIVATE-TOKEN": "glpat-expired" }, ""],
    ["an expired token in the query", {}, "private_token=glpat-expired"],
    ["a token without access", { "PRIVATE-TOKEN": "glpat-other" }, ""],
    ["two wrong tokens", { "PRIVATE-TOKEN": "no", "JOB-TOKEN": "nor-this" }, ""],
  ] as const)("%s, wrong, does open nothing", async (_what, headers, query) => {
    const path = withQuery(file, query);
    const { status } = await fromOrigin(path, { headers });
    expect(status).toBeGreaterThanOrEqual(300);
    for (const method of ["GET", "HEAD", "GET"]) {
      const response = await fromEdge(path, { headers, method });
      expect(response.status).toBe(status);
      expect(response.headers.get("cache-control")).toBe("no-store");
      expect(response.headers.get("set-cookie")).toBeNull();
      expect(response.headers.get("etag")).toBeNull();
      expect(await response.text()).not.toContain(PRIVATE_MARKER);
    }
  });
});

describe("who else may not read", () => {
  it("a right and a wrong token in two places do count as the origin counts them", async () => {
    for (const [header, query] of [
      ["glpat-reader", "glpat-wrong"],
      ["glpat-wrong", "glpat-reader"],
      ["glpat-other", "glpat-reader"],
    ] as const) {
      for (const file of [SECRET, SECRET_API]) {
        const path = withQuery(file, `private_token=${query}`);
        const headers = { "PRIVATE-TOKEN": header };
        const { status } = await fromOrigin(path, { headers });
        expect((await fromEdge(path, { headers })).status).toBe(status);
      }
    }
  });

  it("nobody is challenged for Basic, or sent to sign in where a browser asks", async () => {
    const plain = await fromEdge(SECRET);
    expect(plain.status).toBe(401);
    expect(plain.headers.get("www-authenticate")).toBe('Basic realm="GitLab"');
    expect(await plain.text()).not.toContain(PRIVATE_MARKER);
    for (const accept of ["text/html", "text/html,application/xhtml+xml,*/*;q=0.8"]) {
      const browser = await fromEdge(SECRET, { headers: { Accept: accept } });
      expect([browser.status, browser.headers.get("www-authenticate")]).toEqual([302, null]);
      const location = new URL(browser.headers.get("location") ?? "", harness.gitlab);
      expect(location.href).toBe(`${harness.gitlab}/users/sign_in`);
    }
  });

  it("a session that has ended is sent to sign in at the site, not at the origin", async () => {
    const headers = { Cookie: "_gitlab_session=ended" };
    for (let time = 0; time < 2; time++) {
      const response = await fromEdge(SECRET, { headers });
      expect(response.status).toBe(302);
      const location = new URL(response.headers.get("location") ?? "", harness.gitlab);
      expect(location.href).toBe(`${harness.gitlab}/users/sign_in`);
    }
    const open = await fromEdge(`${HELLO}/main/README.md`, { headers });
    expect([open.status, open.headers.get("set-cookie")]).toEqual([200, null]);
  });

  it("a private project and a missing one do look the same", async () => {
    for (const headers of [{}, { "PRIVATE-TOKEN": "glpat-other" }, { Cookie: "_gitlab_session=ended" }]) {
      const hidden = await fromEdge(SECRET, { headers });
      const missing = await fromEdge(SECRET.replace("secret", "nothing"), { headers });
      expect(await seen(missing)).toEqual(await seen(hidden));
      expect(missing.headers.get("www-authenticate")).toBe(hidden.headers.get("www-authenticate"));
    }
    expect((await fromEdge(SECRET, { headers: { "PRIVATE-TOKEN": "glpat-other" } })).status).toBe(404);
  });

  it.each([
    ["nobody", {}],
    ["a wrong token", { "PRIVATE-TOKEN": "wrong" }],
    ["an expired token", { "PRIVATE-TOKEN": "glpat-expired" }],
    ["a token without access", { "PRIVATE-TOKEN": "glpat-other" }],
  ])("the API's own JSON does reach %s", async (_, headers) => {
    const expected = await seen(await fromOrigin(SECRET_API, { headers }));
    for (let time = 0; time < 2; time++) {
      const response = await fromEdge(SECRET_API, { headers });
      expect(await seen(response)).toEqual(expected);
    }
  });

  it("a public file is refused to a wrong token, as at the origin", async () => {
    const headers = { "PRIVATE-TOKEN": "wrong" };
    for (const path of [`${HELLO}/main/README.md`, `${FILES_1}/README.md/raw?ref=main`]) {
      const { status } = await fromOrigin(path, { headers });
      expect((await fromEdge(path, { headers })).status).toBe(status);
    }
  });

  it("denials do cost the origin one question each in ten seconds", async () => {
    const headers = { "PRIVATE-TOKEN": "some-other-wrong-one" };
    harness.demo.gitlab.resetCounts();
    for (let time = 0; time < 5; time++) await fromEdge(SECRET, { headers });
    expect(harness.demo.gitlab.counts().denied).toBe(1);
  });
});
