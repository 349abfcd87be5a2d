import { describe, expect, it } from "vitest";
import { contentHeaders, strongEtag } from "../../src/core/entry.ts";

describe("the headers of a body", () => {
  it("contentHeaders() does keep how the content is to be treated", () => {
    const headers = new Headers({
      "Content-Type": "text/html",
      "Content-Disposition": "attachment",
      "Content-Security-Policy": "sandbox",
      "X-Content-Type-Options": "nosniff",
      "X-Gitlab-Blob-Id": "1",
    });
    expect(Object.fromEntries(contentHeaders((name) => headers.get(name)))).toEqual(
      Object.fromEntries(headers),
    );
  });

  it.each([
    ["Set-Cookie", "_gitlab_session=1"],
    ["X-Request-Id", "1"],
    ["RateLimit-Remaining", "1"],
    ["X-Gitlab-Meta", '{"correlation_id":"1"}'],
    ["Cache-Control", "private"],
    ["Vary", "*"],
    ["Location", "/"],
    ["WWW-Authenticate", "Basic"],
    ["Content-Encoding", "gzip"],
    ["Content-Length", "1"],
    ["Content-Range", "bytes 0-0/1"],
    ["Transfer-Encoding", "chunked"],
    ["Connection", "content-type"],
    ["Access-Control-Allow-Credentials", "true"],
    ["Access-Control-Allow-Origin", "https://who.asked.example"],
  ])("contentHeaders() does drop %s", (name, value) => {
    const headers = new Headers([[name, value]]);
    expect(contentHeaders((each) => headers.get(each))).toEqual([]);
  });

  it("contentHeaders() does keep a permission that names nobody", () => {
    const headers = new Headers({ "Access-Control-Allow-Origin": "*" });
    expect(contentHeaders((each) => headers.get(each))).toEqual([["access-control-allow-origin", "*"]]);
  });
});

describe("an entity tag", () => {
  it.each([['"a"'], ['""'], ['"W/a"'], ['"!#$~"'], ['"\u00e9"'], ['"a-gzip"']])(
    "strongEtag() does take %j",
    (value) => {
      expect(strongEtag(value)).toBe(value);
    },
  );

  it.each([
    [null],
    [""],
    ['W/"a"'],
    ["a"],
    ['"a'],
    ['a"'],
    ['"'],
    ['"a"b"'],
    ['"a", "b"'],
    ['"a b"'],
    ['"a\n"'],
    ['"a"\n'],
    ['"\u007f"'],
    ['"\u0100"'],
  ])("strongEtag() does refuse %j", (value) => {
    expect(strongEtag(value)).toBeUndefined();
  });
});
