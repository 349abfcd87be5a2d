import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectCaching, type CachingFields } from "../../src/core/object-caching.ts";

const NOTHING_SAID: CachingFields = { cacheControl: null, expires: null, date: null, age: null };

function caching(said: Partial<CachingFields>): ReturnType<typeof objectCaching> {
  return objectCaching({ ...NOTHING_SAID, ...said });
}

const DATE = "Thu, 06 Nov 2025 08:49:37 GMT";
const IN_A_MINUTE = "Thu, 06 Nov 2025 08:50:37 GMT";

describe("Cache-Control of an object", () => {
  it.each([
    ["no-store"],
    ["private"],
    ["PRIVATE, max-age=60"],
    ['private="set-cookie"'],
    ["max-age=60, no-store"],
    ["public,no-store"],
    [" \tno-store\t "],
    ["no-cache, private"],
    ["no-store=1"],
  ])("objectCaching() does not store what says %j", (value) => {
    expect(caching({ cacheControl: value, expires: IN_A_MINUTE, date: DATE })).toEqual({ kind: "never" });
  });

  it.each<[string | null, number | undefined]>([
    [null, undefined],
    ["", undefined],
    [",,", undefined],
    ["public", undefined],
    ["immutable, must-revalidate", undefined],
    ["no-cache", 0],
    ["No-Cache, max-age=60", 0],
    ['no-cache="etag"', 0],
    ["max-age=60", 60],
    ["MAX-AGE=60", 60],
    ['max-age="60"', 60],
    ["max-age=0", 0],
    ["max-age=9999999999", 9_999_999_999],
    ["public, max-age=60 , immutable", 60],
    ["max-age=60, s-maxage=5", 5],
    ["s-maxage=0, max-age=60", 0],
    ["s-maxage=soon, max-age=60", 0],
    ["max-age=", 0],
    ["max-age=-1", 0],
    ["max-age=+1", 0],
    ["max-age=1.5", 0],
    ["max-age=1e3", 0],
    ["max-age=٣", 0],
    ["max-age=60, max-age=60", 0],
    ["max-age=60, max-age=90", 0],
    ["x-max-age=60", undefined],
    ["max-agent=60", undefined],
    ["stale-while-revalidate=60, stale-if-error=60", undefined],
    ["no-storex, xprivate", undefined],
  ])("objectCaching() does believe what says %j for %j seconds", (value, freshS) => {
    expect(caching({ cacheControl: value })).toEqual({ kind: "cacheable", freshS });
  });

  it("objectCaching() does never let a directive more make it last longer", () => {
    const directive = fc.constantFrom(
      "no-store",
      "private",
      "no-cache",
      "max-age=60",
      "max-age=x",
      "public",
      "s-maxage=9",
    );
    fc.assert(
      fc.property(fc.array(directive, { maxLength: 5 }), (directives) => {
        const answer = caching({ cacheControl: directives.join(", ") });
        const forbidden = directives.includes("no-store") || directives.includes("private");
        expect(answer.kind).toBe(forbidden ? "never" : "cacheable");
        if (answer.kind === "cacheable" && directives.includes("no-cache")) expect(answer.freshS).toBe(0);
      }),
    );
  });
});

describe("Expires of an object", () => {
  it.each<[string, Partial<CachingFields>, number | undefined]>([
    ["a minute after Date", {}, 60],
    ["in the other forms of a date", { expires: "Thursday, 06-Nov-25 08:50:37 GMT" }, 60],
    ["that is Date", { expires: DATE }, 0],
    ["before Date", { expires: "Sun, 06 Nov 1994 08:49:37 GMT" }, 0],
    ["of 0", { expires: "0" }, 0],
    ["of -1", { expires: "-1" }, 0],
    ["without a text", { expires: "" }, 0],
    ["that stands twice", { expires: `${IN_A_MINUTE}, ${IN_A_MINUTE}` }, 0],
    ["without a Date", { date: null }, 0],
    ["with a Date that is none", { date: "yesterday" }, 0],
    ["beside max-age", { cacheControl: "max-age=5" }, 5],
    ["beside s-maxage", { cacheControl: "s-maxage=90" }, 90],
    ["beside a max-age that is no number", { cacheControl: "max-age=soon" }, 0],
    ["beside no-cache", { cacheControl: "no-cache" }, 0],
    ["beside what is no lifetime", { cacheControl: "public" }, 60],
    ["that is missing", { expires: null }, undefined],
  ])("objectCaching() does heed one %s", (_case, said, freshS) => {
    const given = { expires: IN_A_MINUTE, date: DATE, ...said };
    expect(caching(given)).toEqual({ kind: "cacheable", freshS });
  });
});

describe("Age of an object", () => {
  it.each<[Partial<CachingFields>, number | undefined]>([
    [{ age: "0" }, 60],
    [{ age: "25" }, 35],
    [{ age: "25, 50" }, 35],
    [{ age: " 25 ,x" }, 35],
    [{ age: "60" }, 0],
    [{ age: "61" }, 0],
    [{ age: "9".repeat(40) }, 0],
    [{ age: "" }, 60],
    [{ age: "-25" }, 60],
    [{ age: "2.5" }, 60],
    [{ age: "soon, 25" }, 60],
    [{ age: ", 25" }, 60],
    [{ age: "25", cacheControl: "s-maxage=30, max-age=90" }, 5],
    [{ age: "25", cacheControl: null, expires: IN_A_MINUTE, date: DATE }, 35],
    [{ age: "25", cacheControl: "no-cache" }, 0],
    [{ age: "25", cacheControl: "public" }, undefined],
  ])("objectCaching() does take it off what is left: %j", (said, freshS) => {
    expect(caching({ cacheControl: "max-age=60", ...said })).toEqual({ kind: "cacheable", freshS });
  });
});
