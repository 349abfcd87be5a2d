import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { encode, objectPath } from "./s3-client.ts";
import { KEYS, MODES, PRIVATE, PUBLIC, startS3Scene, type Mode, type S3Scene } from "./s3-scene.ts";

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

/** What is not as it should be with an object of a key; nothing of it is there before. */
async function faultsOf(mode: Mode, key: string): Promise<string[]> {
  const bytes = `the object of ${key}`;
  const path = objectPath(PRIVATE, key);
  // As bare as it may stand in a path
  const bare = `/${PRIVATE}/${encodeURI(key).replaceAll(/[?#]/g, encode)}`;
  const faults: string[] = [];
  const insist = (isRight: boolean, what: string) =>
    isRight ? 0 : faults.push(`${what}: ${key.slice(0, 60)}`);
  scene.object(bytes, { key });
  for (const asking of [{ path }, { path }, { path, by: "query" }, { path: bare }] as const) {
    const { status, body } = await scene.ask(mode, { as: reader, ...asking });
    insist(
      status === 200 && body.toString() === bytes,
      `${asking.path === bare ? "bare " : ""}GET ${status}`,
    );
  }
  const { status, headers } = await scene.ask(mode, { path, as: reader, method: "HEAD" });
  insist(status === 200 && headers["content-length"] === String(Buffer.byteLength(bytes)), `HEAD ${status}`);
  const put = await scene.ask(mode, { method: "PUT", path, as: writer, body: "written" });
  const kept = scene.store.get(PRIVATE, key)?.bytes().toString();
  insist(put.status === 200 && kept === "written", `PUT ${put.status}`);
  const after = await scene.ask(mode, { path, as: reader });
  insist(after.body.toString() === "written", `GET after PUT ${after.status}`);
  insist((await scene.ask(mode, { path })).status === 403, "GET by nobody");
  return faults;
}

describe.each(MODES)("auth %s: a key is just what was signed", (mode) => {
  it("spaces, plus signs, Unicode, dots, slashes and all", async () => {
    for (const key of KEYS_TO_TRY) {
      const similar = key.replaceAll("//", "/").replaceAll("./", "").replaceAll("+", " ").slice(1);
      if (similar !== "" && !KEYS_TO_TRY.includes(similar)) scene.object("not this", { key: similar });
    }
    const faults = await Promise.all(KEYS_TO_TRY.map(async (key) => await faultsOf(mode, key)));
    expect(faults.flat()).toEqual([]);
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

describe("a host that ends like a site's", () => {
  it.each(["rgw", "probe", "virtual"] as const)(
    "is none of ours where no bucket stands before it (%s)",
    async (of) => {
      const before = ["127.0.0.1:9?", "127.0.0.1:9#", "127.0.0.1:9\\", "a@", "a:b@c", "", "-", ".."];
      for (const name of before) {
        const host = Buffer.from(`${name}.${scene.hosts[of]}`).toString("latin1");
        const { result, counts } = await scene.counted(
          async () => await scene.ask({ host }, { path: "/b/k" }),
        );
        expect([name, result.status, counts.total]).toEqual([name, 421, 0]);
      }
      const known = await scene.ask({ host: `${PUBLIC}.${scene.hosts[of]}` }, { path: "/none" });
      expect([known.status, known.code]).toEqual([404, "NoSuchKey"]);
    },
  );
});
