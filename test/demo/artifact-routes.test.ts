import { gunzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import { PRIVATE_MARKER } from "../../scripts/demo/demo.ts";
import type { NewJob } from "../../scripts/demo/jobs.ts";
import { smallArchive } from "../../scripts/demo/sample-archive.ts";
import { basic, useDemo } from "./running-demo.ts";

const running = useDemo();
const get = (path: string, init?: RequestInit) =>
  fetch(running.demo.gitlab.url + path, { redirect: "manual", ...init });
const API = "/api/v4/projects";
const SESSION = { Cookie: "_gitlab_session=session-reader" };
const DEVELOPER = { "PRIVATE-TOKEN": "glpat-developer" };

afterEach(() => {
  for (const id of [1001, 2001]) running.demo.gitlab.jobs.setArtifactAccess(id, "all");
});

function addJob(name: string, ref: string, text: string, project = "demo/hello"): number {
  const archive = smallArchive({ "which.txt": text, "raw/a/raw/b.txt": `raw of ${text}` });
  const job: NewJob = { project, name, ref, archive, storage: "local" };
  return running.demo.gitlab.jobs.addJob(job).id;
}

describe("one file of an archive", () => {
  it("is sent by the API with a length, and without ranges and validators", async () => {
    const path = `${API}/1/jobs/1001/artifacts/coverage/index.html`;
    const response = await get(path, { headers: { Range: "bytes=0-3" } });
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "content-disposition": 'attachment; filename="index.html"',
      "x-content-type-options": "nosniff",
      "cache-control": "max-age=0, private, must-revalidate",
    });
    for (const name of ["etag", "last-modified", "accept-ranges"])
      expect(response.headers.get(name)).toBeNull();
    const text = await response.text();
    expect(text).toContain("<h1>Build of hello</h1>");
    expect(response.headers.get("content-length")).toBe(String(text.length));
    const counts = () => running.demo.gitlab.counts();
    expect(counts()).toMatchObject({ "api:artifact-file": 1, bytes: text.length, artifactBytes: 0 });
    const head = await get(path, { method: "HEAD" });
    expect(head.headers.get("content-length")).toBe(String(text.length));
    expect(counts()).toMatchObject({ "api:artifact-file": 2, bytes: text.length });
  });

  it.each([
    ["coverage/src/deep/er/module.ts.html", "text/html; charset=utf-8", 200],
    ["docs/Gr%C3%B6%C3%9Fe%20und%20Ma%C3%9F%20(1).txt", "text/plain; charset=utf-8", 200],
    ["coverage%2Freport.js", "text/javascript; charset=utf-8", 200],
    ["coverage/images/pixel.png", "image/png", 200],
    ["logs/build.log", "application/octet-stream", 200],
    ["empty.txt", "text/plain; charset=utf-8", 200],
    ["latest.html", "text/html; charset=utf-8", 200],
    ["coverage/", "application/octet-stream", 200],
    ["coverage", "text/plain; charset=utf-8", 404],
    ["tree", "text/plain; charset=utf-8", 404],
    ["Coverage/index.html", "text/plain; charset=utf-8", 404],
  ])("has the type of its name: %s", async (path, type, status) => {
    const response = await get(`${API}/1/jobs/1002/artifacts/${path}`);
    expect([response.status, response.headers.get("content-type")]).toEqual([status, type]);
    const { byteLength } = await response.arrayBuffer();
    expect(response.headers.get("content-length")).toBe(String(byteLength));
  });

  it.each([
    ["coverage/index.html", "text/plain; charset=utf-8"],
    ["coverage/images/pixel.png", "image/png"],
    ["logs/build.log", "text/plain; charset=utf-8"],
    ["data/random.bin", "application/octet-stream"],
    ["empty.txt", "text/plain; charset=utf-8"],
  ])("has the type of what is in it, on the web and by a ref: %s", async (path, type) => {
    for (const url of [
      `/demo/hello/-/jobs/1001/artifacts/raw/${path}`,
      `${API}/demo%2Fhello/jobs/artifacts/main/raw/${path}?job=build`,
    ]) {
      const response = await get(url);
      expect([response.status, response.headers.get("content-type")]).toEqual([200, type]);
      expect(response.headers.get("content-disposition")).toMatch(/^attachment; filename="/);
    }
    expect(running.demo.gitlab.counts()).toMatchObject({ "web:artifact-file": 1, "api:artifact-file": 1 });
  });

  it("is a whole 3 MB where it has them", async () => {
    const [log, random] = await Promise.all(
      ["logs/build.log", "data/random.bin"].map((path) => get(`${API}/1/jobs/1001/artifacts/${path}`)),
    );
    expect((await log?.text())?.length).toBe(3 * 1024 * 1024);
    expect((await random?.arrayBuffer())?.byteLength).toBe(3 * 1024 * 1024);
  });

  it("is not unpacked by a method that Workhorse does not know", async () => {
    const archive = Buffer.from(smallArchive({ "a.txt": "a\n" }));
    archive.writeUInt16LE(93, archive.readUInt32LE(archive.length - 6) + 10);
    const job = { project: "demo/hello", name: "zstd", ref: "main", archive, storage: "local" } as const;
    const { id } = running.demo.gitlab.jobs.addJob(job);
    const response = await get(`${API}/1/jobs/${id}/artifacts/a.txt`);
    expect([response.status, await response.text()]).toEqual([500, "Internal Server Error\n"]);
  });
});

