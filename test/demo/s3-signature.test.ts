import { describe, expect, it, test } from "vitest";
import { call, presign, signHeaders, useStore } from "./s3-client.ts";
import type { Call } from "./s3-client.ts";

// The key, the bucket and the requests of AWS's documentation of Signature Version 4 for S3.
const EXAMPLE_KEY = {
  id: "AKIAIOSFODNN7EXAMPLE",
  secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  read: ["*"],
  write: ["*"],
};
const EXAMPLE_TIME = Date.UTC(2013, 4, 24);
const SCOPE = "20130524/us-east-1/s3/aws4_request";
const EMPTY_HASH = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

const running = useStore({
  keys: [EXAMPLE_KEY],
  buckets: { examplebucket: {} },
  hosts: ["s3.amazonaws.com"],
  now: () => EXAMPLE_TIME,
});

function authorization(signedHeaders: string, signature: string): string {
  return `AWS4-HMAC-SHA256 Credential=${EXAMPLE_KEY.id}/${SCOPE},SignedHeaders=${signedHeaders},Signature=${signature}`;
}

const EXAMPLE_HEADERS = {
  host: "examplebucket.s3.amazonaws.com",
  "x-amz-date": "20130524T000000Z",
  "x-amz-content-sha256": EMPTY_HASH,
};

describe("the examples of AWS's documentation", () => {
  it("GET Object", async () => {
    running.store.put("examplebucket", "test.txt", "Welcome to Amazon S3.");
    const answer = await call(running.store, {
      path: "/test.txt",
      headers: {
        ...EXAMPLE_HEADERS,
        range: "bytes=0-9",
        authorization: authorization(
          "host;range;x-amz-content-sha256;x-amz-date",
          "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
        ),
      },
    });
    expect([answer.status, answer.text]).toEqual([206, "Welcome to"]);
  });

  it("PUT Object", async () => {
    const body = "Welcome to Amazon S3.";
    const answer = await call(running.store, {
      method: "PUT",
      path: "/test$file.text",
      body,
      headers: {
        ...EXAMPLE_HEADERS,
        date: "Fri, 24 May 2013 00:00:00 GMT",
        "x-amz-storage-class": "REDUCED_REDUNDANCY",
        "x-amz-content-sha256": "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
        "content-length": String(body.length),
        authorization: authorization(
          "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
          "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
        ),
      },
    });
    expect(answer.status).toBe(200);
    expect(running.store.get("examplebucket", "test$file.text")?.bytes().toString()).toBe(body);
  });

  it.each([
    ["?lifecycle", "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543", 501],
    ["?max-keys=2&prefix=J", "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7", 200],
  ])("GET Bucket %s", async (query, signature, status) => {
    const answer = await call(running.store, {
      path: `/${query}`,
      headers: {
        ...EXAMPLE_HEADERS,
        authorization: authorization("host;x-amz-content-sha256;x-amz-date", signature),
      },
    });
    expect(answer.status).toBe(status);
  });

  it("GET Object by a presigned URL, for a day", async () => {
    running.store.put("examplebucket", "test.txt", "Welcome to Amazon S3.");
    const path =
      "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
    const get = () => call(running.store, { path, headers: { host: EXAMPLE_HEADERS.host } });
    expect((await get()).text).toBe("Welcome to Amazon S3.");
    running.store.clockSkewMs = 86_400_000 + 1;
    expect((await get()).text).toMatch("<Message>Request has expired</Message>");
    running.store.clockSkewMs = 0;
  });
});

