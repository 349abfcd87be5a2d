import { describe, expect, it } from "vitest";
import { isOfTheWhole, objectHeaders } from "../../src/core/object-headers.ts";

describe("the headers of an object", () => {
  it.each([
    ["cache-control", "max-age=60"],
    ["content-type", "text/html"],
    ["content-disposition", "attachment"],
    ["content-encoding", "gzip"],
    ["content-language", "de"],
    ["expires", "0"],
    ["vary", "Origin"],
    ["x-amz-meta-mtime", "1"],
    ["x-amz-version-id", "v"],
    ["x-amz-checksum-crc32", "AAAAAA=="],
    ["x-amz-server-side-encryption", "AES256"],
    ["x-amz-storage-class", "GLACIER"],
    ["x-amz-meta-x-amz-object-lock-mode", "of the uploader"],
    ["access-control-allow-origin", "https://a.example"],
    ["x-rgw-object-type", "Normal"],
  ])("objectHeaders() does keep %s", (name, value) => {
    expect(objectHeaders([[name, value]])).toEqual([[name, value]]);
    expect(objectHeaders([[name.toUpperCase(), value]])).toEqual([[name, value]]);
  });

  it.each([
    ["set-cookie"],
    ["x-amz-request-id"],
    ["x-amz-id-2"],
    ["x-amz-request-charged"],
    ["x-amz-bucket-region"],
    ["x-amz-cf-id"],
    ["x-amz-tagging-count"],
    ["x-amz-object-lock-mode"],
    ["x-amz-object-lock-legal-hold"],
    ["x-amz-object-lock-retain-until-date"],
    ["x-amz-expiration"],
    ["x-amz-replication-status"],
    ["date"],
    ["server"],
    ["connection"],
    ["keep-alive"],
    ["transfer-encoding"],
    ["content-length"],
    ["content-range"],
    ["accept-ranges"],
    ["age"],
    ["etag"],
    ["last-modified"],
    ["www-authenticate"],
    ["location"],
    ["strict-transport-security"],
    ["alt-svc"],
    ["x-request-id"],
    ["amz-meta-a"],
    ["x-trans-id"],
  ])("objectHeaders() does drop %s", (name) => {
    expect(objectHeaders([[name, "1"]])).toEqual([]);
    expect(objectHeaders([[name.toUpperCase(), "1"]])).toEqual([]);
  });

  it.each<[string, string | undefined]>([
    ["gzip", "gzip"],
    ["aws-chunked", undefined],
    ["aws-chunked,gzip", "gzip"],
    ["gzip, aws-chunked", "gzip"],
    ["gzip , aws-chunked , br", "gzip, br"],
    ["aws-chunked, aws-chunked", undefined],
    ["xaws-chunked", "xaws-chunked"],
    ["", undefined],
  ])("objectHeaders() does keep of the coding %j what is the object's own", (value, kept) => {
    expect(objectHeaders([["Content-Encoding", value]])).toEqual(
      kept === undefined ? [] : [["content-encoding", kept]],
    );
  });

  it("objectHeaders() does keep what is there in its order, and nothing empty", () => {
    const headers = new Headers({
      "X-Amz-Meta-B": "2",
      "Content-Type": "a/b",
      "X-Amz-Meta-A": "",
      Server: "x",
    });
    expect(objectHeaders(headers)).toEqual([
      ["content-type", "a/b"],
      ["x-amz-meta-b", "2"],
    ]);
  });
});

describe("digests of the whole", () => {
  it.each<[string, boolean]>([
    ["x-amz-checksum-sha256", true],
    ["x-amz-checksum-type", true],
    ["content-md5", true],
    ["digest", true],
    ["repr-digest", true],
    ["content-digest", false],
    ["x-amz-meta-digest", false],
    ["x-amz-meta-x-amz-checksum-sha256", false],
    ["digest-algorithm", false],
    ["etag", false],
  ])("isOfTheWhole() does call %s one: %j", (name, is) => {
    expect(isOfTheWhole(name)).toBe(is);
  });
});
