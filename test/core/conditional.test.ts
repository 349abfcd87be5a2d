import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  evaluatePreconditions,
  isStrongDate,
  type PreconditionAnswer,
  type Preconditions,
  rangeApplies,
  type Validators,
  withQuotes,
} from "../../src/core/conditional.ts";

const EARLIER = "Sat, 05 Nov 1994 08:49:37 GMT";
const MODIFIED = "Sun, 06 Nov 1994 08:49:37 GMT";
const MODIFIED_RFC_850 = "Sunday, 06-Nov-94 08:49:37 GMT";
const MODIFIED_ASCTIME = "Sun Nov  6 08:49:37 1994";
const LATER = "Mon, 07 Nov 1994 08:49:37 GMT";

const current: Validators = { etag: '"a"', lastModified: MODIFIED };
const absent: Preconditions = {
  ifMatch: null,
  ifNoneMatch: null,
  ifModifiedSince: null,
  ifUnmodifiedSince: null,
};

function evaluate(given: Partial<Preconditions>, validators: Validators): PreconditionAnswer {
  return evaluatePreconditions({ ...absent, ...given }, validators);
}

describe("If-Match", () => {
  it.each<[string, string | undefined, PreconditionAnswer]>([
    ['"a"', '"a"', "proceed"],
    ['"b"', '"a"', "failed"],
    ['"b", "a"', '"a"', "proceed"],
    ['W/"a"', '"a"', "failed"],
    ['"a"', 'W/"a"', "failed"],
    ['W/"a"', 'W/"a"', "failed"],
    ['W/"a", "a"', '"a"', "proceed"],
    ["*", '"a"', "proceed"],
    ["*", 'W/"a"', "proceed"],
    ["*", undefined, "proceed"],
    ['"a"', undefined, "failed"],
    ["", '"a"', "failed"],
  ])("evaluatePreconditions() does compare %j with %j strongly", (ifMatch, etag, answer) => {
    expect(evaluate({ ifMatch }, etag === undefined ? {} : { etag })).toBe(answer);
  });
});

describe("If-None-Match", () => {
  it.each<[string, string | undefined, PreconditionAnswer]>([
    ['"a"', '"a"', "not-modified"],
    ['"b"', '"a"', "proceed"],
    ['"b","a"', '"a"', "not-modified"],
    ['W/"a"', '"a"', "not-modified"],
    ['"a"', 'W/"a"', "not-modified"],
    ['W/"a"', 'W/"a"', "not-modified"],
    ['W/"b"', 'W/"a"', "proceed"],
    ["*", '"a"', "not-modified"],
    ["*", undefined, "not-modified"],
    ['"a"', undefined, "proceed"],
    ["", '"a"', "proceed"],
  ])("evaluatePreconditions() does compare %j with %j weakly", (ifNoneMatch, etag, answer) => {
    expect(evaluate({ ifNoneMatch }, etag === undefined ? {} : { etag })).toBe(answer);
  });
});

describe("entity-tag lists", () => {
  it.each<[string, string, string, boolean]>([
    ["commas in quotes", '"x,y"', '"x,y"', true],
    ["half of a tag with a comma", '"x,y"', '"x"', false],
    ["spaces in quotes", '"x y", "z"', '"x y"', true],
    ["a tag that looks like a list", '"x, y", "z"', '"z"', true],
    ["the empty tag", '""', '""', true],
    ["the empty tag in a list", '"a", ""', '""', true],
    ["backslashes as plain characters", '"x\\"', '"x\\"', true],
    ["characters beyond ASCII", '"\u00e9"', '"\u00e9"', true],
    ["case as a difference", '"A"', '"a"', false],
    ["a prefix as a difference", '"ab"', '"a"', false],
    ["empty members", ', ,"b",,\t"a",', '"a"', true],
    ["whitespace around", ' "a" ', '"a"', true],
    ["a missing quote", '"a', '"a"', false],
    ["no quotes", "a", '"a"', false],
    ["a lower-case weak mark", 'w/"a"', '"a"', false],
    ["a weak mark alone", "W/", '"a"', false],
    ["a space after the weak mark", 'W/ "a"', '"a"', false],
    ["text behind a tag", '"a"b', '"a"', false],
    ["two tags without a comma", '"a" "b"', '"a"', false],
    ["a control character", '"a\u0001"', '"a\u0001"', false],
    ["a valid member before a bad one", '"a", b, "c"', '"a"', true],
    ["a valid member behind a bad one", '"a", b, "c"', '"c"', false],
    ["an asterisk in a list", '"b", *', '"a"', false],
    ["an asterisk before a list", '*, "a"', '"a"', false],
    ["a quoted asterisk", '"*"', '"a"', false],
    ["a malformed tag of ours", "a", "a", false],
    ["a tag of ours with text behind", '"a"', '"a"b', false],
  ])("evaluatePreconditions() does handle %s", (_case, list, etag, matches) => {
    expect(evaluate({ ifMatch: list }, { etag })).toBe(matches ? "proceed" : "failed");
    expect(evaluate({ ifNoneMatch: list }, { etag })).toBe(matches ? "not-modified" : "proceed");
  });
});

