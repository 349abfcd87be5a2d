import { describe, expect, it, test } from "vitest";
import { pseudoRandomBytes } from "../../scripts/demo/pseudo-random.ts";
import { call, useStore } from "./s3-client.ts";
import type { Call } from "./s3-client.ts";

const KEY = { id: "READER", secret: "reader", read: ["files", "versioned"], write: ["files", "versioned"] };
const STRANGER = { id: "STRANGER", secret: "stranger", read: ["open"] };
const BLIND = { id: "BLIND", secret: "blind", read: ["files/known/"], list: [] };
const WRITTEN = "Mon, 05 Jan 2026 09:00:00 GMT";
const BEFORE = "Mon, 05 Jan 2026 08:59:59 GMT";
const TEXT = "0123456789";
const TAG = '"781e5e245d69b566979b86e28d23f2c7"';

const running = useStore({
  keys: [KEY, STRANGER, BLIND],
  buckets: {
    files: {},
    versioned: { versioning: "enabled" },
    open: { visibility: "public" },
    drop: { visibility: "public-objects" },
  },
  hosts: ["s3.test"],
  rgw: true,
  minPartBytes: 5,
});
const ask = (given: Call) => call(running.store, { as: KEY, ...given });
const putDigits = () =>
  running.store.put("files", "digits", TEXT, {
    "Content-Type": "text/plain",
    "Cache-Control": "max-age=5",
    "Last-Modified": WRITTEN,
    "x-amz-meta-mood": "calm",
  });

