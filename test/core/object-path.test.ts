import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalPath, type ObjectName, readObjectPath, sendablePath } from "../../src/core/object-path.ts";
import { isRewrittenByUrl } from "../../src/core/request-path.ts";
import { uriEncode, uriEncodePath } from "../../src/core/uri-encode.ts";
import { anyKey } from "../origin/hostile-keys.ts";

const RUNS = { numRuns: 2_000 };
const bucket = fc.constantFrom("bucket", "my.bucket", "B_1");

/** Ways in which clients write one and the same path. */
const SPELLINGS: readonly ((key: string) => string)[] = [
  uriEncodePath,
  uriEncode,
  (key) => uriEncodePath(key).replaceAll(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
  (key) => uriEncodePath(key).replaceAll(".", "%2E"),
  (key) => uriEncode(key).replaceAll(/[G-Zg-z]/g, (each) => `%${each.charCodeAt(0).toString(16)}`),
  (key) => key.replaceAll(/[%?#]/g, uriEncode),
];
const spelling = fc.constantFrom(...SPELLINGS);

describe("what a path names", () => {
  it.each<[string, string | undefined, ObjectName | undefined]>([
    ["/", undefined, { bucket: "", key: "" }],
    ["/b", undefined, { bucket: "b", key: "" }],
    ["/b/", undefined, { bucket: "b", key: "" }],
    ["/b/k", undefined, { bucket: "b", key: "k" }],
    ["/b//k", undefined, { bucket: "b", key: "/k" }],
    ["/b/k/", undefined, { bucket: "b", key: "k/" }],
    ["/b%2Fk", undefined, { bucket: "b", key: "k" }],
    ["/b/a/../k", undefined, { bucket: "b", key: "a/../k" }],
    ["/b/a%2F%2e%2E/k", undefined, { bucket: "b", key: "a/../k" }],
    ["/b/./", undefined, { bucket: "b", key: "./" }],
    ["/b/a+b%2Bc%20d", undefined, { bucket: "b", key: "a+b+c d" }],
    ["/b/%2541", undefined, { bucket: "b", key: "%41" }],
    ["/b/a\\b%5C", undefined, { bucket: "b", key: "a\\b\\" }],
    ["/b/%ff", undefined, undefined],
    ["/b/50%", undefined, undefined],
    ["/", "host", { bucket: "host", key: "" }],
    ["/b/k", "host", { bucket: "host", key: "b/k" }],
    ["//k", "host", { bucket: "host", key: "/k" }],
    ["/%zz", "host", undefined],
  ])("readObjectPath() does read %s behind the bucket %j", (path, hostBucket, name) => {
    expect(readObjectPath(path, hostBucket)).toEqual(name);
  });

  it("readObjectPath() does read every key back, however it is written", () => {
    fc.assert(
      fc.property(bucket, anyKey, spelling, (name, key, spell) => {
        expect(readObjectPath(`/${name}/${spell(key)}`, undefined)).toEqual({ bucket: name, key });
        expect(readObjectPath(`/${spell(key)}`, name)).toEqual({ bucket: name, key });
      }),
      RUNS,
    );
  });
});

describe("the path that is signed", () => {
  it.each([
    ["/b/k", "/b/k"],
    ["/b/a b", "/b/a%20b"],
    ["/b/a%20b+c", "/b/a%20b%2Bc"],
    ["/b/a%2Fb", "/b/a/b"],
    ["/b/%7e%21%c3%a9", "/b/~%21%C3%A9"],
    ["/b/../%2e", "/b/../."],
    ["/b/%ff", "/b/%ff"],
  ])("canonicalPath() does spell %s as %s", (path, canonical) => {
    expect(canonicalPath(path)).toBe(canonical);
  });

  it("canonicalPath() does spell all that name one object in one way", () => {
    fc.assert(
      fc.property(anyKey, spelling, (key, spell) => {
        const canonical = canonicalPath(`/b/${spell(key)}`);
        expect(canonical).toBe(`/b/${uriEncodePath(key)}`);
        expect(canonicalPath(canonical)).toBe(canonical);
      }),
      RUNS,
    );
  });
});

describe("the path that is sent", () => {
  it.each([
    ["/b/k", "/b/k"],
    ["/b//k//", "/b//k//"],
    ["/b/a\\b", "/b/a%5Cb"],
    ["/b/.hidden/k.", "/b/.hidden/k."],
    ["/b/.", "/b%2F."],
    ["/b/./k", "/b%2F.%2Fk"],
    ["/b/a/../k", "/b/a%2F..%2Fk"],
    ["/b/a/%2e%2e/k", "/b/a%2F..%2Fk"],
    ["/b/../../..", "/b%2F..%2F..%2F.."],
    ["/b/.../k", "/b/.../k"],
    ["/b/%ff\\a", "/b/%ff%5Ca"],
  ])("sendablePath() does write %s as %s", (path, sent) => {
    expect(sendablePath(path)).toBe(sent);
  });

  it("sendablePath() does survive a URL parser, and mean what came", () => {
    fc.assert(
      fc.property(bucket, anyKey, spelling, (name, key, spell) => {
        const path = `/${name}/${spell(key)}`;
        const sent = sendablePath(path);
        expect(new URL(`http://origin.example${sent}`).pathname).toBe(sent);
        expect(new URL(`http://origin.example${sent}?a=1`).search).toBe("?a=1");
        expect(isRewrittenByUrl(sent)).toBe(false);
        expect(readObjectPath(sent, undefined)).toEqual({ bucket: name, key });
        expect(canonicalPath(sent)).toBe(canonicalPath(path));
      }),
      RUNS,
    );
  });

  it("sendablePath() does leave nothing to a URL parser behind a host's bucket but what is refused", () => {
    fc.assert(
      fc.property(anyKey, spelling, (key, spell) => {
        const sent = sendablePath(`/${spell(key)}`);
        if (isRewrittenByUrl(sent)) expect(key).toMatch(/^\.\.?$/);
        else expect(new URL(`http://origin.example${sent}`).pathname).toBe(sent);
      }),
      RUNS,
    );
  });

  it.each([["/b/%ff/../k"], ["/b/%ff/%2e%2e/k"], ["/b/%ff\\..\\k"], ["/b/.%ff\\..\\k"], ["/.."], ["/."]])(
    "sendablePath() does never hide from the caller that %s would become another path",
    (path) => {
      const sent = sendablePath(path);
      const parsed = new URL(`http://origin.example${sent}`).pathname;
      expect(isRewrittenByUrl(sent) || parsed === sent).toBe(true);
    },
  );
});
