import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { uriEncode, uriEncodePath } from "../../src/core/uri-encode.ts";
import { routeS3 } from "../../src/core/route-s3.ts";
import { type ObjectTarget, PASS, type Route } from "../../src/core/target.ts";
import { anyKey } from "../origin/hostile-keys.ts";

const PLAIN: ObjectTarget = {
  lane: "object",
  bucket: "bucket",
  key: "key",
  versionId: undefined,
  overrides: "",
  corsOrigin: undefined,
  inside: undefined,
  literal: undefined,
};

function target(changes: Partial<ObjectTarget>): Route {
  return { kind: "target", target: { ...PLAIN, ...changes } };
}

function routed(path: string, search = "", bucket?: string, corsOrigin?: string): Route {
  return routeS3(path, search, bucket, corsOrigin);
}

describe("a path", () => {
  it.each<[string, Partial<ObjectTarget>]>([
    ["/bucket/key", {}],
    ["/bucket/a/b/", { key: "a/b/" }],
    ["/bucket//a", { key: "/a" }],
    ["/bucket/%2Fa", { key: "/a" }],
    ["/bucket%2Fkey", {}],
    ["/bucket/../a", { key: "../a" }],
    ["/bucket/%2e", { key: "." }],
    ["/bucket/a+b%20c", { key: "a+b c" }],
    ["/bucket/a\\b", { key: "a\\b" }],
    ["/bucket/%F0%9F%98%80", { key: "😀" }],
    ["/my.bucket-1/key", { bucket: "my.bucket-1" }],
    ["/Old_Bucket/key", { bucket: "Old_Bucket" }],
    [`/${"b".repeat(255)}/key`, { bucket: "b".repeat(255) }],
  ])("routeS3() does read %s as an object", (path, changes) => {
    expect(routed(path)).toEqual(target(changes));
  });

  it.each([
    ["/"],
    ["/bucket"],
    ["/bucket/"],
    ["//key"],
    ["//bucket/key"],
    ["/b/key"],
    ["/-bucket/key"],
    ["/../key"],
    ["/buck et/key"],
    ["/büc/key"],
    ["/bucket:x/key"],
    [`/${"b".repeat(256)}/key`],
    ["/bucket/a%00b"],
    ["/bucket/a%0Ab"],
    ["/bucket/%7F"],
    ["/bucket/%ff"],
    ["/bucket/50%"],
  ])("routeS3() does leave %s to the origin", (path) => {
    expect(routed(path)).toEqual(PASS);
  });

  it.each<[string, string, Route]>([
    ["/key", "bucket", target({})],
    ["/bucket/key", "bucket", target({ key: "bucket/key" })],
    ["//key", "bucket", target({ key: "/key" })],
    ["/key", "a.b", target({ bucket: "a.b" })],
    ["/", "bucket", PASS],
    ["/key", "", PASS],
    ["/key", "x", PASS],
  ])("routeS3() does read %s behind the host's bucket %j", (path, bucket, route) => {
    expect(routed(path, "", bucket)).toEqual(route);
  });
});

