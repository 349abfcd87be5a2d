import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseHttpDate } from "../../src/core/http-date.ts";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

describe("the three formats", () => {
  it.each<[string, string]>([
    ["Sun, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"],
    ["Sunday, 06-Nov-94 08:49:37 GMT", "1994-11-06T08:49:37Z"],
    ["Sun Nov  6 08:49:37 1994", "1994-11-06T08:49:37Z"],
    ["Wed Nov 16 08:49:37 1994", "1994-11-16T08:49:37Z"],
    ["Thu, 01 Jan 1970 00:00:00 GMT", "1970-01-01T00:00:00Z"],
    ["Thu, 29 Feb 2024 23:59:59 GMT", "2024-02-29T23:59:59Z"],
    ["Sat, 31 Dec 2016 23:59:60 GMT", "2017-01-01T00:00:00Z"],
    ["Fri, 31 Dec 9999 23:59:59 GMT", "9999-12-31T23:59:59Z"],
    ["Mon, 01 Jan 0001 00:00:00 GMT", "0001-01-01T00:00:00Z"],
    ["Fri, 31 Dec 1965 23:59:59 GMT", "1965-12-31T23:59:59Z"],
    ["Mon, 06 Nov 1994 08:49:37 GMT", "1994-11-06T08:49:37Z"],
  ])("parseHttpDate() does read %j", (text, iso) => {
    expect(parseHttpDate(text)).toBe(Date.parse(iso));
  });
});

describe("two-digit years", () => {
  it.each([
    ["70", 1970],
    ["99", 1999],
    ["00", 2000],
    ["69", 2069],
  ])("parseHttpDate() does read %j by the pivot", (digits, year) => {
    expect(parseHttpDate(`Monday, 01-Jan-${digits} 00:00:00 GMT`)).toBe(Date.UTC(year, 0, 1));
  });
});

describe("other text", () => {
  it.each([
    [""],
    ["0"],
    ["-1"],
    ["784111777"],
    ["1994-11-06T08:49:37Z"],
    ["Sun, 06 Nov 1994 08:49:37"],
    ["Sun, 06 Nov 1994 08:49:37 UTC"],
    ["Sun, 06 Nov 1994 08:49:37 +0000"],
    ["Sun, 06 Nov 1994 08:49:37 gmt"],
    ["sun, 06 Nov 1994 08:49:37 GMT"],
    ["Sun, 06 NOV 1994 08:49:37 GMT"],
    ["Sun, 6 Nov 1994 08:49:37 GMT"],
    ["Sun, 06 Nov 94 08:49:37 GMT"],
    ["06 Nov 1994 08:49:37 GMT"],
    ["Abc, 06 Nov 1994 08:49:37 GMT"],
    ["Sun, 06 Nov 1994 8:49:37 GMT"],
    ["Sun,  06 Nov 1994 08:49:37 GMT"],
    [" Sun, 06 Nov 1994 08:49:37 GMT"],
    ["Sun, 06 Nov 1994 08:49:37 GMT "],
    ["Sun, 06 Nov 1994 08:49:37 GMT\n"],
    ["Sun, 06 Nov 1994 08:49:37 GMT; length=9"],
    ["Sun, 06 Nov 1994 24:00:00 GMT"],
    ["Sun, 06 Nov 1994 08:60:00 GMT"],
    ["Sun, 06 Nov 1994 08:49:61 GMT"],
    ["Sun, 00 Nov 1994 08:49:37 GMT"],
    ["Sun, 31 Nov 1994 08:49:37 GMT"],
    ["Wed, 29 Feb 2023 00:00:00 GMT"],
    ["Sun, 99 Nov 1994 08:49:37 GMT"],
    ["Sun, 06-Nov-94 08:49:37 GMT"],
    ["Sunday, 06-Nov-1994 08:49:37 GMT"],
    ["Sunday, 06 Nov 94 08:49:37 GMT"],
    ["Sun Nov 6 08:49:37 1994"],
    ["Sun Nov  6 08:49:37 1994 GMT"],
    ["Sun Nov 31 08:49:37 1994"],
  ])("parseHttpDate() does refuse %j", (text) => {
    expect(parseHttpDate(text)).toBeUndefined();
  });
});

describe("any date", () => {
  const second = fc.integer({
    min: Date.UTC(1, 0, 1) / 1_000,
    max: Date.UTC(9999, 11, 31) / 1_000,
  });
  const secondInPivot = fc.integer({ min: 0, max: Date.UTC(2069, 11, 31) / 1_000 });

  it("parseHttpDate() does read back an IMF-fixdate", () => {
    fc.assert(
      fc.property(second, (seconds) => {
        expect(parseHttpDate(new Date(seconds * 1_000).toUTCString())).toBe(seconds * 1_000);
      }),
    );
  });

  it("parseHttpDate() does read back the two obsolete formats", () => {
    fc.assert(
      fc.property(secondInPivot, (seconds) => {
        const date = new Date(seconds * 1_000);
        const [day, dd = "", month, year = "", time] = date.toUTCString().split(" ");
        const rfc850 = `${DAYS[date.getUTCDay()]}, ${dd}-${month}-${year.slice(2)} ${time} GMT`;
        const asctime = `${day?.slice(0, 3)} ${month} ${dd.replace(/^0/, " ")} ${time} ${year}`;
        expect(parseHttpDate(rfc850)).toBe(seconds * 1_000);
        expect(parseHttpDate(asctime)).toBe(seconds * 1_000);
      }),
    );
  });

  it("parseHttpDate() does answer a whole second or nothing for any text", () => {
    const digit = fc.nat({ max: 9 }).map(String);
    const shaped = fc
      .tuple(fc.array(digit, { minLength: 12, maxLength: 12 }), fc.constantFrom("Feb", "Apr", "Dec"))
      .map(([d, month]) => {
        const [day, year, time] = [d.slice(0, 2), d.slice(2, 6), d.slice(6)].map((x) => x.join(""));
        return `Sun, ${day} ${month} ${year} ${time?.replace(/(..)(..)(..)/, "$1:$2:$3")} GMT`;
      });
    fc.assert(
      fc.property(fc.oneof(shaped, fc.string()), (text) => {
        const answer = parseHttpDate(text);
        expect(answer === undefined || Number.isInteger(answer / 1_000)).toBe(true);
      }),
    );
  });
});