describe("the latest job of a ref", () => {
  it("is the one that was added last, in the API", async () => {
    addJob("latest", "feature/login", "older");
    const id = addJob("latest", "feature/login", "newer");
    addJob("latest", "feature", "of another ref");
    addJob("latest", "feature/login", "of another project", "demo/other");
    const file = async (ref: string, path = "which.txt") =>
      (await get(`${API}/1/jobs/artifacts/${ref}/raw/${path}?job=latest`)).text();
    expect(await file("feature%2Flogin")).toBe("newer");
    expect(await file("feature/login")).toBe("newer");
    expect(await file("feature")).toBe("of another ref");
    const archive = await get(`${API}/1/jobs/artifacts/feature%2Flogin/download?job=latest`);
    expect(archive.headers.get("content-disposition")).toContain("artifacts.zip");
    // The ref takes all that it can, so that this is a ref that is not there.
    expect(await file("feature", "raw/a/raw/b.txt")).toBe('{"message":"404 Not found"}');

    running.demo.gitlab.jobs.eraseJob(id);
    expect((await get(`${API}/1/jobs/artifacts/feature%2Flogin/download?job=latest`)).status).toBe(404);
  });

  it("is redirected to on the web, where the longest ref that exists wins", async () => {
    addJob("site", "feature", "on feature");
    const id = addJob("site", "feature/login", "on feature/login");
    const url = (tail: string) => `${running.demo.gitlab.url}/demo/hello/-/jobs/${id}/artifacts/${tail}`;
    const base = "/demo/hello/-/jobs/artifacts";
    const target = async (path: string) => {
      const response = await get(`${base}/${path}`);
      return [response.status, response.headers.get("location")];
    };
    expect(await target("feature/login/download?job=site")).toEqual([302, url("download")]);
    expect(await target("feature%2Flogin/browse?job=site")).toEqual([302, url("browse")]);
    expect(await target("feature/login/browse/a?job=site")).toEqual([302, url("browse/a")]);
    expect(await target("feature/login/file/a%20b/%C3%BC.txt?job=site")).toEqual([
      302,
      url("file/a%20b/%C3%BC.txt"),
    ]);
    expect(await target("feature/login/raw/a/raw/b?job=site")).toEqual([302, url("raw/a/raw/b")]);
    for (const missing of [
      "feature/login/download?job=none",
      "feature/login/download",
      "feature/login/keep?job=site",
      "release/1.x/hotfix/download?job=site",
      "feature/login?job=site",
    ])
      expect((await get(`${base}/${missing}`)).status).toBe(404);
    expect(running.demo.gitlab.counts()).toMatchObject({ "web:artifact-latest": 10, denied: 0 });
  });
});

