import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Job, NewJob } from "../../scripts/demo/jobs.ts";
import { smallArchive } from "../../scripts/demo/sample-archive.ts";
import { useDemo } from "./running-demo.ts";

const running = useDemo();
const get = (path: string, init?: RequestInit) =>
  fetch(running.demo.gitlab.url + path, { redirect: "manual", ...init });
const archivePath = (job: Job) => `/api/v4/projects/demo%2Fhello/jobs/${job.id}/artifacts`;
const WRITTEN = Date.parse("2026-02-03T04:05:06Z");
const ARCHIVE = smallArchive({ "a.txt": "the first\n".repeat(30) });

let names = 0;
function addJob(storage: NewJob["storage"], more: Partial<NewJob> = {}): Job {
  return running.demo.gitlab.jobs.addJob({
    project: "demo/hello",
    name: `job-${++names}`,
    ref: "main",
    archive: ARCHIVE,
    lastModified: WRITTEN,
    storage,
    ...more,
  });
}

async function bytesOf(response: Response): Promise<Buffer> {
  return Buffer.from(await response.arrayBuffer());
}

describe("an archive on the forge's own disk", () => {
  it("is sent with the headers of Rails and the validators of Workhorse", async () => {
    const job = addJob("local");
    const response = await get(archivePath(job));
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "accept-ranges": "bytes",
      "cache-control": "max-age=0, private, must-revalidate",
      "content-disposition": `attachment; filename="artifacts.zip"; filename*=UTF-8''artifacts.zip`,
      "content-length": String(ARCHIVE.length),
      "content-type": "application/octet-stream",
      etag: 'W/"e3b0c44298fc1c149afbf4c8996fb924"',
      "last-modified": "Tue, 03 Feb 2026 04:05:06 GMT",
      "set-cookie": expect.stringMatching(/^_gitlab_session=/) as string,
    });
    expect(await bytesOf(response)).toEqual(Buffer.from(ARCHIVE));
    expect(running.demo.gitlab.counts()).toMatchObject({
      total: 1,
      "api:artifacts": 1,
      artifactBytes: ARCHIVE.length,
      bytes: 0,
    });
  });

  it("has another type on the web, and the same tag as every other artifact", async () => {
    const other = addJob("local", { archive: smallArchive({ "b.txt": "another\n" }) });
    const response = await get(`/demo/hello/-/jobs/${other.id}/artifacts/download`);
    expect(response.headers.get("content-type")).toBe("application/zip");
    expect(response.headers.get("etag")).toBe('W/"e3b0c44298fc1c149afbf4c8996fb924"');
    const headers = { "If-None-Match": 'W/"e3b0c44298fc1c149afbf4c8996fb924"' };
    expect((await get(archivePath(other), { headers })).status).toBe(304);
    expect(running.demo.gitlab.counts()).toMatchObject({ "api:artifacts": 1, "web:artifacts": 1 });
  });

  it.each([
    ["bytes=2-5", 206, "bytes 2-5/SIZE", [2, 6]],
    ["bytes=-6", 206, "bytes LAST6-LAST1/SIZE", [-6, undefined]],
    ["bytes=9999-", 416, "bytes */SIZE", undefined],
    ["bytes=5-2", 416, undefined, undefined],
  ] as const)("answers %s with %i", async (range, status, contentRange, slice) => {
    const response = await get(archivePath(addJob("local")), { headers: { Range: range } });
    const size = ARCHIVE.length;
    const expected = contentRange
      ?.replace("SIZE", String(size))
      .replace("LAST6", String(size - 6))
      .replace("LAST1", String(size - 1));
    expect(response.status).toBe(status);
    expect(response.headers.get("content-range")).toBe(expected ?? null);
    const body = await bytesOf(response);
    if (slice === undefined) {
      expect(body.toString()).toMatch(/^invalid range/);
      expect(response.headers.get("etag")).toBeNull();
      expect(running.demo.gitlab.counts().artifactBytes).toBe(0);
      return;
    }
    expect(body).toEqual(Buffer.from(ARCHIVE).subarray(...slice));
    expect(running.demo.gitlab.counts().artifactBytes).toBe(body.length);
  });

  it("answers several ranges in the order they were asked for", async () => {
    const headers = { Range: "bytes=10-12,0-3" };
    const response = await get(archivePath(addJob("local")), { headers });
    expect(response.status).toBe(206);
    const type = response.headers.get("content-type") ?? "";
    const [, boundary = ""] = /^multipart\/byteranges; boundary=([0-9a-f]{60})$/.exec(type) ?? [];
    const body = await bytesOf(response);
    expect(response.headers.get("content-length")).toBe(String(body.length));
    const part = (range: string, start: number, end: number) =>
      `--${boundary}\r\nContent-Range: bytes ${range}/${ARCHIVE.length}\r\nContent-Type: application/octet-stream\r\n\r\n` +
      Buffer.from(ARCHIVE.subarray(start, end)).toString("latin1");
    const expected = `${part("10-12", 10, 13)}\r\n${part("0-3", 0, 4)}\r\n--${boundary}--\r\n`;
    expect(body.toString("latin1")).toBe(expected);
    expect(running.demo.gitlab.counts().artifactBytes).toBe(7);
  });

  it("heeds If-Range by its date alone, since the tag is weak", async () => {
    const path = archivePath(addJob("local"));
    const status = async (ifRange: string) =>
      (await get(path, { headers: { Range: "bytes=0-0", "If-Range": ifRange } })).status;
    expect(await status("Tue, 03 Feb 2026 04:05:06 GMT")).toBe(206);
    expect(await status("Tue, 03 Feb 2026 04:05:07 GMT")).toBe(200);
    expect(await status('W/"e3b0c44298fc1c149afbf4c8996fb924"')).toBe(200);
  });

  it("answers HEAD with its length", async () => {
    const response = await get(archivePath(addJob("local")), { method: "HEAD" });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(String(ARCHIVE.length));
    expect(running.demo.gitlab.counts()).toMatchObject({ "api:artifacts": 1, artifactBytes: 0 });
  });

  it("may lie in a file, with the file's time", async () => {
    const directory = await mkdtemp(join(tmpdir(), "forgefront-artifact-"));
    const path = join(directory, "a.zip");
    await writeFile(path, ARCHIVE);
    const added = running.demo.gitlab.jobs.addJob({
      project: "demo/hello",
      name: "file",
      ref: "main",
      archive: { path },
      storage: "local",
    });
    const response = await get(archivePath(added), { headers: { Range: "bytes=4-9" } });
    expect(await bytesOf(response)).toEqual(Buffer.from(ARCHIVE).subarray(4, 10));
    const age = Date.now() - Date.parse(response.headers.get("last-modified") ?? "");
    expect(age).toBeLessThan(60_000);
    await rm(directory, { recursive: true });
  });
});

