import { expect, test } from "vitest";
import { signableOf } from "../../src/core/signable.ts";
import { readSignature } from "../../src/core/signature.ts";
import { sigv4 } from "../../src/origin/sigv4.ts";
import { signedRequests } from "../../scripts/bench/objects-requests.ts";
import { requestSigner } from "../../scripts/bench/objects-signing.ts";

const USER = { name: "reader", accessKey: "READER", secretKey: "reader-secret" };
const HOST = "127.0.0.1:9000";
const sign = requestSigner(USER, Date.UTC(2026, 10, 21, 12, 30, 5));

/** Whether the edge would take a request for one of the user's. */
function isRight(method: string, path: string, headers: Readonly<Record<string, string>>): boolean {
  const header = (name: string) => headers[name] ?? null;
  const answer = readSignature(header, "");
  if (answer.kind !== "signature") return false;
  const signable = signableOf({ method, host: HOST, path, search: "", header }, answer.signature);
  return signable !== undefined && sigv4().verify(signable, answer.signature, USER.secretKey);
}

test.each([
  ["GET", "/bench/16384/0", {}],
  ["PUT", "/bench/open", { headers: { "x-amz-acl": "public-read" }, body: new Uint8Array([1, 2, 3]) }],
])("requestSigner() signs a %s as the edge verifies it", (method, path, more) => {
  const headers = sign({ method, host: HOST, path, ...more });
  expect(isRight(method, path, headers)).toBe(true);
  expect(isRight(method, `${path}0`, headers)).toBe(false);
});

test("signedRequests() asks for the paths in turn, each time with another signature", () => {
  const requests = [...signedRequests({ sign, host: HOST, paths: ["/b/one", "/b/two"], count: 3 })];
  expect(requests.map((text) => text.split(" ", 2).join(" "))).toEqual([
    "GET /b/one",
    "GET /b/two",
    "GET /b/one",
  ]);
  for (const text of requests)
    expect(text).toMatch(/^GET \/b\/\w+ HTTP\/1\.1\r\nhost: 127\.0\.0\.1:9000\r\n(?:[\w-]+: .+\r\n)+\r\n$/);
  const signatures = requests.map((text) => /Signature=(\w{64})/.exec(text)?.[1]);
  expect(new Set(signatures).size).toBe(3);
});

test("signedRequests() needs something to ask for", () => {
  expect(() => [...signedRequests({ sign, host: HOST, paths: [], count: 1 })]).toThrow(RangeError);
});
