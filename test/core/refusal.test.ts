import { describe, expect, it } from "vitest";
import { refusalHeaders, retryAfterSeconds } from "../../src/core/refusal.ts";

const NOW = Date.UTC(2026, 10, 6, 8, 49, 37);

describe("the headers of a refusal", () => {
  it("refusalHeaders() does keep what the asker must see, and no cookie", () => {
    const headers = new Headers({
      "Content-Type": "text/plain",
      "WWW-Authenticate": 'Basic realm="GitLab"',
      Location: "/users/sign_in",
      "Retry-After": "7",
      "Set-Cookie": "_gitlab_session=1",
      "X-Request-Id": "1",
      "RateLimit-Remaining": "0",
    });
    expect(refusalHeaders((name) => headers.get(name))).toEqual([
      ["content-type", "text/plain"],
      ["www-authenticate", 'Basic realm="GitLab"'],
      ["location", "/users/sign_in"],
      ["retry-after", "7"],
    ]);
  });

  it("refusalHeaders() does keep what tells which object was deleted and who may know why, and nothing of the object", () => {
    const headers = new Headers({
      "Content-Type": "application/xml",
      "x-amz-delete-marker": "true",
      "x-amz-version-id": "v1",
      "x-amz-request-id": "1",
      "x-amz-id-2": "2",
      "x-amz-bucket-region": "eu-central-1",
      "x-amz-meta-a": "1",
      ETag: '"e"',
      "Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT",
    });
    expect(refusalHeaders((name) => headers.get(name))).toEqual([
      ["content-type", "application/xml"],
      ["x-amz-delete-marker", "true"],
      ["x-amz-id-2", "2"],
      ["x-amz-request-id", "1"],
      ["x-amz-version-id", "v1"],
    ]);
  });

  it("refusalHeaders() does leave out what is absent", () => {
    expect(refusalHeaders(() => null)).toEqual([]);
  });
});

describe("Retry-After", () => {
  it.each([
    ["7", 7],
    ["0", 1],
    ["300", 300],
    ["301", 300],
    ["99999999999", 300],
    ["9".repeat(30), 300],
    ["Fri, 06 Nov 2026 08:49:57 GMT", 20],
    ["Fri, 06 Nov 2026 08:49:37 GMT", 1],
    ["Fri, 06 Nov 2026 08:00:00 GMT", 1],
    ["Sat, 06 Nov 2027 08:49:37 GMT", 300],
    ["Friday, 06-Nov-26 08:49:57 GMT", 20],
  ])("retryAfterSeconds() does read %j", (value, seconds) => {
    expect(retryAfterSeconds(value, NOW)).toBe(seconds);
  });

  it.each([[null], [""], ["soon"], ["10s"], ["-5"], ["1.5"], ["5, 6"], ["2026-11-06T08:49:57Z"]])(
    "retryAfterSeconds() does fall back to ten seconds for %j, which is neither form",
    (value) => {
      expect(retryAfterSeconds(value, NOW)).toBe(10);
    },
  );
});