describe("an archive in the object storage", () => {
  it("is redirected to, by a URL that is good for a GET and for a while", async () => {
    const { gitlab, storage } = running.demo;
    const job = addJob("object");
    storage.resetCounts();
    const response = await get(archivePath(job));
    expect(response.status).toBe(302);
    const location = response.headers.get("location") ?? "";
    expect(new URL(location).origin).toBe(storage.url);
    expect(new URL(location).pathname).toMatch(
      new RegExp(String.raw`^/artifacts/6b/86/6b86b273[0-9a-f]{56}/2026_02_03/${job.id}/\d+/artifacts\.zip$`),
    );
    expect(new URL(location).searchParams.get("X-Amz-Expires")).toBe("600");

    const whole = await fetch(location);
    expect(whole.status).toBe(200);
    expect(whole.headers.get("content-type")).toBe("application/zip");
    expect(await bytesOf(whole)).toEqual(Buffer.from(ARCHIVE));
    const part = await fetch(location, { headers: { Range: "bytes=-22" } });
    expect(part.status).toBe(206);
    expect(part.headers.get("etag")).toMatch(/^"[0-9a-f]{32}"$/);
    expect(await bytesOf(part)).toEqual(Buffer.from(ARCHIVE).subarray(-22));
    expect((await fetch(location, { method: "HEAD" })).status).toBe(403);
    expect((await fetch(location.replace("X-Amz-Signature=", "X-Amz-Signature=0"))).status).toBe(403);
    expect((await fetch(location.replace(/\?.*/, ""))).status).toBe(403);
    expect(storage.counts()).toMatchObject({ total: 5, get: 3, "get-range": 1, head: 1, denied: 3 });
    expect(gitlab.counts()).toMatchObject({ total: 1, "api:artifacts": 1, artifactBytes: 0 });

    storage.clockSkewMs = 601_000;
    expect((await fetch(location)).status).toBe(403);
    storage.clockSkewMs = 0;
  });

  it("is redirected to for as long as a test says", async () => {
    const { gitlab, storage } = running.demo;
    gitlab.storageExpiresS = 5;
    const location = (await get(archivePath(addJob("object")))).headers.get("location") ?? "";
    gitlab.storageExpiresS = 600;
    expect((await fetch(location)).status).toBe(200);
    storage.clockSkewMs = 6000;
    expect((await fetch(location)).status).toBe(403);
    storage.clockSkewMs = 0;
  });

  it("has the name and the type of the download in the URL that the web signs", async () => {
    const response = await get(`/demo/hello/-/jobs/${addJob("object").id}/artifacts/download`);
    const followed = await fetch(response.headers.get("location") ?? "");
    expect(followed.status).toBe(200);
    expect(followed.headers.get("content-disposition")).toMatch(/^attachment; filename="artifacts\.zip"/);
    expect(running.demo.gitlab.counts()).toMatchObject({ "web:artifacts": 1 });
  });

  it("is refused to a HEAD that follows", async () => {
    const response = await get(archivePath(addJob("object")), { method: "HEAD" });
    expect(response.status).toBe(302);
    const location = response.headers.get("location") ?? "";
    expect((await fetch(location, { method: "HEAD" })).status).toBe(403);
  });

  it("reports what credential of the forge came along", async () => {
    const { storage } = running.demo;
    const location = (await get(archivePath(addJob("object")))).headers.get("location") ?? "";
    expect(storage.leaks()).toEqual([]);
    await fetch(location, { headers: { "PRIVATE-TOKEN": "glpat-reader", Cookie: "a=b" } });
    await fetch(`${location}&private_token=glpat-reader`, { headers: { Authorization: "Bearer x" } });
    const { pathname } = new URL(location);
    expect(storage.leaks()).toEqual(
      ["cookie", "private-token", "authorization", "private_token"].map((name) => `GET ${pathname}: ${name}`),
    );
  });

  it("cannot be one on disk", () => {
    expect(() => addJob("object", { archive: { path: import.meta.filename } })).toThrow("Cannot keep");
  });
});