describe("GET and HEAD of an object", () => {
  it("carry what was uploaded with it", async () => {
    const headers = {
      "content-type": "text/css",
      "cache-control": "no-cache",
      "content-disposition": "attachment",
      "content-encoding": "br",
      "content-language": "de",
      expires: WRITTEN,
      "x-amz-meta-mood": "calm",
      "x-amz-storage-class": "GLACIER_IR",
    };
    await ask({ method: "PUT", path: "/files/kept", headers, body: TEXT });
    for (const method of ["GET", "HEAD"]) {
      const answer = await ask({ method, path: "/files/kept" });
      expect(answer.status).toBe(200);
      expect(answer.headers).toMatchObject({ ...headers, etag: TAG, "content-length": "10" });
      expect(answer.headers["x-amz-request-id"]).toMatch(/^[0-9A-F]{16}$/);
      expect(answer.text).toBe(method === "GET" ? TEXT : "");
    }
  });

  test.for<[string | undefined, number, string?]>([
    [undefined, 200, TEXT],
    ["bytes=0-0", 206, "0"],
    ["bytes=2-4", 206, "234"],
    ["bytes=8-", 206, "89"],
    ["bytes=8-99", 206, "89"],
    ["bytes=-3", 206, "789"],
    ["bytes=-99", 206, TEXT],
    ["bytes=0-1,4-5", 200, TEXT],
    ["bytes=4-2", 200, TEXT],
    ["lines=0-1", 200, TEXT],
    ["bytes=10-", 416],
    ["bytes=-0", 416],
  ])("Range: %s is answered with %s", async ([range, status, text]) => {
    putDigits();
    const answer = await ask({ path: "/files/digits", ...(range && { headers: { range } }) });
    expect(answer.status).toBe(status);
    if (text !== undefined) expect(answer.text).toBe(text);
    expect(answer.headers["content-range"]?.endsWith("/10")).toBe(status === 206 || undefined);
  });

  it("says why a range cannot be had, of an empty object too", async () => {
    running.store.put("files", "empty", "");
    const answer = await ask({ path: "/files/empty", headers: { range: "bytes=0-" } });
    expect(answer.status).toBe(416);
    expect(answer.text).toMatch(
      /<RangeRequested>bytes=0-<\/RangeRequested><ActualObjectSize>0<\/ActualObjectSize>/,
    );
    expect((await ask({ path: "/files/empty" })).status).toBe(200);
  });

  test.for<[Record<string, string>, number]>([
    [{ "if-match": TAG }, 200],
    [{ "if-match": TAG.replaceAll('"', "") }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": '"other"' }, 412],
    [{ "if-none-match": TAG }, 304],
    [{ "if-none-match": TAG.replaceAll('"', "") }, 304],
    [{ "if-none-match": `"other", ${TAG}` }, 304],
    [{ "if-none-match": '"other"' }, 200],
    [{ "if-modified-since": WRITTEN }, 304],
    [{ "if-modified-since": BEFORE }, 200],
    [{ "if-modified-since": "yesterday" }, 200],
    [{ "if-unmodified-since": WRITTEN }, 200],
    [{ "if-unmodified-since": BEFORE }, 412],
    [{ "if-match": TAG, "if-unmodified-since": BEFORE }, 200],
    [{ "if-none-match": '"other"', "if-modified-since": WRITTEN }, 200],
    [{ "if-none-match": TAG, "if-match": '"other"' }, 412],
    [{ range: "bytes=99-", "if-none-match": TAG }, 304],
    [{ range: "bytes=0-1", "if-range": TAG }, 206],
    [{ range: "bytes=0-1", "if-range": '"other"' }, 200],
  ])("%o is answered with %s", async ([headers, status]) => {
    putDigits();
    const answer = await ask({ path: "/files/digits", headers });
    expect(answer.status).toBe(status);
    if (status === 412) expect(answer.text).toMatch(/<Condition>If-(Match|Unmodified-Since)<\/Condition>/);
    if (status === 304) expect(answer.headers).toMatchObject({ etag: TAG, "cache-control": "max-age=5" });
  });

  it("send other headers where the query asks for them, but not for anybody", async () => {
    const path = "/open/page?response-content-type=text%2Fhtml&response-cache-control=no-store";
    running.store.put("open", "page", "page");
    const { status, headers } = await ask({ path, as: STRANGER });
    expect([status, headers["content-type"], headers["cache-control"]]).toEqual([
      200,
      "text/html",
      "no-store",
    ]);
    expect((await call(running.store, { path })).code).toBe("InvalidRequest");
  });

  it("send checksums where they are asked for, and only with all of the bytes", async () => {
    await ask({
      method: "PUT",
      path: "/files/sum",
      body: "hello",
      headers: { "x-amz-checksum-crc32": "NhCmhg==" },
    });
    const sum = async (headers: Record<string, string>) =>
      (await ask({ path: "/files/sum", headers })).headers["x-amz-checksum-crc32"];
    expect(await sum({ "x-amz-checksum-mode": "ENABLED" })).toBe("NhCmhg==");
    expect(await sum({ "x-amz-checksum-mode": "ENABLED", range: "bytes=0-1" })).toBeUndefined();
    expect(await sum({})).toBeUndefined();
  });

  it("read generated objects from anywhere", async () => {
    const size = 3 * 1024 * 1024 + 5;
    running.store.putGenerated("files", "big", size, "seed");
    const bytes = Buffer.concat([...pseudoRandomBytes("seed", size)]);
    expect((await ask({ path: "/files/big" })).body.equals(bytes)).toBe(true);
    const part = await ask({ path: "/files/big", headers: { range: "bytes=1048573-1048599" } });
    expect(part.body.equals(bytes.subarray(1_048_573, 1_048_600))).toBe(true);
    const far = 8 * 1024 ** 3;
    running.store.putGenerated("files", "huge", far, "seed");
    const tail = await ask({ path: "/files/huge", headers: { range: "bytes=-16" } });
    expect(tail.headers["content-range"]).toBe(`bytes ${far - 16}-${far - 1}/${far}`);
  });
});

describe("which key a path names", () => {
  test.for([
    ["/files/a%20b", "a b"],
    ["/files/a+b", "a+b"],
    ["/files/gr%C3%BC%C3%9Fe", "grüße"],
    ["/files//a//b/", "/a//b/"],
    ["/files/a/./b/../c", "a/./b/../c"],
    ["/files/..", ".."],
    ["/files/%2e%2E/x", "../x"],
    ["/files/a%2Fb", "a/b"],
    ["/files/a%252Fb", "a%2Fb"],
    ["/files/100%25?a=b", "100%"],
    ["/files/q%3Fr%23s", "q?r#s"],
    [`/files/${"k".repeat(1024)}`, "k".repeat(1024)],
  ])("%s", async ([path = "", key = ""]) => {
    expect((await ask({ method: "PUT", path, body: key })).status).toBe(200);
    expect(running.store.get("files", key)?.bytes().toString()).toBe(key);
    expect((await ask({ path })).text).toBe(key);
    expect((await call(running.store, { path })).code).toBe("AccessDenied");
  });

  test.for([
    [`/files/${"%C3%BC".repeat(513)}`, "KeyTooLongError"],
    ["/files/%zz", "InvalidURI"],
    ["/files/%ff", "InvalidURI"],
  ])("%s is refused", async ([path = "", code]) => {
    expect((await call(running.store, { path })).code).toBe(code);
  });

  it("takes the bucket from a Host before a base host", async () => {
    running.store.put("files", "files/x", "hosted");
    const host = "files.s3.test:8080";
    expect((await ask({ path: "/files/x", headers: { host } })).text).toBe("hosted");
    expect((await ask({ path: "/files/files/x", headers: { host: "s3.test" } })).text).toBe("hosted");
  });
});

describe("who may read", () => {
  const status = async (given: Partial<Call>, path: string) =>
    (await call(running.store, { path, ...given })).status;

  test.for<[string, Call["as"], string, number]>([
    ["anybody", undefined, "/files/digits", 403],
    ["another key", STRANGER, "/files/digits", 403],
    ["its key", KEY, "/files/digits", 200],
    ["its key, of nothing", KEY, "/files/missing", 404],
    ["anybody, of nothing", undefined, "/files/missing", 403],
    ["anybody, in a public bucket", undefined, "/open/page", 200],
    ["anybody, of nothing in a public bucket", undefined, "/open/missing", 404],
    ["anybody, of nothing in a bucket that is not listed", undefined, "/drop/missing", 403],
    ["a key for some keys", BLIND, "/files/known/a", 200],
    ["a key for some keys, another", BLIND, "/files/digits", 403],
    ["a key that may not list, of nothing", BLIND, "/files/known/missing", 403],
    ["anybody, in no bucket", undefined, "/nowhere/a", 404],
  ])("%s", async ([_title, as, path, expected]) => {
    putDigits();
    running.store.put("open", "page", "page");
    running.store.put("files", "known/a", "a");
    expect(await status({ ...(as && { as }) }, path)).toBe(expected);
    expect(running.store.counts()).toMatchObject({ total: 1, get: 1, denied: expected === 403 ? 1 : 0 });
  });

  it("changes at once", async () => {
    const { store } = running;
    putDigits();
    const reads = () => Promise.all([status({ as: KEY }, "/files/digits"), status({}, "/files/digits")]);
    store.revokeKey("READER");
    expect(await reads()).toEqual([403, 403]);
    store.restoreKey("READER");
    store.setVisibility("files", "public");
    expect(await reads()).toEqual([200, 200]);
    store.setVisibility("files", "private");
    store.setAccess("READER", { read: ["versioned"] });
    expect(await reads()).toEqual([403, 403]);
    store.setAccess("READER", KEY);
    store.put("files", "digits", TEXT, { "x-amz-acl": "public-read" });
    expect(await reads()).toEqual([200, 200]);
  });

  it("is asked of Ceph RGW's auth API without the bytes", async () => {
    putDigits();
    const question = { "x-rgw-auth": "yes" };
    const { status: answered, headers, text } = await ask({ path: "/files/digits", headers: question });
    expect([answered, text, headers["content-length"]]).toEqual([200, "", "0"]);
    expect(headers).toMatchObject({ etag: TAG, "x-amz-meta-mood": "calm", "content-type": "text/plain" });
    expect((await ask({ path: "/files/digits", headers: { ...question, range: "bytes=0-1" } })).status).toBe(
      206,
    );
    expect((await call(running.store, { path: "/files/digits", headers: question })).code).toBe(
      "AccessDenied",
    );
    expect((await ask({ path: "/files/none", headers: question })).code).toBe("NoSuchKey");
    expect(running.store.counts()).toMatchObject({
      "rgw-auth": 4,
      get: 0,
      "get-range": 0,
      bytes: 0,
      denied: 1,
    });
  });
});

it("answers in another way where a test wants that, and counts all the same", async () => {
  running.store.intercept = (_request, response) => {
    response.writeHead(503).end();
    return true;
  };
  expect((await ask({ path: "/files/digits" })).status).toBe(503);
  running.store.intercept = undefined;
  const counts = await call(running.store, { path: "/-/demo/counts" });
  expect(JSON.parse(counts.text)).toEqual({ ...running.store.counts(), total: 1, get: 1 });
});

it("takes its time for a decision", async () => {
  running.store.authMs = 60;
  const start = performance.now();
  await call(running.store, { path: "/files/digits" });
  running.store.authMs = 0;
  expect(performance.now() - start).toBeGreaterThan(50);
});