describe("dates", () => {
  it.each<[string, Partial<Preconditions>, Validators, PreconditionAnswer]>([
    ["nothing", {}, current, "proceed"],
    ["modified since", { ifModifiedSince: EARLIER }, current, "proceed"],
    ["modified at", { ifModifiedSince: MODIFIED }, current, "not-modified"],
    ["modified at, RFC 850", { ifModifiedSince: MODIFIED_RFC_850 }, current, "not-modified"],
    ["modified at, asctime", { ifModifiedSince: MODIFIED_ASCTIME }, current, "not-modified"],
    ["modified before", { ifModifiedSince: LATER }, current, "not-modified"],
    ["modified since no date", { ifModifiedSince: "yesterday" }, current, "proceed"],
    ["modified since, ISO", { ifModifiedSince: "2030-01-01T00:00:00Z" }, current, "proceed"],
    ["modified since, no Last-Modified", { ifModifiedSince: LATER }, {}, "proceed"],
    ["modified since, bad Last-Modified", { ifModifiedSince: LATER }, { lastModified: "0" }, "proceed"],
    ["unmodified since", { ifUnmodifiedSince: LATER }, current, "proceed"],
    ["unmodified at", { ifUnmodifiedSince: MODIFIED }, current, "proceed"],
    ["unmodified before", { ifUnmodifiedSince: EARLIER }, current, "failed"],
    ["unmodified since no date", { ifUnmodifiedSince: "yesterday" }, current, "proceed"],
    ["unmodified since, no Last-Modified", { ifUnmodifiedSince: EARLIER }, {}, "proceed"],
    ["unmodified since, bad Last-Modified", { ifUnmodifiedSince: EARLIER }, { lastModified: "" }, "proceed"],
  ])("evaluatePreconditions() does evaluate %s", (_case, given, validators, answer) => {
    expect(evaluate(given, validators)).toBe(answer);
  });
});

describe("several headers", () => {
  it.each<[string, Partial<Preconditions>, PreconditionAnswer]>([
    ["If-Match over If-Unmodified-Since, true", { ifMatch: '"a"', ifUnmodifiedSince: EARLIER }, "proceed"],
    ["If-Match over If-Unmodified-Since, false", { ifMatch: '"b"', ifUnmodifiedSince: LATER }, "failed"],
    ["If-None-Match over If-Modified-Since, true", { ifNoneMatch: '"b"', ifModifiedSince: LATER }, "proceed"],
    [
      "If-None-Match over If-Modified-Since, false",
      { ifNoneMatch: '"a"', ifModifiedSince: EARLIER },
      "not-modified",
    ],
    ["an empty If-None-Match over If-Modified-Since", { ifNoneMatch: "", ifModifiedSince: LATER }, "proceed"],
    ["a failed If-Match over If-None-Match", { ifMatch: '"b"', ifNoneMatch: '"a"' }, "failed"],
    ["a true If-Match, then If-None-Match", { ifMatch: '"a"', ifNoneMatch: '"a"' }, "not-modified"],
    ["a true If-Match, then If-Modified-Since", { ifMatch: "*", ifModifiedSince: MODIFIED }, "not-modified"],
    [
      "a failed If-Unmodified-Since over If-None-Match",
      { ifUnmodifiedSince: EARLIER, ifNoneMatch: '"a"' },
      "failed",
    ],
    [
      "a true If-Unmodified-Since, then If-Modified-Since",
      { ifUnmodifiedSince: MODIFIED, ifModifiedSince: MODIFIED },
      "not-modified",
    ],
  ])("evaluatePreconditions() does put %s", (_case, given, answer) => {
    expect(evaluate(given, current)).toBe(answer);
  });
});

