import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uriDecode, uriEncode, uriEncodePath } from "../../src/core/uri-encode.ts";

const anyText = fc.string({ unit: "binary" });

describe("encoding", () => {
  it.each([
    ["", ""],
    ["AZaz09-._~", "AZaz09-._~"],
    [" ", "%20"],
    ["+", "%2B"],
    ["/", "%2F"],
    ["%41", "%2541"],
    ["!'()*", "%21%27%28%29%2A"],
    ["é", "%C3%A9"],
    ["😀", "%F0%9F%98%80"],
    ["\u0000\n\u007f", "%00%0A%7F"],
    ["&=;?#@:,$", "%26%3D%3B%3F%23%40%3A%2C%24"],
  ])("uriEncode() does write %j as %s", (text, encoded) => {
    expect(uriEncode(text)).toBe(encoded);
  });

  it("uriEncode() does leave nothing but what is unreserved, and lose nothing", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(uriEncode(text)).toMatch(/^(?:[A-Za-z0-9\-._~]|%[0-9A-F]{2})*$/);
        expect(uriDecode(uriEncode(text))).toBe(text);
      }),
    );
  });

  it("uriEncodePath() does leave every slash where it is", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(uriEncodePath(text)).toBe(uriEncode(text).replaceAll("%2F", "/"));
      }),
    );
    expect(uriEncodePath("/a b//c/")).toBe("/a%20b//c/");
  });
});

describe("decoding", () => {
  it.each([
    ["", ""],
    ["a+b", "a+b"],
    ["a%2fb%2Fc", "a/b/c"],
    ["%2541", "%41"],
    ["%c3%a9é", "éé"],
    ["%00", "\u0000"],
  ])("uriDecode() does read %j once", (text, decoded) => {
    expect(uriDecode(text)).toBe(decoded);
  });

  it.each([["%"], ["a%"], ["%4"], ["%zz"], ["%ff"], ["%c3"], ["%c0%af"], ["%ed%a0%80"], ["%u0041"]])(
    "uriDecode() does not guess at %j",
    (text) => {
      expect(uriDecode(text)).toBeUndefined();
    },
  );
});