describe("pages about an archive", () => {
  it("browse lists a directory, with links that work", async () => {
    const page = await (await get("/demo/hello/-/jobs/1001/artifacts/browse/coverage")).text();
    const links = [...page.matchAll(/href="([^"]+)">([^<]+)</g)].map(([, href = "", text]) => [text, href]);
    const base = "/demo/hello/-/jobs/1001/artifacts";
    expect(links).toEqual([
      ["images/", `${base}/browse/coverage/images`],
      ["index.html", `${base}/file/coverage/index.html`],
      ["report.js", `${base}/file/coverage/report.js`],
      ["src/", `${base}/browse/coverage/src`],
      ["style.css", `${base}/file/coverage/style.css`],
    ]);
    for (const [, href = ""] of links) expect((await get(href)).status).toBe(200);
    const top = await (await get(`${base}/browse`)).text();
    expect(top).toContain(`<a href="${base}/browse/docs">docs/</a>`);
    expect(running.demo.gitlab.counts()).toMatchObject({ "web:artifact-page": 7 });
  });

  it.each([
    "browse/none",
    "browse/latest.html/x",
    "file/none.txt",
    "file/coverage",
    "raw/none.txt",
    "file",
    "keep",
  ])("%s is missing", async (tail) => {
    expect((await get(`/demo/hello/-/jobs/1001/artifacts/${tail}`)).status).toBe(404);
  });

  it("download takes a report by its type", async () => {
    const download = (type: string) => get(`/demo/hello/-/jobs/1002/artifacts/download?file_type=${type}`);
    const { headers } = await download("junit");
    const report = await fetch(headers.get("location") ?? "");
    expect(report.headers.get("content-type")).toBe("application/gzip");
    expect(gunzipSync(await report.arrayBuffer()).toString()).toContain("<testsuite");
    expect((await download("dotenv")).status).toBe(404);
    expect((await download("archive")).status).toBe(302);
  });
});

describe("who may read artifacts by the API", () => {
  it.each([
    ["nobody in particular", "", {}, 404],
    ["a token", "", { "PRIVATE-TOKEN": "glpat-reader" }, 200],
    ["a bearer token", "", { Authorization: "Bearer glpat-reader" }, 200],
    ["a job token", "", { "JOB-TOKEN": "job-reader" }, 200],
    ["a job token in the query", "?job_token=job-reader", {}, 200],
    ["a session", "", SESSION, 200],
    ["Basic, which the API does not take", "", basic("reader", "password"), 404],
    ["a token of another project", "", { "PRIVATE-TOKEN": "glpat-other" }, 404],
    ["an unknown token", "", { "PRIVATE-TOKEN": "glpat-unknown" }, 401],
    ["an expired token", "", { "PRIVATE-TOKEN": "glpat-expired" }, 401],
  ] as const)("%s", async (_, query, headers, status) => {
    for (const path of ["2001/artifacts", "2001/artifacts/private/report.txt"]) {
      const response = await get(`${API}/demo%2Fnested%2Fsecret/jobs/${path}${query}`, { headers });
      expect(response.status).toBe(status);
      if (status !== 200) expect(await response.text()).not.toContain(PRIVATE_MARKER);
    }
    expect(running.demo.gitlab.counts().denied).toBe(status === 200 ? 0 : 2);
  });

  it.each([
    ["all", 200, 200, 200],
    ["developer", 403, 403, 200],
    ["none", 403, 403, 403],
  ] as const)("access %s", async (access, anonymous, member, developer) => {
    running.demo.gitlab.jobs.setArtifactAccess(1001, access);
    for (const tail of ["1001/artifacts", "1001/artifacts/empty.txt", "artifacts/main/download?job=build"]) {
      const ask = async (headers?: HeadersInit) =>
        (await get(`${API}/1/jobs/${tail}`, { headers: headers ?? {} })).status;
      expect(await ask()).toBe(anonymous);
      expect(await ask({ "PRIVATE-TOKEN": "glpat-reader" })).toBe(member);
      expect(await ask(DEVELOPER)).toBe(developer);
    }
    const refused = [anonymous, member, developer].filter((status) => status === 403).length;
    expect(running.demo.gitlab.counts().denied).toBe(3 * refused);
  });

  it("access developer, of one who is no member any more", async () => {
    const { gitlab } = running.demo;
    gitlab.jobs.setArtifactAccess(1001, "developer");
    gitlab.setMember("developer", "demo/hello", false);
    expect((await get(`${API}/1/jobs/1001/artifacts`, { headers: DEVELOPER })).status).toBe(403);
    gitlab.setMember("developer", "demo/hello", true);
    expect((await get(`${API}/1/jobs/1001/artifacts`, { headers: DEVELOPER })).status).toBe(200);
  });

  it("takes authMs for each decision", async () => {
    const { gitlab } = running.demo;
    gitlab.authMs = 40;
    const before = performance.now();
    await get(`${API}/1/jobs/1001/artifacts/empty.txt`);
    await get("/demo/hello/-/jobs/artifacts/main/download?job=build");
    const took = performance.now() - before;
    gitlab.authMs = 0;
    expect(took).toBeGreaterThan(75);
  });

  it.each([
    ["999999/artifacts", 404],
    ["2001/artifacts", 404],
    ["artifacts/none/download?job=build", 404],
    ["artifacts/main/download?job=none", 404],
    ["artifacts/main/download", 400],
    ["artifacts/main/raw/empty.txt", 400],
    ["first/artifacts", 400],
    ["artifacts/main", 404],
    ["1001", 404],
    ["1001/trace", 404],
  ])("%s of a public project is answered with %i", async (path, status) => {
    expect((await get(`${API}/1/jobs/${path}`)).status).toBe(status);
    expect(running.demo.gitlab.counts().denied).toBe(0);
  });
});

