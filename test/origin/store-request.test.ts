import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ANONYMOUS } from "../../src/core/principal.ts";
import { routeS3 } from "../../src/core/route-s3.ts";
import { NO_PAYLOAD } from "../../src/core/signable.ts";
import { keyPrincipal, signedPrincipal, type SignedRequest } from "../../src/core/store-principal.ts";
import type { ObjectTarget } from "../../src/core/target.ts";
import { uriEncode } from "../../src/core/uri-encode.ts";
import { rangeHeader, storeRequest, type StoreRead, storeUrl } from "../../src/origin/store-request.ts";
import { anyKey } from "./hostile-keys.ts";
import { claimOf, isSignedRight, wireOf } from "./independent-signer.ts";
import { ACCESS_KEY, addressOf, ORIGIN, SECRET, TARGET } from "./store-scene.ts";

const READ: StoreRead = { target: TARGET, principal: keyPrincipal(ACCESS_KEY), method: "GET", headers: [] };

function asked(read: Partial<StoreRead> = {}, site = {}) {
  const { method, url, headers, ...rest } = storeRequest(addressOf(site), { ...READ, ...read });
  return { method, url, headers, rest, wire: wireOf(method, url, headers) };
}

const anyTarget: fc.Arbitrary<ObjectTarget> = fc.record({
  lane: fc.constant("object"),
  bucket: fc.constantFrom("bucket", "my.bucket", "Old_Bucket"),
  key: anyKey,
  versionId: fc.option(fc.constantFrom("1", "a+b/c=", "é&x"), { nil: undefined }),
  overrides: fc.constantFrom(
    "",
    "response-content-type=",
    `response-cache-control=${uriEncode("no-cache, a=b&c")}&response-expires=${uriEncode("é %+")}`,
  ),
  corsOrigin: fc.constantFrom(undefined, "https://a.example"),
  inside: fc.constant(undefined),
  literal: fc.constant(undefined),
});

describe("a read by the holder of a key", () => {
  it("storeRequest() does sign it for the origin", () => {
    const { method, url, headers, rest, wire } = asked();
    expect([method, url]).toEqual(["GET", `${ORIGIN}/bucket/key`]);
    expect(headers).toEqual([
      ["x-amz-checksum-mode", "ENABLED"],
      ["x-amz-content-sha256", NO_PAYLOAD],
      ["x-amz-date", "20130524T000000Z"],
      [
        "authorization",
        expect.stringContaining(`Credential=${ACCESS_KEY}/20130524/eu-central-1/s3/aws4_request`),
      ],
    ]);
    expect(claimOf(wire).names).toEqual([
      "host",
      "x-amz-checksum-mode",
      "x-amz-content-sha256",
      "x-amz-date",
    ]);
    expect(rest).toEqual({ deadline: "start", coding: "as stored" });
  });

  it.each<[string, Partial<StoreRead>, string | undefined]>([
    ["a whole object", {}, "ENABLED"],
    ["a part", { headers: [["range", "bytes=0-1"]] }, undefined],
    ["a head", { method: "HEAD" }, "ENABLED"],
  ])("storeRequest() does ask for a checksum as it befits %s", (_case, read, mode) => {
    const { wire } = asked(read);
    expect(wire.headers["x-amz-checksum-mode"]).toBe(mode);
    expect(isSignedRight(wire, SECRET)).toBe(true);
  });

  it("storeRequest() does sign any target so that an independent verifier finds it right, and the target in it", () => {
    fc.assert(
      fc.property(anyTarget, fc.constantFrom("GET", "HEAD"), (target, method) => {
        const { url, wire } = asked({ target, method, headers: [["range", "bytes=0-0"]] });
        expect(isSignedRight(wire, SECRET)).toBe(true);
        expect(isSignedRight(wire, `${SECRET}x`)).toBe(false);
        expect(new URL(url).href).toBe(url);
        expect([wire.headers["origin"], wire.headers["range"]]).toEqual([target.corsOrigin, "bytes=0-0"]);
        if (/[\u0000-\u001f\u007f]/.test(target.key)) return; // oxlint-disable-line no-control-regex -- no target has these
        const read = routeS3(wire.path, wire.search, undefined, target.corsOrigin);
        expect(read).toEqual({ kind: "target", target });
      }),
      { numRuns: 1_000 },
    );
  });
});