describe("a query", () => {
  it.each<[string, Partial<ObjectTarget>]>([
    ["", {}],
    ["?x-id=GetObject", {}],
    ["?versionId=abc", { versionId: "abc" }],
    ["?versionId=null", { versionId: "null" }],
    ["?versionId=a%2Bb%3D", { versionId: "a+b=" }],
    ["?versionId=a+b", { versionId: "a b" }],
    ["?response-content-type=text%2Fplain", { overrides: "response-content-type=text%2Fplain" }],
    ["?response-content-type=text/plain", { overrides: "response-content-type=text%2Fplain" }],
    ["?response-expires", { overrides: "response-expires=" }],
    [
      "?response-expires=0&response-cache-control=no+cache",
      { overrides: "response-cache-control=no%20cache&response-expires=0" },
    ],
    ["?x-amz-checksum-mode=ENABLED&x-amz-user-agent=a&x-amz-content-sha256=b", {}],
    [
      "?X-Amz-Algorithm=a&X-Amz-Credential=b&X-Amz-Date=c&X-Amz-Expires=d&X-Amz-SignedHeaders=e&X-Amz-Signature=f&X-Amz-Security-Token=g&X-Amz-Content-Sha256=h&versionId=1",
      { versionId: "1" },
    ],
  ])("routeS3() does read %j as a part of what is asked for", (search, changes) => {
    expect(routed("/bucket/key", search)).toEqual(target(changes));
  });

  it.each([
    ["?"],
    ["?acl"],
    ["?tagging="],
    ["?uploads"],
    ["?uploadId=1"],
    ["?attributes"],
    ["?torrent"],
    ["?legal-hold"],
    ["?retention"],
    ["?restore"],
    ["?select&select-type=2"],
    ["?partNumber=1"],
    ["?partNumber=1&versionId=1"],
    ["?versionId"],
    ["?versionId="],
    ["?versionId=1&versionId=1"],
    ["?versionId=1&versionId=2"],
    ["?versionId=%zz"],
    ["?versionid=1"],
    ["?version%49d=1"],
    ["?versionId%3D1"],
    ["?response-content-type=a&response-content-type=a"],
    ["?response-content-type=%ff"],
    ["?response-content-length=1"],
    ["?response-content-type-=1"],
    ["?%72esponse-content-type=a"],
    ["?AWSAccessKeyId=A&Signature=b&Expires=1"],
    ["?X-Amz-Signature2=1"],
    ["?x-amz-signature=1"],
    ["?X-Amz-Copy-Source=1"],
    ["?a=1"],
    ["?__proto__=1"],
    ["?versionId=1&"],
    ["?&versionId=1"],
    ["?x-id=1&&x-id=1"],
  ])("routeS3() does leave %j to the origin", (search) => {
    expect(routed("/bucket/key", search)).toEqual(PASS);
  });

  it("routeS3() does spell overrides in one way, in whatever order they stand", () => {
    const names = [
      "cache-control",
      "content-disposition",
      "content-encoding",
      "content-language",
      "content-type",
      "expires",
    ];
    const values = fc.dictionary(fc.constantFrom(...names), fc.string({ unit: "binary" }), {
      noNullPrototype: true,
    });
    fc.assert(
      fc.property(values, fc.infiniteStream(fc.nat()), (chosen, order) => {
        const parameters = Object.entries(chosen).map(
          ([name, value]) => `response-${name}=${uriEncode(value)}`,
        );
        const shuffled = parameters.map((text) => [order.next().value ?? 0, text] as const);
        const search = shuffled.toSorted(([a], [b]) => a - b).map(([, text]) => text);
        const expected = target({ overrides: parameters.toSorted().join("&") });
        expect(routed("/bucket/key", search.length === 0 ? "" : `?${search.join("&")}`)).toEqual(expected);
      }),
    );
  });
});

describe("what tells targets apart", () => {
  it("routeS3() does take the web origin as it is given", () => {
    expect(routed("/bucket/key", "", undefined, "https://a.example")).toEqual(
      target({ corsOrigin: "https://a.example" }),
    );
  });

  it("routeS3() does read one target from one name, and others from others", () => {
    const name = fc.record({
      bucket: fc.constantFrom("bucket", "bucket2"),
      key: anyKey.filter((key) => !/[\u0000-\u001f\u007f]/.test(key)), // oxlint-disable-line no-control-regex -- these are left to the origin
      versionId: fc.option(fc.constantFrom("1", "2", "a&b", "a=b"), { nil: undefined }),
      type: fc.option(fc.constantFrom("", "a", "a&response-expires=b", "a b"), { nil: undefined }),
    });
    type Name = Readonly<{
      bucket: string;
      key: string;
      versionId?: string | undefined;
      type?: string | undefined;
    }>;
    const routeOf = ({ bucket, key, versionId, type }: Name) => {
      const parameters = [
        ...(versionId === undefined ? [] : [`versionId=${uriEncode(versionId)}`]),
        ...(type === undefined ? [] : [`response-content-type=${uriEncode(type)}`]),
      ];
      const search = parameters.length === 0 ? "" : `?${parameters.join("&")}`;
      const path = routed(`/${bucket}/${uriEncodePath(key)}`, search);
      expect(routed(`/${uriEncodePath(key)}`, search, bucket)).toEqual(path);
      return path;
    };
    fc.assert(
      fc.property(name, name, (one, other) => {
        const [a, b] = [routeOf(one), routeOf(other)];
        expect(a.kind).toBe("target");
        expect(JSON.stringify(a) === JSON.stringify(b)).toBe(JSON.stringify(one) === JSON.stringify(other));
      }),
      { numRuns: 1_000 },
    );
  });
});
