import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { acceptsGzip } from "../../src/core/accept-encoding.ts";

describe("acceptsGzip()", () => {
  it.each([
    ["gzip"],
    ["x-gzip"],
    ["GZIP"],
    ["GZip;Q=0.5"],
    ["br, gzip"],
    ["gzip, deflate, br, zstd"],
    ["deflate,gzip"],
    ["\tdeflate\t,\tgzip\t"],
    ["gzip;q=1"],
    ["gzip;q=1.000"],
    ["gzip;q=0.001"],
    ["gzip;q=0.1"],
    ["gzip ; q=0.2"],
    ["gzip;\tq=0.2"],
    ["identity;q=1, gzip;q=0.1"],
    ["identity;q=0, gzip"],
    ["identity;q=0, *"],
    ["*"],
    ["*;q=0.5"],
    ["br, *"],
    ["br;q=1.0, *;q=0.001"],
    ["*;q=0, gzip"],
    ["gzip, *;q=0"],
    [", ,gzip,"],
    ["gzip;level=9"],
    ["gzip;level=9;q=0.5"],
  ])("acceptsGzip() does see it in %j", (value) => {
    expect(acceptsGzip(value)).toBe(true);
  });

  it.each([
    [null],
    [""],
    [" "],
    [","],
    ["identity"],
    ["br"],
    ["deflate, br, zstd"],
    ["gzip;q=0"],
    ["gzip;q=0."],
    ["gzip;q=0.0"],
    ["gzip;q=0.000"],
    ["gzip; Q=0.00"],
    ["gzip ; q=0 "],
    ["x-gzip;q=0"],
    ["gzip;level=9;q=0"],
    ["gzip;q=0, *"],
    ["*, gzip;q=0"],
    ["*;q=1, gzip;q=0, br"],
    ["*;q=0"],
    ["*;q=0.0, br"],
    ["gzipped"],
    ["notgzip"],
    ["pack200-gzip"],
    ["gzip2, x-gzipx"],
    ["br;gzip"],
    ["br;q=gzip"],
  ])("acceptsGzip() does not see it in %j", (value) => {
    expect(acceptsGzip(value)).toBe(false);
  });

  it("acceptsGzip() does go by gzip's own weight wherever it stands, and by the wildcard's where it has none", () => {
    const weight = fc.constantFrom("", ";q=0", ";q=0.000", ";q=0.5", ";q=1", " ; Q=0 ", ";q=0.001");
    const isTaken = (text: string) => !/^;q=0(?:\.0*)?$/i.test(text.replaceAll(" ", ""));
    const others = fc.array(
      fc.tuple(fc.constantFrom("br", "identity", "deflate", "zstd", "compress"), weight),
      { maxLength: 4 },
    );
    const known = fc.record({ gzip: fc.option(weight), "*": fc.option(weight) });
    fc.assert(
      fc.property(others, known, fc.infiniteStream(fc.nat()), (more, { gzip, "*": wildcard }, order) => {
        const named = [
          ...more.map(([coding, q]) => `${coding}${q}`),
          ...(gzip === null ? [] : [`gzip${gzip}`]),
          ...(wildcard === null ? [] : [`*${wildcard}`]),
        ];
        const shuffled = named
          .map((text) => [order.next().value ?? 0, text] as const)
          .toSorted(([a], [b]) => a - b)
          .map(([, text]) => text);
        const expected = gzip === null ? wildcard !== null && isTaken(wildcard) : isTaken(gzip);
        expect(acceptsGzip(shuffled.join(", "))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});
