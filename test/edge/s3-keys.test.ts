import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encode, objectPath } from "./s3-client.ts";
import { KEYS, MODES, PRIVATE, startS3Scene, type S3Scene } from "./s3-scene.ts";

const { reader, writer } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

const KEYS_TO_TRY: readonly string[] = [
  "with space",
  "a+b",
  "a%2Bb",
  "100%",
  "ünï/cødé/日本語/😀",
  "//two//slashes//",
  "/leading",
  "trailing/",
  "./dot",
  "a/./b",
  "a/../b",
  "../up",
  "..",
  ".",
  "a/..",
  "a\\b",
  "a\\..\\b",
  "q?x=1&y",
  "hash#tag",
  "semi;colon,comma",
  "(paren)'quote'!*~-._",
  '"double"<angle>&amp;',
  "{brace}|^`",
  "%2e%2e/%2f",
  "favicon.ico",
  "-/forgefront/health",
  "e\u0301 and \u00e9",
  "\u00a0nbsp",
  "k".repeat(1024),
  "é".repeat(512),
  "__proto__",
];

describe.each(MODES)("auth %s: a key is just what was signed", (mode) => {
  it.each(KEYS_TO_TRY.map((key) => ({ key, name: key.slice(0, 40) })))("$name", async ({ key }) => {
    const bytes = `the object of ${key}`;
    scene.object(bytes, { key });
    scene.object("not this", {
      key: key.replaceAll("//", "/").replaceAll("./", "").replaceAll("+", " ").slice(1) || "x",
    });
    const path = objectPath(PRIVATE, key);
    for (const by of ["header", "query"] as const) {
      for (let again = 0; again < 2; again++) {
        const { status, body } = await scene.ask(mode, { path, as: reader, by });
        expect([status, body.toString()]).toEqual([200, bytes]);
      }
    }
    const head = await scene.ask(mode, { path, as: reader, method: "HEAD" });
    expect([head.status, head.headers["content-length"]]).toEqual([200, String(Buffer.byteLength(bytes))]);
    // As bare as it may stand in a path
    const bare = `/${PRIVATE}/${encodeURI(key).replaceAll(/[?#]/g, encode)}`;
    expect((await scene.ask(mode, { path: bare, as: reader })).body.toString()).toBe(bytes);
    const put = await scene.ask(mode, { method: "PUT", path, as: writer, body: "written" });
    expect([put.status, scene.store.get(PRIVATE, key)?.bytes().toString()]).toEqual([200, "written"]);
    expect((await scene.ask(mode, { path, as: reader })).body.toString()).toBe("written");
    expect((await scene.ask(mode, { path })).status).toBe(403);
  });

  it("with all slashes encoded, too", async () => {
    const { key, bytes } = scene.object("slashed", { key: "x/y/z" });
    for (const path of [
      `/${PRIVATE}/${encodeURIComponent(key)}`,
      `/${PRIVATE}%2F${encodeURIComponent(key)}`,
    ]) {
      const { status, body } = await scene.ask(mode, { path, as: reader });
      expect([status, body.equals(bytes)]).toEqual([200, true]);
      expect((await scene.ask(mode, { path })).status).toBe(403);
    }
  });

  it.each([
    { name: "of 1,025 bytes", path: `/demo/${"k".repeat(1025)}`, wanted: [400, "KeyTooLongError"] },
    { name: "that is no UTF-8", path: "/demo/%ff%fe", wanted: [400, "InvalidURI"] },
    { name: "with a stray percent sign", path: "/demo/100%", wanted: [400, "InvalidURI"] },
  ] as const)("$name is refused", async ({ path, wanted }) => {
    const { status, code } = await scene.ask(mode, { path, as: reader });
    expect([[400, 403].includes(status), code === wanted[1] || code === "SignatureDoesNotMatch"]).toEqual([
      true,
      true,
    ]);
    expect((await scene.ask(mode, { path })).status).toBeGreaterThanOrEqual(400);
  });

  it("with control characters is the store's to judge, and none is cut short", async () => {
    scene.object("the short one", { key: "nul" });
    for (const path of ["/demo/nul%00", "/demo/nul%00.txt", "/demo/nul%0d%0aX-Evil:%201", "/demo/nul%7f"]) {
      const answer = await scene.ask(mode, { path, as: reader });
      expect([path, answer.status >= 400, answer.headers["x-evil"]]).toEqual([path, true, undefined]);
    }
    scene.object("with nul", { key: "a\u0000b" });
    for (let again = 0; again < 2; again++)
      expect((await scene.ask(mode, { path: "/demo/a%00b", as: reader })).body.toString()).toBe("with nul");
  });
});
