import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  baseHost,
  bucketOfHost,
  FORGE_KINDS,
  type Site,
  SITE_KINDS,
  siteFinder,
} from "../../src/core/site.ts";

function site(host: string): Site {
  return {
    host,
    kind: "s3",
    origin: `http://origin-of-${baseHost({ host })}`,
    auth: "edge",
    region: "us-east-1",
  };
}

const SITES = [
  site("*.s3.example"),
  site("*.eu.s3.example"),
  site("s3.example:8080"),
  site("*.port.example:8080"),
  site("plain.example"),
  site("*.both.example"),
  site("both.example"),
  site("named.s3.example"),
];

describe("the host of a site", () => {
  it.each([
    ["s3.example", "s3.example"],
    ["*.s3.example", "s3.example"],
    ["*.s3.example:8080", "s3.example:8080"],
    ["a.*.example", "a.*.example"],
  ])("baseHost() does read %s as %s", (host, base) => {
    expect(baseHost({ host })).toBe(base);
  });

  it.each<[string, string, string | undefined]>([
    ["s3.example", "s3.example", undefined],
    ["*.s3.example", "s3.example", undefined],
    ["*.s3.example", "my.bucket.s3.example", "my.bucket"],
    ["*.s3.example:8080", "b.s3.example:8080", "b"],
  ])("bucketOfHost() does find before the site %s in %s %j", (host, found, bucket) => {
    expect(bucketOfHost({ host }, found)).toBe(bucket);
  });

  it("SITE_KINDS does hold every forge", () => {
    expect(SITE_KINDS).toEqual([...FORGE_KINDS, "s3"]);
  });
});

describe("the site of a host", () => {
  const find = siteFinder(SITES);

  it.each<[string, string, string | undefined]>([
    ["s3.example", "*.s3.example", undefined],
    ["bucket.s3.example", "*.s3.example", "bucket"],
    ["my.bucket.s3.example", "*.s3.example", "my.bucket"],
    ["eu.s3.example", "*.eu.s3.example", undefined],
    ["bucket.eu.s3.example", "*.eu.s3.example", "bucket"],
    ["s3.example:8080", "s3.example:8080", undefined],
    ["port.example:8080", "*.port.example:8080", undefined],
    ["b.port.example:8080", "*.port.example:8080", "b"],
    ["plain.example", "plain.example", undefined],
    ["both.example", "both.example", undefined],
    ["b.both.example", "*.both.example", "b"],
    ["named.s3.example", "named.s3.example", undefined],
    ["b.named.s3.example", "*.s3.example", "b.named"],
  ])("siteFinder() does find for %s the site %s with the bucket %j", (host, name, bucket) => {
    expect(find(host)).toEqual({ site: SITES.find((each) => each.host === name), bucket });
  });

  it.each([
    [""],
    ["example"],
    ["xs3.example"],
    ["bucket.plain.example"],
    ["bucket.s3.example:8080"],
    ["port.example"],
    ["b.port.example"],
    ["s3.example."],
    ["s3.example.evil.example"],
    ["*.plain.example"],
    ["__proto__"],
    ["constructor"],
    [".s3.example"],
    ["-.s3.example"],
    ["b-.s3.example"],
    ["..s3.example"],
    ["b\\.s3.example"],
    ["127.0.0.1:80?.s3.example"],
    ["127.0.0.1:80#.s3.example"],
    ["127.0.0.1:80/.s3.example"],
    ["a:b@.s3.example"],
    ["a@b.s3.example"],
    ["%2f.s3.example"],
    ["a b.s3.example"],
    ["é.s3.example"],
    ["*.s3.example"],
  ])("siteFinder() does find none for %j", (host) => {
    expect(find(host)).toBeUndefined();
  });

  it("siteFinder() does find the same in whatever order sites are named", () => {
    const hosts = [
      "s3.example",
      "b.s3.example",
      "b.eu.s3.example",
      "eu.s3.example",
      "both.example",
      "b.both.example",
    ];
    fc.assert(
      fc.property(
        fc.shuffledSubarray(SITES, { minLength: SITES.length }),
        fc.constantFrom(...hosts),
        (shuffled, host) => {
          expect(siteFinder(shuffled)(host)).toEqual(find(host));
        },
      ),
    );
  });

  it("siteFinder() does find none where there are none", () => {
    expect(siteFinder([])("s3.example")).toBeUndefined();
  });
});