describe("a read by nobody", () => {
  it("storeRequest() does send nothing that is signed", () => {
    const target = { ...TARGET, versionId: "1", corsOrigin: "https://a.example" };
    const { url, headers } = asked({ target, principal: ANONYMOUS, headers: [["range", "bytes=0-0"]] });
    expect(url).toBe(`${ORIGIN}/bucket/key?versionId=1`);
    expect(headers).toEqual([
      ["origin", "https://a.example"],
      ["range", "bytes=0-0"],
    ]);
  });
});

describe("a read by the holder of a signature", () => {
  const request: SignedRequest = {
    method: "HEAD",
    host: "bucket.s3.example:8080",
    path: "/a%20b/%c3%A9+c",
    search: "?X-Amz-Signature=%61&a",
    headers: [
      ["authorization", "AWS4 …"],
      ["x-amz-date", "20130524T000000Z"],
    ],
  };

  it.each([
    ["http://s3.example", "http:"],
    ["https://s3.example:8443", "https:"],
  ])("storeRequest() does repeat it to %s as it was, for the host it was signed for", (origin, protocol) => {
    const target = { ...TARGET, key: "a b/é+c" };
    const principal = signedPrincipal(request);
    const asking = { target, principal, headers: [["range", "bytes=0-0"]] } as const;
    const { method, url, headers } = asked(asking, { host: "*.s3.example:8080", auth: "probe", origin });
    expect(method).toBe("HEAD");
    expect(url).toBe(`${protocol}//bucket.s3.example:8080/a%20b/%C3%A9%2Bc?X-Amz-Signature=%61&a`);
    expect(headers).toEqual([...request.headers, ["range", "bytes=0-0"]]);
  });

  it.each<[string, string, Partial<ObjectTarget>, boolean]>([
    ["bucket.s3.example", "/key", {}, true],
    ["s3.example", "/bucket/key", {}, true],
    ["s3.example", "/bucket%2Fkey", {}, true],
    ["bucket.s3.example", "/key%21/x", { key: "key!/x" }, true],
    ["bucket.s3.example", "/key!/x", {}, false],
    ["bucket.s3.example", "/bucket/key", {}, false],
    ["other.s3.example", "/key", {}, false],
    ["s3.example", "/other/key", {}, false],
    ["s3.example", "/key", {}, false],
    ["s3.example", "/bucket/%ff", { key: "%ff" }, false],
  ])("storeRequest() does ask %s%s for %j: %j", (host, path, named, isRepeated) => {
    const principal = signedPrincipal({ ...request, host, path });
    const ask = () => asked({ target: { ...TARGET, ...named }, principal }, { auth: "rgw" });
    if (isRepeated) expect(ask().method).toBe("HEAD");
    else expect(ask).toThrow(TypeError);
  });
});

describe("URLs and ranges", () => {
  it.each([["/.."], ["/."], ["/b/%ff/%2e%2e/k"], ["/b/.%ff\\..\\k"]])(
    "storeUrl() does refuse %s, which would be sent as another path",
    (path) => {
      expect(() => storeUrl(ORIGIN, path, "")).toThrow(expect.objectContaining({ problem: "bad_path" }));
    },
  );

  it("storeUrl() does leave a query as it is", () => {
    expect(storeUrl(ORIGIN, "/b/a/../k", "?a=%2e&b=+&&c")).toBe(`${ORIGIN}/b/a%2F..%2Fk?a=%2e&b=+&&c`);
  });

  it("rangeHeader() does write the last byte, not the end", () => {
    expect(rangeHeader({ kind: "whole" })).toEqual([]);
    expect(rangeHeader({ kind: "range", start: 0, end: 1 })).toEqual([["range", "bytes=0-0"]]);
    expect(rangeHeader({ kind: "range", start: 100, end: 300 })).toEqual([["range", "bytes=100-299"]]);
  });
});
