import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { KEY_KINDS as KINDS, makeKey, readKey } from "../../src/core/key.ts";

const ORIGIN = "https://cache.invalid/";

/** All texts of at most two characters that mean something in a path. */
const TEXTS = ["", "/", "~", "%", ".", "2"].flatMap((a) => ["", "/", "~", "%", "."].map((b) => a + b));
const PARTS = [...new Set(TEXTS)];

function* shortLists(): Generator<string[]> {
  yield [];
  for (const a of PARTS) {
    yield [a];
    for (const b of PARTS) {
      yield [a, b];
      for (const c of PARTS) yield [a, b, c];
    }
  }
}

describe("a key", () => {
  it("makeKey() does escape and mark each part", () => {
    expect(makeKey("entry", "group/project", "a b", "")).toBe("1/entry/~group%2Fproject/~a%20b/~");
  });

  it("makeKey() does never make one key of two lists of parts", () => {
    const lists = [...shortLists()];
    expect(new Set(lists.map((parts) => makeKey("body", ...parts))).size).toBe(lists.length);
  });

  it("makeKey() does never make one key of two kinds", () => {
    expect(new Set(KINDS.map((kind) => makeKey(kind, "a"))).size).toBe(KINDS.length);
  });
});

describe("a key as a URL path", () => {
  const hostile = fc.constantFrom(
    ".",
    "..",
    "%2e%2e",
    "%2E",
    "../..",
    "a/../b",
    "\\..\\",
    "?q",
    "#f",
    "\u0000",
    "\r\n",
    "//h",
    "@",
    ":80",
  );
  const part = fc.oneof(hostile, fc.string({ unit: "binary" }), fc.string());

  it("makeKey() does let no part leave its place", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.array(part, { maxLength: 5 }), (kind, parts) => {
        const key = makeKey(kind, ...parts);
        const url = new URL(ORIGIN + key);
        expect(url.href).toBe(ORIGIN + key);
        expect(url.pathname).toBe(`/${key}`);
        const [, , ...segments] = key.split("/");
        const read = segments.map((segment) => decodeURIComponent(segment.slice(1)));
        expect(parts.length === 0 ? [""] : parts).toEqual(read);
      }),
      { numRuns: 1_000 },
    );
  });

  it("makeKey() does use only visible ASCII, as KV counts bytes", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 5 }), (parts) => {
        expect(makeKey("grant", ...parts)).toMatch(/^[\x21-\x7e]+$/);
      }),
    );
  });
});

describe("a key read again", () => {
  const part = fc.oneof(fc.constantFrom(...PARTS), fc.string({ unit: "binary" }), fc.string());

  it("readKey() does give what makeKey() was given", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.array(part, { maxLength: 5 }), (kind, parts) => {
        expect(readKey(makeKey(kind, ...parts))).toEqual({ kind, parts });
      }),
      { numRuns: 500 },
    );
  });

  it("readKey() does read nothing that makeKey() does not make", () => {
    const piece = fc.constantFrom("1", "2", "/", "~", "grant", "body", "%41", "%", "%2F", "a", "b c", "");
    const near = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(""));
    const begun = fc.tuple(fc.constantFrom("1/grant/", "1/", ""), near).map((both) => both.join(""));
    fc.assert(
      fc.property(fc.oneof(begun, fc.string()), (text) => {
        const read = readKey(text);
        expect(read === undefined || makeKey(read.kind, ...read.parts) === text).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  it.each([
    "",
    "1",
    "1/grant",
    "0/grant/~a",
    "1/other/~a",
    "1/grant/a",
    "1/grant/~a/",
    "1/grant/~%41",
    "1/grant/~%",
    "1/body/~a/directory",
  ])("readKey() does not read %j", (text) => {
    expect(readKey(text)).toBeUndefined();
  });
});
