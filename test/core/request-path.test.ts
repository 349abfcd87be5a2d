import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { encodePath, parseRequestPath } from "../../src/core/request-path.ts";

type Slashes = "plain" | "encoded";
const BOTH: readonly Slashes[] = ["plain", "encoded"];

function decoded(pathname: string, slashes: Slashes): readonly string[] | undefined {
  const answer = parseRequestPath(pathname, slashes);
  return answer.kind === "path" ? answer.path.decoded : undefined;
}

describe("a path with one reading", () => {
  it.each([
    ["/a", ["a"]],
    ["/a/b.c/d", ["a", "b.c", "d"]],
    ["/a%20b", ["a b"]],
    ["/%61%2D%7e", ["a-~"]],
    ["/%c3%a9/%C3%A9", ["é", "é"]],
    ["/%F0%9F%98%80", ["😀"]],
    ["/a+b;c=d,e@f:g", ["a+b;c=d,e@f:g"]],
    ["/...", ["..."]],
    ["/a..b/.gitignore/..a/a..", ["a..b", ".gitignore", "..a", "a.."]],
    ["/%252e%252e", ["%2e%2e"]],
    ["/%252F%2500", ["%2F%00"]],
    ["/%3F%23", ["?#"]],
  ])("parseRequestPath() does decode %j once", (pathname, segments) => {
    for (const slashes of BOTH) expect(decoded(pathname, slashes)).toEqual(segments);
  });

  it("parseRequestPath() does keep what was sent beside what it reads", () => {
    expect(parseRequestPath("/a%2db", "plain")).toEqual({
      kind: "path",
      path: { raw: ["a%2db"], decoded: ["a-b"] },
    });
  });
});

describe("a path that changes its own meaning", () => {
  it.each([
    ["/.."],
    ["/."],
    ["/a/../b"],
    ["/a/./b"],
    ["/a/.."],
    ["/%2e%2e"],
    ["/%2E%2e"],
    ["/.%2e"],
    ["/%2E."],
    ["/%2e"],
    ["/a/%2e%2e%2fb"],
    ["/a%2F..%2Fb"],
    ["/a%2f%2E%2E"],
    ["/..%5cb"],
    ["/a%5C..%5Cb"],
    ["/a\\..\\b"],
    ["/%00"],
    ["/a%00.txt"],
    ["/a%0d%0aSet-Cookie:b"],
    ["/a%0A"],
    ["/a%09b"],
    ["/a%1Fb"],
    ["/a%7Fb"],
    ["/a\u0000"],
    ["//.."],
    ["/%ff/.."],
    ["/a%2Fb/%00"],
  ])("parseRequestPath() does call %j hostile", (pathname) => {
    for (const slashes of BOTH) expect(parseRequestPath(pathname, slashes)).toEqual({ kind: "hostile" });
  });
});

describe("a path that not all read alike", () => {
  it.each([
    ["/"],
    ["//"],
    ["//a"],
    ["/a//b"],
    ["/a/"],
    ["/%5c"],
    ["/a%5Cb"],
    ["/a\\b"],
    ["/%ff"],
    ["/%c3"],
    ["/%c0%ae%c0%ae"],
    ["/%ed%a0%80"],
    ["/%"],
    ["/a%2"],
    ["/a%zz"],
    ["/100%"],
  ])("parseRequestPath() does call %j odd", (pathname) => {
    for (const slashes of BOTH) expect(parseRequestPath(pathname, slashes)).toEqual({ kind: "odd" });
  });

  it.each([["/a%2Fb"], ["/a%2fb"], ["/%2F"]])(
    "parseRequestPath() does call %j odd only where an encoded slash is no part of the grammar",
    (pathname) => {
      expect(parseRequestPath(pathname, "plain")).toEqual({ kind: "odd" });
      expect(parseRequestPath(pathname, "encoded").kind).toBe("path");
    },
  );
});

describe("any path", () => {
  const token = fc.constantFrom(
    ..."a b é . .. / // \\ % %% %2e %2E %2f %2F %5c %00 %0a %7f %c3%a9 %c3 %ff %41 %61 %252e ~ ; + ? #".split(
      " ",
    ),
  );
  const pathname = fc.array(token, { maxLength: 8 }).map((tokens) => `/${tokens.join("")}`);

  it.each(BOTH)("parseRequestPath() does accept nothing ambiguous, with %s slashes", (slashes) => {
    fc.assert(
      fc.property(pathname, (text) => {
        for (const segment of decoded(text, slashes) ?? []) {
          expect(segment).not.toBe("");
          // oxlint-disable-next-line no-control-regex -- control characters are what it looks for
          expect(segment).not.toMatch(/[\u0000-\u001f\u007f\\]/);
          const parts = slashes === "plain" ? [segment] : segment.split("/");
          for (const part of parts) expect([".", ".."]).not.toContain(part);
          if (slashes === "plain") expect(segment).not.toContain("/");
        }
      }),
      { numRuns: 3_000 },
    );
  });

  it.each(BOTH)(
    "parseRequestPath() does give one spelling to all that it reads alike, with %s slashes",
    (slashes) => {
      fc.assert(
        fc.property(pathname, (text) => {
          const segments = decoded(text, slashes);
          if (segments === undefined) return;
          const spelling = `/${segments.map(encodeURIComponent).join("/")}`;
          expect(decoded(spelling, slashes)).toEqual(segments);
          expect(new URL(spelling, "https://origin.invalid").pathname).toBe(spelling);
        }),
        { numRuns: 3_000 },
      );
    },
  );

  it("encodePath() does write the spelling that is read back", () => {
    fc.assert(
      fc.property(fc.oneof(pathname, fc.webPath()), (text) => {
        const segments = decoded(text, "plain");
        if (segments === undefined) return;
        const spelling = `/${encodePath(segments.join("/"))}`;
        expect(decoded(spelling, "plain")).toEqual(segments);
        expect(new URL(spelling, "https://origin.invalid").href).toBe(`https://origin.invalid${spelling}`);
      }),
      { numRuns: 2_000 },
    );
  });

  it("parseRequestPath() does neither throw nor tire", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(["path", "odd", "hostile"]).toContain(parseRequestPath(`/${text}`, "plain").kind);
      }),
    );
    const began = performance.now();
    parseRequestPath(`/${"a/%2e".repeat(200_000)}`, "plain");
    parseRequestPath(`/${"%41".repeat(300_000)}`, "encoded");
    parseRequestPath(`/${"%2F.a".repeat(200_000)}`, "encoded");
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("a path for an origin", () => {
  it.each([
    ["a/b", "a/b"],
    ["group/a b/é.txt", "group/a%20b/%C3%A9.txt"],
    ["a?b#c%d", "a%3Fb%23c%25d"],
    ["a%2Fb", "a%252Fb"],
    ["a;b", "a%3Bb"],
  ])("encodePath() does write %j as %j", (path, encoded) => {
    expect(encodePath(path)).toBe(encoded);
  });
});