describe("who may read artifacts on the web", () => {
  const base = "/demo/nested/secret/-/jobs";
  it.each([
    ["nobody in particular", {}, 302],
    ["a session", SESSION, 200],
    ["a session that has ended", { Cookie: "_gitlab_session=gone" }, 302],
    ["a token, which the web does not take", { "PRIVATE-TOKEN": "glpat-reader" }, 302],
  ] as const)("%s", async (_, headers, status) => {
    for (const tail of ["download", "browse", "file/README.md", "raw/private/report.txt"]) {
      const response = await get(`${base}/2001/artifacts/${tail}`, { headers });
      expect(response.status).toBe(status);
      const signIn = response.headers.get("location")?.endsWith("/users/sign_in") ?? false;
      expect(signIn).toBe(status === 302);
    }
    const latest = await get(`${base}/artifacts/main/download?job=build`, { headers });
    expect(latest.status).toBe(302);
    expect(running.demo.gitlab.counts().denied).toBe(status === 302 ? 5 : 0);
  });

  it.each([
    ["developer", 404, 404, 200],
    ["none", 404, 404, 404],
  ] as const)("access %s", async (access, anonymous, member, developer) => {
    running.demo.gitlab.jobs.setArtifactAccess(1001, access);
    for (const tail of ["download", "browse", "raw/empty.txt"]) {
      const ask = async (headers: Record<string, string>) =>
        (await get(`/demo/hello/-/jobs/1001/artifacts/${tail}`, { headers })).status;
      expect(await ask({})).toBe(anonymous);
      expect(await ask(SESSION)).toBe(member);
      expect(await ask({ Cookie: "_gitlab_session=session-developer" })).toBe(developer);
    }
  });

  it("follows the membership", async () => {
    const { gitlab } = running.demo;
    const ask = async () => (await get(`${base}/2001/artifacts/download`, { headers: SESSION })).status;
    gitlab.setMember("reader", "demo/nested/secret", false);
    expect(await ask()).toBe(404);
    gitlab.setMember("reader", "demo/nested/secret", true);
    expect(await ask()).toBe(200);
  });
});