describe("rangeApplies()", () => {
  it.each<[string, string | null, Validators, boolean]>([
    ["no header", null, current, true],
    ["no header and no validators", null, {}, true],
    ["the same strong tag", '"a"', current, true],
    ["another tag", '"b"', current, false],
    ["a weak tag", 'W/"a"', current, false],
    ["a weak tag on both sides", 'W/"a"', { etag: 'W/"a"' }, false],
    ["a weak tag of ours", '"a"', { etag: 'W/"a"' }, false],
    ["a tag and none of ours", '"a"', { lastModified: MODIFIED }, false],
    ["a list", '"a", "b"', current, false],
    ["an asterisk", "*", current, false],
    ["an unquoted tag on both sides", "a", { etag: "a" }, false],
    ["half a tag on both sides", '"a', { etag: '"a' }, false],
    ["the very date", MODIFIED, current, true],
    ["the very date without a tag", MODIFIED, { lastModified: MODIFIED }, true],
    ["an earlier date", EARLIER, current, false],
    ["a later date", LATER, current, false],
    ["the same second in another format", MODIFIED_RFC_850, current, false],
    ["a date and no Last-Modified", MODIFIED, { etag: '"a"' }, false],
    ["the same text that is no date", "yesterday", { lastModified: "yesterday" }, false],
    ["the empty value", "", { etag: "", lastModified: "" }, false],
  ])("rangeApplies() does judge %s", (_case, ifRange, validators, applies) => {
    expect(rangeApplies(ifRange, validators)).toBe(applies);
  });
});

describe("isStrongDate()", () => {
  const AT = Date.parse(MODIFIED);

  it.each<[string, string | undefined, number, boolean]>([
    ["a minute before", MODIFIED, AT + 60_000, true],
    ["years before", MODIFIED, AT + 1e12, true],
    ["a moment less", MODIFIED, AT + 59_999, false],
    ["the very second", MODIFIED, AT + 400, false],
    ["to come", MODIFIED, AT - 60_000, false],
    ["in another format, a minute before", MODIFIED_RFC_850, AT + 60_000, true],
    ["that is none", "yesterday", AT + 60_000, false],
    ["that is absent", undefined, AT + 60_000, false],
  ])("isStrongDate() does judge a date %s", (_case, lastModified, seenAt, isStrong) => {
    expect(isStrongDate(lastModified, seenAt)).toBe(isStrong);
  });

  it("isStrongDate() does take another margin for one clock", () => {
    expect(isStrongDate(MODIFIED, AT + 2000, 2000)).toBe(true);
    expect(isStrongDate(MODIFIED, AT + 1999, 2000)).toBe(false);
  });
});

type Tag = { readonly weak: boolean; readonly opaque: string };

const tag: fc.Arbitrary<Tag> = fc.record({
  weak: fc.boolean(),
  opaque: fc.string({ unit: fc.constantFrom(..."ab, W/*".split("")), maxLength: 3 }),
});
const tags = fc.array(tag, { maxLength: 6 });
const separator = fc.constantFrom(",", ", ", " ,\t", ",, ");

function write({ weak, opaque }: Tag): string {
  return `${weak ? "W/" : ""}"${opaque}"`;
}

function sameStrongly(a: Tag, b: Tag): boolean {
  return !a.weak && !b.weak && a.opaque === b.opaque;
}

describe("any list", () => {
  it("evaluatePreconditions() does agree with a naive comparison of tags", () => {
    fc.assert(
      fc.property(tags, tag, separator, (members, mine, between) => {
        const list = members.map(write).join(between);
        const strong = members.some((one) => sameStrongly(one, mine));
        const weak = members.some((one) => one.opaque === mine.opaque);
        const etag = write(mine);
        expect(evaluate({ ifMatch: list }, { etag })).toBe(strong ? "proceed" : "failed");
        expect(evaluate({ ifNoneMatch: list }, { etag })).toBe(weak ? "not-modified" : "proceed");
      }),
      { numRuns: 2_000 },
    );
  });

  it("evaluatePreconditions() does match no member from the first malformed one on", () => {
    const malformed = fc.constantFrom("*", "a", "w/", "W/", '"a"b', '"a" "b"', "\u007f");
    fc.assert(
      fc.property(tags, malformed, tags, tag, (before, bad, behind, mine) => {
        const list = [...before.map(write), bad, ...behind.map(write)].join(",");
        fc.pre(list !== "*");
        const matches = before.some((one) => sameStrongly(one, mine));
        expect(evaluate({ ifMatch: list }, { etag: write(mine) })).toBe(matches ? "proceed" : "failed");
      }),
      { numRuns: 2_000 },
    );
  });

  it("rangeApplies() does agree with a naive strong comparison", () => {
    fc.assert(
      fc.property(tag, tag, (theirs, mine) => {
        expect(rangeApplies(write(theirs), { etag: write(mine) })).toBe(sameStrongly(theirs, mine));
      }),
    );
  });
});