describe("uploads in signed chunks", () => {
  const CHUNKED_HEADERS = {
    host: "s3.amazonaws.com",
    "x-amz-date": "20130524T000000Z",
    "x-amz-storage-class": "REDUCED_REDUNDANCY",
    "content-encoding": "aws-chunked",
    "x-amz-decoded-content-length": "66560",
  };
  const chunk = (size: number, signature: string) =>
    `${size.toString(16)};chunk-signature=${signature}\r\n${"a".repeat(size)}\r\n`;
  const CHUNKS = [
    chunk(65_536, "ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648"),
    chunk(1024, "0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497"),
    chunk(0, "b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9"),
  ];
  const upload = (body: string, headers: Record<string, string> = {}) =>
    call(running.store, {
      method: "PUT",
      path: "/examplebucket/chunkObject.txt",
      body,
      headers: {
        ...CHUNKED_HEADERS,
        "content-length": "66824",
        "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
        authorization: authorization(
          "content-encoding;content-length;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class",
          "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
        ),
        ...headers,
      },
    });

  it("reads AWS's example", async () => {
    expect((await upload(CHUNKS.join(""))).status).toBe(200);
    const kept = running.store.get("examplebucket", "chunkObject.txt");
    expect(kept?.bytes().toString()).toBe("a".repeat(66_560));
    expect(kept?.headers).not.toHaveProperty("content-encoding");
  });

  it.each([
    ["another byte", (body: string) => body.replace("aaa", "aab"), "SignatureDoesNotMatch"],
    [
      "another signature",
      (body: string) => body.replace("signature=0055", "signature=0056"),
      "SignatureDoesNotMatch",
    ],
    ["no end", (body: string) => body.slice(0, -90).padEnd(66_824, "a"), "IncompleteBody"],
    ["no framing", (body: string) => "b".repeat(body.length), "IncompleteBody"],
  ])("refuses %s", async (_title, change, code) => {
    expect((await upload(change(CHUNKS.join("")))).code).toBe(code);
  });

  it("reads AWS's example with a signed trailer", async () => {
    const body = [
      chunk(65_536, "b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2"),
      chunk(1024, "1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7"),
      "0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n",
      "x-amz-checksum-crc32c:sOO8/Q==\r\n",
      "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n",
    ].join("");
    const headers = {
      "content-length": String(body.length),
      "x-amz-content-sha256": "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
      "x-amz-trailer": "x-amz-checksum-crc32c",
      authorization: authorization(
        "content-encoding;host;x-amz-content-sha256;x-amz-date;x-amz-decoded-content-length;x-amz-storage-class;x-amz-trailer",
        "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
      ),
    };
    const answer = await upload(body, headers);
    expect([answer.status, answer.headers["x-amz-checksum-crc32c"]]).toEqual([200, "sOO8/Q=="]);
    const changed = body.replace("sOO8", "sOO9");
    expect((await upload(changed, headers)).code).toBe("SignatureDoesNotMatch");
  });

  it("reads an unsigned trailer, and checks what it says", async () => {
    const put = (checksum: string) => {
      const body = `5\r\nhello\r\n0\r\nx-amz-checksum-crc32:${checksum}\r\n\r\n`;
      return call(running.store, {
        method: "PUT",
        path: "/examplebucket/trailer",
        body,
        as: EXAMPLE_KEY,
        at: EXAMPLE_TIME,
        payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER",
        headers: { "x-amz-decoded-content-length": "5", "x-amz-trailer": "x-amz-checksum-crc32" },
      });
    };
    expect((await put("NhCmhg==")).status).toBe(200);
    expect((await put("NhCmhw==")).code).toBe("BadDigest");
  });
});

