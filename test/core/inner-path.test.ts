import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { innerPath } from "../../src/core/inner-path.ts";

describe("innerPath()", () => {
  it.each<[string, string]>([
    ["", ""],
    ["a", "a"],
    ["a/", "a"],
    ["a/b.txt", "a/b.txt"],
    ["a/b/", "a/b"],
    [" ", " "],
    ["a b/ c", "a b/ c"],
    ["...", "..."],
    [".git/..a/b..", ".git/..a/b.."],
    ["a:b", "a:b"],
    ["%2e%2e/%2F", "%2e%2e/%2F"],
    ["é/😀", "é/😀"],
    ["e\u0301", "e\u0301"],
    ["a!/b", "a!/b"],
    ["-", "-"],
    ["\u0080", "\u0080"],
  ])("innerPath() does read %j as %j", (text, path) => {
    expect(innerPath(text)).toBe(path);
  });

  it.each([
    ["/"],
    ["//"],
    ["/a"],
    ["a//"],
    ["a//b"],
    ["."],
    [".."],
    ["./"],
    ["../"],
    ["./a"],
    ["../a"],
    ["a/."],
    ["a/.."],
    ["a/./b"],
    ["a/../b"],
    ["a/../"],
    ["\\"],
    ["a\\b"],
    ["..\\a"],
    ["\u0000"],
    ["a\u0000.txt"],
    ["a\nb"],
    ["a\u001fb"],
    ["a\u007fb"],
  ])("innerPath() does read no path in %j", (text) => {
    expect(innerPath(text)).toBeUndefined();
  });

  it("innerPath() does read every path that no two readers would take for different ones, with or without a slash at its end", () => {
    const token = fc.constantFrom("a", "b", ".", "..", "/", "//", "\\", "\n", " ", "é");
    const text = fc.array(token, { maxLength: 8 }).map((tokens) => tokens.join(""));
    const plain = (path: string) => new URL(`https://a.invalid/${encodeURI(path)}`).pathname;
    fc.assert(
      fc.property(text, (given) => {
        const path = innerPath(given);
        if (path === undefined) return;
        expect(innerPath(path)).toBe(path);
        expect(path === "" ? [""] : [path, `${path}/`]).toContain(given);
        expect(decodeURI(plain(path))).toBe(`/${path}`);
        expect(path.startsWith("/") || path.endsWith("/") || path.includes("//")).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });
});