describe("garbage", () => {
  const noise = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom(...'W/"a, *\t'.split("")), maxLength: 30 }),
  );

  it("evaluatePreconditions() and rangeApplies() do never throw", () => {
    const header = fc.option(noise);
    const given = fc.record<Preconditions>({
      ifMatch: header,
      ifNoneMatch: header,
      ifModifiedSince: header,
      ifUnmodifiedSince: header,
    });
    fc.assert(
      fc.property(given, noise, header, (preconditions, text, ifRange) => {
        const validators = { etag: text, lastModified: text };
        expect(["proceed", "not-modified", "failed"]).toContain(
          evaluatePreconditions(preconditions, validators),
        );
        expect(rangeApplies(ifRange, validators)).toBeTypeOf("boolean");
      }),
      { numRuns: 2_000 },
    );
  });

  // A quadratic reading of a megabyte takes minutes, so the limit is far from either outcome.
  const MEGABYTE = 1_000_000;
  const LONG_TAG = `"${"x".repeat(1_000)}"`;
  it.each([
    ["an open quote", `"${"x".repeat(MEGABYTE)}`],
    ["open weak quotes", 'W/"'.repeat(MEGABYTE / 3)],
    ["commas", ",".repeat(MEGABYTE)],
    ["spaced commas", " ,".repeat(MEGABYTE / 2)],
    ["spaces", `"a"${" ".repeat(MEGABYTE)}x`],
    ["short tags", '"",'.repeat(MEGABYTE / 3)],
    ["tags that differ at the end", `${LONG_TAG.replace(/.$/, 'y"')},`.repeat(MEGABYTE / 1_000)],
    ["digits", "1".repeat(MEGABYTE)],
  ])("evaluatePreconditions() does read a megabyte of %s in linear time", (_case, text) => {
    const began = performance.now();
    evaluate({ ifMatch: text }, { etag: LONG_TAG });
    evaluate({ ifNoneMatch: text, ifUnmodifiedSince: text }, { etag: text, lastModified: text });
    rangeApplies(text, { etag: text, lastModified: text });
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});

describe("tags without quotes", () => {
  it.each<[string | null, string | null]>([
    [null, null],
    ["*", "*"],
    [" * ", " * "],
    ["abc", '"abc"'],
    [" abc ", '"abc"'],
    ["a,b", '"a", "b"'],
    ["a , b", '"a", "b"'],
    ["d41d8cd98f00b204e9800998ecf8427e-3", '"d41d8cd98f00b204e9800998ecf8427e-3"'],
    ['"abc"', '"abc"'],
    ['W/"abc"', 'W/"abc"'],
    ['"a", b', '"a", b'],
    ['a"b', 'a"b'],
  ])("withQuotes() does write %j as %j", (list, quoted) => {
    expect(withQuotes(list)).toBe(quoted);
  });

  it("withQuotes() does let a tag match that is the current one, and no other", () => {
    const bare = fc.stringMatching(/^[a-f0-9-]{1,40}$/);
    fc.assert(
      fc.property(fc.array(bare, { minLength: 1, maxLength: 4 }), bare, (named, other) => {
        const ifMatch = withQuotes(named.join(","));
        for (const each of named) expect(evaluate({ ifMatch }, { etag: `"${each}"` })).toBe("proceed");
        const answer = named.includes(other) ? "proceed" : "failed";
        expect(evaluate({ ifMatch }, { etag: `"${other}"` })).toBe(answer);
        expect(withQuotes(ifMatch)).toBe(ifMatch);
      }),
    );
  });
});