describe("an archive behind a proxy", () => {
  it.each([
    ["rangeless", String(ARCHIVE.length)],
    ["chunked", null],
  ] as const)("is sent as a whole, whatever is asked for: %s", async (storage, length) => {
    const headers = {
      Range: "bytes=0-3",
      "If-None-Match": 'W/"e3b0c44298fc1c149afbf4c8996fb924"',
    };
    const path = archivePath(addJob(storage));
    const response = await get(path, { headers });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-length")).toBe(length);
    expect(response.headers.get("accept-ranges")).toBeNull();
    expect(response.headers.get("last-modified")).toBeNull();
    expect(await bytesOf(response)).toEqual(Buffer.from(ARCHIVE));
    expect(running.demo.gitlab.counts().artifactBytes).toBe(ARCHIVE.length);
    expect((await get(path, { method: "HEAD" })).status).toBe(200);
    expect(running.demo.gitlab.counts().artifactBytes).toBe(ARCHIVE.length);
  });
});

describe("what tests change about jobs", () => {
  it.each(["local", "object", "rangeless", "chunked"] as const)(
    "replaceArchive() does put other bytes in its place, and eraseJob() none: %s",
    async (storage) => {
      const { jobs } = running.demo.gitlab;
      const job = addJob(storage);
      const follow = () => get(archivePath(job), { redirect: "follow" });
      const first = await get(archivePath(job));
      const other = smallArchive({ "other.txt": "other\n" });
      jobs.replaceArchive(job.id, other, WRITTEN + 5000);
      const replaced = await follow();
      expect(await bytesOf(replaced)).toEqual(Buffer.from(other));
      const place = (response: Response) => new URL(response.headers.get("location") ?? "x:").pathname;
      expect(place(await get(archivePath(job)))).toBe(place(first));
      if (storage === "local" || storage === "object")
        expect(replaced.headers.get("last-modified")).toBe("Tue, 03 Feb 2026 04:05:11 GMT");

      jobs.eraseJob(job.id);
      expect((await follow()).status).toBe(404);
      if (storage === "object") expect((await fetch(first.headers.get("location") ?? "")).status).toBe(404);
      expect(() => jobs.replaceArchive(job.id, other)).toThrow("it was erased");
    },
  );

  it("addJob() does give ids, and takes none twice", () => {
    const first = addJob("local");
    expect(addJob("local").id).toBe(first.id + 1);
    expect(addJob("local", { id: 90_001 }).id).toBe(90_001);
    expect(addJob("local").id).toBe(90_002);
    expect(() => addJob("local", { id: 90_001 })).toThrow("there is one already");
    expect(() => addJob("local", { project: "demo/none" })).toThrow("Cannot find the project");
    expect(() => running.demo.gitlab.jobs.eraseJob(1)).toThrow("Cannot find the job 1");
  });
});