describe("signatures that are refused", () => {
  const path = "/examplebucket/test.txt";
  const at = EXAMPLE_TIME;
  const MINUTE_MS = 60_000;

  async function send(change: (headers: Record<string, string>) => object, given: Partial<Call> = {}) {
    running.store.put("examplebucket", "test.txt", "text");
    const headers = signHeaders(running.store, { path, at, ...given }, { ...EXAMPLE_KEY, ...given.as });
    return await call(running.store, {
      path,
      ...(given.method && { method: given.method }),
      headers: change(headers) as Record<string, string>,
    });
  }

  test.for<[string, number, string | undefined, (headers: Record<string, string>) => object, Partial<Call>?]>(
    [
      ["none of them when nothing is wrong", 200, undefined, (headers) => headers],
      ["a header that was added", 403, "AccessDenied", (headers) => ({ ...headers, "x-amz-meta-a": "1" })],
      [
        "a signed header that was changed",
        403,
        "SignatureDoesNotMatch",
        (headers) => ({ ...headers, range: "bytes=0-2" }),
        { headers: { range: "bytes=0-1" } },
      ],
      [
        "a signed header that was dropped",
        403,
        "SignatureDoesNotMatch",
        ({ range: _range, ...headers }) => headers,
        { headers: { range: "bytes=0-1" } },
      ],
      ["another Host", 403, "SignatureDoesNotMatch", (headers) => ({ ...headers, host: "other" })],
      [
        "a Host that is not signed",
        403,
        "AccessDenied",
        (headers) => ({ ...headers, authorization: headers["authorization"]?.replace("=host;", "=") }),
      ],
      [
        "another secret",
        403,
        "SignatureDoesNotMatch",
        (headers) => headers,
        { as: { ...EXAMPLE_KEY, secret: "x" } },
      ],
      [
        "another key",
        403,
        "InvalidAccessKeyId",
        (headers) => headers,
        { as: { ...EXAMPLE_KEY, id: "NOBODY" } },
      ],
      [
        "a token",
        400,
        "InvalidToken",
        (headers) => headers,
        { as: { ...EXAMPLE_KEY, sessionToken: "token" } },
      ],
      ["16 minutes ago", 403, "RequestTimeTooSkewed", (headers) => headers, { at: at - 16 * MINUTE_MS }],
      ["in 16 minutes", 403, "RequestTimeTooSkewed", (headers) => headers, { at: at + 16 * MINUTE_MS }],
      ["another region", 400, "AuthorizationHeaderMalformed", (headers) => headers, { region: "eu-west-1" }],
      [
        "another day in its scope",
        400,
        "AuthorizationHeaderMalformed",
        (headers) => ({
          ...headers,
          authorization: headers["authorization"]?.replace("/20130524/", "/20130523/"),
        }),
      ],
      [
        "no hash of the payload",
        400,
        "InvalidRequest",
        ({ "x-amz-content-sha256": _hash, ...headers }) => headers,
      ],
      [
        "Signature Version 2",
        400,
        "InvalidRequest",
        (headers) => ({ ...headers, authorization: "AWS AKID:sig=" }),
      ],
      ["no date", 403, "AccessDenied", ({ "x-amz-date": _date, ...headers }) => headers],
    ],
  )("%s", async ([_title, status, code, change, given]) => {
    const answer = await send(change, given);
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  it("a body that is not the signed one", async () => {
    const { as, ...unsigned } = { as: EXAMPLE_KEY, method: "PUT", path, at, body: "signed" };
    const headers = signHeaders(running.store, unsigned, as);
    const answer = await call(running.store, { method: "PUT", path, headers, body: "forged" });
    expect(answer.code).toBe("XAmzContentSHA256Mismatch");
  });
});

describe("presigned URLs", () => {
  const path = "/examplebucket/test.txt";
  const at = EXAMPLE_TIME;

  test.for<[string, number, string | undefined, Record<string, string>?, number?, Record<string, string>?]>([
    ["as it was signed", 200, undefined],
    ["with a header that nobody signed", 403, "AccessDenied", {}, 0, { "x-amz-meta-a": "1" }],
    ["with another Host", 403, "SignatureDoesNotMatch", {}, 0, { host: "other" }],
    ["too late", 403, "AccessDenied", { "X-Amz-Expires": "10" }, -11_000],
    ["long before its time", 403, "AccessDenied", {}, 16 * 60_000],
    ["good for longer than a week", 400, "AuthorizationQueryParametersError", { "X-Amz-Expires": "604801" }],
    ["good for a week", 200, undefined, { "X-Amz-Expires": "604800" }],
    ["good for no time", 400, "AuthorizationQueryParametersError", { "X-Amz-Expires": "0" }],
    ["with other words for a time", 400, "AuthorizationQueryParametersError", { "X-Amz-Expires": "1m" }],
    ["of another algorithm", 400, "AuthorizationQueryParametersError", { "X-Amz-Algorithm": "AWS4" }],
    ["without its headers", 400, "AuthorizationQueryParametersError", { "X-Amz-SignedHeaders": "" }],
    ["with an override that is signed", 200, undefined, { "response-content-type": "text/x" }],
    [
      "and signed by header too",
      400,
      "InvalidArgument",
      {},
      0,
      { authorization: "AWS4-HMAC-SHA256 Credential=" },
    ],
  ])("%s", async ([_title, status, code, extra, shiftMs = 0, headers = {}]) => {
    running.store.put("examplebucket", "test.txt", "text");
    const url = presign(running.store, EXAMPLE_KEY, { path, at: at + shiftMs }, extra);
    const answer = await call(running.store, { path: url, headers });
    expect([answer.status, answer.code]).toEqual([status, code]);
  });

  it("are good for one method and one set of parameters", async () => {
    const url = presign(running.store, EXAMPLE_KEY, { path, at });
    expect((await call(running.store, { method: "HEAD", path: url })).status).toBe(403);
    const changed = await call(running.store, { path: `${url}&versionId=null` });
    expect(changed.code).toBe("SignatureDoesNotMatch");
  });
});
