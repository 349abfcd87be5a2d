import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { objectCaching } from "../../src/core/object-caching.ts";

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
    expect(objectCaching(value)).toEqual({ kind: "never" });
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
    expect(objectCaching(value)).toEqual({ kind: "cacheable", freshS });
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
        const answer = objectCaching(directives.join(", "));
        const forbidden = directives.includes("no-store") || directives.includes("private");
        expect(answer.kind).toBe(forbidden ? "never" : "cacheable");
        if (answer.kind === "cacheable" && directives.includes("no-cache")) expect(answer.freshS).toBe(0);
      }),
    );
  });
});
