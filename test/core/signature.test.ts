import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_PAYLOAD, readSignedQuery, signableOf, UNSIGNED_PAYLOAD } from "../../src/core/signable.ts";
import {
  formatAmzDate,
  isSigned,
  judgeSignature,
  parseAmzDate,
  readSignature,
  signatureEnd,
  type Signature,
} from "../../src/core/signature.ts";

const HEX = "0123456789abcdef".repeat(4);
const AT = Date.UTC(2013, 4, 24);
const SCOPE = "20130524/us-east-1/s3/aws4_request";
const IN_HEADER: Signature = {
  place: "header",
  accessKey: "AKIA",
  day: "20130524",
  region: "us-east-1",
  service: "s3",
  date: "20130524T000000Z",
  at: AT,
  expiresS: undefined,
  signedHeaders: ["host", "x-amz-date"],
  hex: HEX,
};
const IN_QUERY: Signature = { ...IN_HEADER, place: "query", expiresS: 86_400, signedHeaders: ["host"] };
const MALFORMED = { kind: "problem", problem: "signature_malformed" };
const PRESIGNED_MALFORMED = { kind: "problem", problem: "presigned_malformed" };

type Fields = Readonly<Record<string, string>>;

/** A lookup as `Headers` has it: it fails for what cannot be the name of a header field. */
function lookup(headers: Fields): (name: string) => string | null {
  const all = new Headers(headers);
  return (name) => all.get(name);
}

function authorization(changes: Fields = {}): string {
  const fields = {
    start: "AWS4-HMAC-SHA256 ",
    credential: `AKIA/${SCOPE}`,
    names: "host;x-amz-date",
    hex: HEX,
    comma: ", ",
    end: "",
    ...changes,
  };
  const { start, credential, names, hex, comma, end } = fields;
  return `${start}Credential=${credential}${comma}SignedHeaders=${names}${comma}Signature=${hex}${end}`;
}

function readHeader(value: string, date: Fields = { "x-amz-date": "20130524T000000Z" }) {
  return readSignature(lookup({ authorization: value, ...date }), "");
}

const QUERY: Fields = {
  "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
  "X-Amz-Credential": `AKIA/${SCOPE}`,
  "X-Amz-Date": "20130524T000000Z",
  "X-Amz-Expires": "86400",
  "X-Amz-SignedHeaders": "host",
  "X-Amz-Signature": HEX,
};

function searchOf(query: Fields): string {
  return `?${Object.entries(query)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`;
}

function readQuery(changes: Fields, more = "") {
  return readSignature(() => null, searchOf({ ...QUERY, ...changes }) + more);
}

describe("a signature in the header", () => {
  it.each<[string, Fields]>([
    ["blanks behind the commas", {}],
    ["no blanks", { comma: "," }],
    ["blanks around the commas", { comma: " , " }],
    ["many blanks", { start: "AWS4-HMAC-SHA256 \t ", comma: ",   " }],
  ])("readSignature() does read one with %s", (_case, changes) => {
    expect(readHeader(authorization(changes))).toEqual({ kind: "signature", signature: IN_HEADER });
  });

  it.each<[string, Partial<Signature>]>([
    ["AKIA.-_~@+/=:;x", { accessKey: "AKIA.-_~@+/=:;x" }],
    ["tenant$user", { accessKey: "tenant$user" }],
    ["20130524", { accessKey: "20130524" }],
    ["a/20130524/b/s3/aws4_request", { accessKey: "a/20130524/b/s3/aws4_request" }],
  ])("readSignature() does take the access key %s", (accessKey, wanted) => {
    expect(readHeader(authorization({ credential: `${accessKey}/${SCOPE}` }))).toEqual({
      kind: "signature",
      signature: { ...IN_HEADER, ...wanted },
    });
  });

  it.each<[string, Fields]>([
    ["nothing behind the algorithm", { start: "AWS4-HMAC-SHA256" }],
    ["another algorithm that begins like it", { start: "AWS4-HMAC-SHA256-PAYLOAD " }],
    ["no access key", { credential: `/${SCOPE}` }],
    ["no scope", { credential: "AKIA" }],
    ["a short day", { credential: "AKIA/2013524/us-east-1/s3/aws4_request" }],
    ["an empty region", { credential: "AKIA/20130524//s3/aws4_request" }],
    ["an empty service", { credential: "AKIA/20130524/us-east-1//aws4_request" }],
    ["another end of the scope", { credential: "AKIA/20130524/us-east-1/s3/aws5_request" }],
    ["an encoded credential", { credential: encodeURIComponent(`AKIA/${SCOPE}`) }],
    ["no signed header fields", { names: "" }],
    ["a host that is not signed", { names: "x-amz-date" }],
    ["upper-case names", { names: "Host;x-amz-date" }],
    ["an empty name at the end", { names: "host;" }],
    ["an empty name at the beginning", { names: ";host" }],
    ["a name that cannot be one", { names: "host;a/b" }],
    ["a name with a colon", { names: "host;a:b" }],
    ["63 digits", { hex: HEX.slice(1) }],
    ["65 digits", { hex: `${HEX}0` }],
    ["upper-case digits", { hex: HEX.toUpperCase() }],
    ["no digits", { hex: "g".repeat(64) }],
    ["text behind it", { end: ", a=b" }],
    ["a comma behind it", { end: "," }],
    ["semicolons for commas", { comma: ";" }],
    ["no commas", { comma: " " }],
  ])("readSignature() does refuse one with %s", (_case, changes) => {
    expect(readHeader(authorization(changes))).toEqual(MALFORMED);
  });

  it("readSignature() does refuse one that is cut off, wherever that is", () => {
    const whole = authorization();
    for (let length = "AWS4-HMAC-SHA256".length; length < whole.length; length += 1)
      expect(readHeader(whole.slice(0, length))).toEqual(MALFORMED);
  });

  it.each<[string, Fields]>([
    ["no date", {}],
    ["only Date", { date: "Fri, 24 May 2013 00:00:00 GMT" }],
    ["only a Date in the form of x-amz-date", { date: "20130524T000000Z" }],
    ["an HTTP-date", { "x-amz-date": "Fri, 24 May 2013 00:00:00 GMT" }],
    ["two dates", { "x-amz-date": "20130524T000000Z, 20130524T000000Z" }],
    ["an empty date", { "x-amz-date": "" }],
  ])("readSignature() does refuse one with %s", (_case, date) => {
    expect(readHeader(authorization(), date)).toEqual(MALFORMED);
  });

  it.each([
    ["Basic YTpi"],
    ["Bearer x"],
    ["AWS AKIA:c2ln"],
    ["aws4-hmac-sha256 x"],
    ["AWS4-ECDSA-P256-SHA256 x"],
  ])("readSignature() does leave %j to the origin", (value) => {
    expect(readHeader(value)).toEqual({ kind: "foreign" });
  });
});

describe("a signature in the query", () => {
  it("readSignature() does read one", () => {
    expect(readQuery({})).toEqual({ kind: "signature", signature: IN_QUERY });
  });

  it("readSignature() does read one wherever its parameters stand", () => {
    const parameters = Object.entries({ ...QUERY, versionId: "1", "": "", a: "" });
    fc.assert(
      fc.property(fc.shuffledSubarray(parameters, { minLength: parameters.length }), (shuffled) => {
        const search = searchOf(Object.fromEntries(shuffled));
        expect(readSignature(() => null, search)).toEqual({ kind: "signature", signature: IN_QUERY });
      }),
    );
  });

  it.each(Object.keys(QUERY))("readSignature() does refuse one with two %s", (name) => {
    expect(readQuery({}, `&${name}=${encodeURIComponent(QUERY[name] ?? "")}`)).toEqual(PRESIGNED_MALFORMED);
  });

  it.each(Object.keys(QUERY).filter((name) => name !== "X-Amz-Signature"))(
    "readSignature() does refuse one without %s",
    (left) => {
      const query = Object.fromEntries(Object.entries(QUERY).filter(([name]) => name !== left));
      expect(readSignature(() => null, searchOf(query))).toEqual(PRESIGNED_MALFORMED);
    },
  );

  it("readSignature() does refuse one without its digits", () => {
    const { "X-Amz-Signature": _hex, ...query } = QUERY;
    expect(readSignature(() => null, searchOf(query))).toEqual(PRESIGNED_MALFORMED);
  });

  it.each<[string, Fields]>([
    ["another algorithm", { "X-Amz-Algorithm": "AWS4-HMAC-SHA512" }],
    ["a lifetime that is no number", { "X-Amz-Expires": "soon" }],
    ["a negative lifetime", { "X-Amz-Expires": "-1" }],
    ["part of a second", { "X-Amz-Expires": "1.5" }],
    ["an empty lifetime", { "X-Amz-Expires": "" }],
    ["a lifetime of eight digits", { "X-Amz-Expires": "00000060" }],
    ["a name that cannot be one", { "X-Amz-SignedHeaders": "host;a b" }],
    ["an empty name", { "X-Amz-SignedHeaders": "host;" }],
    ["a line break in a name", { "X-Amz-SignedHeaders": "host\r\n" }],
    ["upper-case names", { "X-Amz-SignedHeaders": "Host" }],
    ["a host that is not signed", { "X-Amz-SignedHeaders": "x-amz-date" }],
    ["upper-case digits", { "X-Amz-Signature": HEX.toUpperCase() }],
    ["a line break behind its digits", { "X-Amz-Signature": `${HEX}\n` }],
    ["an ISO date", { "X-Amz-Date": "2013-05-24T00:00:00Z" }],
  ])("readSignature() does refuse one with %s", (_case, changes) => {
    expect(readQuery(changes)).toEqual(PRESIGNED_MALFORMED);
  });

  it("readSignature() does refuse two signatures, as S3 does", () => {
    const header = lookup({ authorization: authorization(), "x-amz-date": "20130524T000000Z" });
    expect(readSignature(header, searchOf(QUERY))).toEqual(MALFORMED);
    expect(readSignature(lookup({ authorization: "Bearer x" }), searchOf(QUERY))).toEqual(MALFORMED);
  });
});

describe("no signature of this kind", () => {
  it.each([[""], ["?"], ["?versionId=1"], ["?X-Amz-Date=1"], ["?a=Signature"], ["?MySignature=1"]])(
    "readSignature() does find nobody in %j",
    (search) => {
      expect(readSignature(() => null, search)).toEqual({ kind: "none" });
      expect(readSignature(lookup({ authorization: "" }), search)).toEqual({ kind: "none" });
    },
  );

  it.each([["?AWSAccessKeyId=A&Signature=b&Expires=1"], ["?Signature=b"], ["?a=1&AWSAccessKeyId=A"]])(
    "readSignature() does leave %j to the origin",
    (search) => {
      expect(readSignature(() => null, search)).toEqual({ kind: "foreign" });
    },
  );
});

describe("dates", () => {
  it.each<[string, number | undefined]>([
    ["20130524T000000Z", AT],
    ["20130524T000001Z", AT + 1000],
    ["20160229T235959Z", Date.UTC(2016, 1, 29, 23, 59, 59)],
    ["20130524T000000", undefined],
    ["20130524T000000z", undefined],
    ["20130524 000000Z", undefined],
    ["20130524T000060Z", undefined],
    ["20130524T006000Z", undefined],
    ["20131324T000000Z", undefined],
    ["20130532T000000Z", undefined],
    ["20130524T000000Z ", undefined],
    ["20130524T000000Z\n", undefined],
    ["٢٠١٣0524T000000Z", undefined],
    ["", undefined],
  ])("parseAmzDate() does read %j", (text, at) => {
    expect(parseAmzDate(text)).toBe(at);
  });

  it("formatAmzDate() does write what parseAmzDate() reads, to the second", () => {
    const times = fc.integer({ min: 0, max: Date.UTC(9999, 11, 31, 23, 59, 59) });
    fc.assert(
      fc.property(times, (at) => {
        expect(parseAmzDate(formatAmzDate(at))).toBe(Math.floor(at / 1000) * 1000);
      }),
    );
    expect(formatAmzDate(AT + 999)).toBe("20130524T000000Z");
  });
});

describe("whether a signature counts", () => {
  const SKEW = 15 * 60_000;
  const DAY = 86_400_000;

  it.each<[string, Signature, number, string | undefined]>([
    ["now", IN_HEADER, AT, undefined],
    ["15 minutes later", IN_HEADER, AT + SKEW, undefined],
    ["a millisecond after that", IN_HEADER, AT + SKEW + 1, "signature_skewed"],
    ["15 minutes before", IN_HEADER, AT - SKEW, undefined],
    ["a millisecond before that", IN_HEADER, AT - SKEW - 1, "signature_skewed"],
    ["presigned, now", IN_QUERY, AT, undefined],
    ["presigned, a millisecond before its end", IN_QUERY, AT + DAY - 1, undefined],
    ["presigned, at its end", IN_QUERY, AT + DAY, "signature_expired"],
    ["presigned, long after", IN_QUERY, AT + 100 * DAY, "signature_expired"],
    ["presigned, 15 minutes before", IN_QUERY, AT - SKEW, undefined],
    ["presigned, a millisecond before that", IN_QUERY, AT - SKEW - 1, "signature_early"],
    ["for a second", { ...IN_QUERY, expiresS: 1 }, AT + 999, undefined],
    ["for no time", { ...IN_QUERY, expiresS: 0 }, AT, "presigned_malformed"],
    ["for a week", { ...IN_QUERY, expiresS: 604_800 }, AT, undefined],
    ["for a second more", { ...IN_QUERY, expiresS: 604_801 }, AT, "presigned_malformed"],
    ["another service", { ...IN_HEADER, service: "sts" }, AT, "signature_scope"],
    ["another region", { ...IN_HEADER, region: "us-east-2" }, AT, "signature_scope"],
    ["a region in other case", { ...IN_HEADER, region: "US-EAST-1" }, AT, "signature_scope"],
    ["another day", { ...IN_HEADER, day: "20130523" }, AT, "signature_scope"],
    ["another day, presigned", { ...IN_QUERY, day: "20130525" }, AT, "presigned_malformed"],
    ["another region, presigned", { ...IN_QUERY, region: "us-east-2" }, AT, "presigned_malformed"],
    ["another service, presigned", { ...IN_QUERY, service: "sts" }, AT, "presigned_malformed"],
  ])("judgeSignature() does judge one %s", (_case, signature, now, problem) => {
    expect(judgeSignature(signature, now, "us-east-1")).toBe(problem);
  });

  it("signatureEnd() does tell the last moment that judgeSignature() lets through", () => {
    const expires = fc.option(fc.integer({ min: 1, max: 604_800 }), { nil: undefined });
    fc.assert(
      fc.property(expires, fc.integer({ min: -DAY, max: 8 * DAY }), (expiresS, later) => {
        const signature: Signature = { ...IN_HEADER, expiresS };
        const now = AT + later;
        if (judgeSignature(signature, now, "us-east-1") === undefined)
          expect(now).toBeLessThanOrEqual(signatureEnd(signature));
        expect(judgeSignature(signature, signatureEnd(signature) - 1, "us-east-1")).toBeUndefined();
        expect(judgeSignature(signature, signatureEnd(signature) + 1, "us-east-1")).toBeDefined();
      }),
    );
  });
});

describe("the query that is signed", () => {
  it.each<[string, Record<string, string | string[]>]>([
    ["", {}],
    ["?", {}],
    ["?&&", {}],
    ["?acl", { acl: "" }],
    ["?acl=", { acl: "" }],
    ["?a=1&b=2", { a: "1", b: "2" }],
    ["?a=1&a=2", { a: ["1", "2"] }],
    ["?a=2&b=&a=1&a", { a: ["2", "1", ""], b: "" }],
    ["?%61=1&a=2", { a: ["1", "2"] }],
    ["?a=b=c", { a: "b=c" }],
    ["?a=b+c%2Bd%20e", { a: "b c+d e" }],
    ["?a+b=1", { "a b": "1" }],
    ["?prefix=a%2Fb", { prefix: "a/b" }],
    ["?a=%2541", { a: "%41" }],
    ["?a=%zz+b", { a: "%zz b" }],
    ["?=1", { "": "1" }],
    ["?A=1&a=2", { A: "1", a: "2" }],
    ["?constructor=1&toString=2&toString=3", { constructor: "1", toString: ["2", "3"] }],
  ])("readSignedQuery() does read %j", (search, query) => {
    expect({ ...readSignedQuery(search) }).toEqual(query);
  });

  it("readSignedQuery() does keep a name that is none of its own", () => {
    const query = readSignedQuery("?__proto__=1&a=2&__proto__=3");
    expect(Object.entries(query)).toEqual([
      ["__proto__", ["1", "3"]],
      ["a", "2"],
    ]);
  });
});

describe("what was signed", () => {
  const REQUEST = { method: "GET", host: "h.example", path: "/b/a b%2f", search: "?a=1" };
  const of = (headers: Fields, signature: Signature, method = "GET", search = "?a=1") =>
    signableOf({ ...REQUEST, method, search, header: lookup(headers) }, signature);

  it("signableOf() does take what was signed, in its one spelling, and nothing else", () => {
    const headers = { "x-amz-date": "d", "x-amz-content-sha256": "p", range: "bytes=0-1", other: "o" };
    const signedHeaders = ["host", "range", "x-absent", "x-amz-date"];
    expect(of(headers, { ...IN_HEADER, signedHeaders })).toEqual({
      method: "GET",
      path: "/b/a%20b/",
      query: { a: "1" },
      headers: { host: "h.example", range: "bytes=0-1", "x-absent": "", "x-amz-date": "d" },
      payload: "p",
    });
  });

  it("signableOf() does take the host that was asked, not a header field of that name", () => {
    expect(of({ host: "other.example" }, IN_HEADER)?.headers).toMatchObject({ host: "h.example" });
  });

  it.each<[string, string, string | undefined]>([
    ["GET", "", NO_PAYLOAD],
    ["HEAD", "", NO_PAYLOAD],
    ["DELETE", "", NO_PAYLOAD],
    ["OPTIONS", "", NO_PAYLOAD],
    ["PUT", "", undefined],
    ["POST", "", undefined],
    ["PUT", "?X-Amz-Content-Sha256=q", undefined],
  ])(
    "signableOf() does know the payload of a %s %s that does not say it, if anybody can",
    (method, search, payload) => {
      expect(of({}, IN_HEADER, method, search)?.payload).toBe(payload);
    },
  );

  it.each<[string, Fields, string, readonly string[], string]>([
    ["any at all", {}, "", ["host"], UNSIGNED_PAYLOAD],
    [
      "any, whatever an unsigned header says",
      { "x-amz-content-sha256": "p" },
      "",
      ["host"],
      UNSIGNED_PAYLOAD,
    ],
    ["what the query says", { "x-amz-content-sha256": "p" }, "?X-Amz-Content-Sha256=q", ["host"], "q"],
    ["what a signed header says", { "x-amz-content-sha256": "p" }, "", ["host", "x-amz-content-sha256"], "p"],
    ["any, if told twice", {}, "?X-Amz-Content-Sha256=q&X-Amz-Content-Sha256=q", ["host"], UNSIGNED_PAYLOAD],
  ])(
    "signableOf() does take for the payload of a presigned URL %s",
    (_case, headers, search, signedHeaders, payload) => {
      expect(of(headers, { ...IN_QUERY, signedHeaders }, "PUT", search)?.payload).toBe(payload);
    },
  );

  it("NO_PAYLOAD does hash nothing", async () => {
    const hash = await crypto.subtle.digest("SHA-256", new Uint8Array());
    expect(Buffer.from(hash).toString("hex")).toBe(NO_PAYLOAD);
  });
});

describe("all of a signature", () => {
  it.each<[string, boolean]>([
    ["AWS id:signature", true],
    ["AWS id:", false],
    ["AWS :signature", false],
    ["AWS id", false],
    ["AWSid:signature", false],
    ["aws id:signature", false],
    ["AWS4-HMAC-SHA256 Credential=a, SignedHeaders=host, Signature=b", true],
    ["AWS4-HMAC-SHA256 Signature=b,Credential=a", true],
    ["AWS4-HMAC-SHA256 Credential=, Signature=b", false],
    ["AWS4-HMAC-SHA256 Credential=a, Signature=", false],
    ["AWS4-HMAC-SHA256 Credential=a", false],
    ["AWS4-HMAC-SHA256Credential=a, Signature=b", false],
    ["AWS4-HMAC-SHA512 Credential=a, Signature=b", false],
    ["Bearer AWS id:signature", false],
  ])("isSigned() does find in the header %j: %j", (value, is) => {
    expect(isSigned(lookup({ authorization: value }), "")).toBe(is);
    const alone = isSigned(lookup({ authorization: value }), "?AWSAccessKeyId=a&Signature=b&Expires=1");
    expect(alone).toBe(is); // a store that finds the header looks no further
  });

  it.each<[string, boolean]>([
    ["", false],
    ["?AWSAccessKeyId=a&Signature=b&Expires=1", true],
    ["?AWSAccessKeyId=&Signature=b&Expires=1", false],
    ["?AWSAccessKeyId=a&Signature=&Expires=1", false],
    ["?AWSAccessKeyId=a&Signature=b&Expires", false],
    ["?AWSAccessKeyId=a&Signature=b", false],
    ["?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Signature=b", true],
    ["?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=&X-Amz-Signature=b", false],
    ["?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Signature=", false],
    ["?X-Amz-Algorithm=foo&X-Amz-Credential=a&X-Amz-Signature=b", false],
    ["?X-Amz-Credential=a&X-Amz-Signature=b", false],
    ["?X-Amz-Algorithm=foo&AWSAccessKeyId=a&Signature=b&Expires=1", false],
    ["?X-Amz-Algorithm=foo&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Signature=b", false],
    ["?AWSAccessKeyId=a&AWSAccessKeyId=b&Signature=b&Expires=1", false],
    ["?__proto__=a&constructor=b", false],
  ])("isSigned() does find in the query %j: %j", (search, is) => {
    expect(isSigned(lookup({}), search)).toBe(is);
    expect(isSigned(lookup({ authorization: "" }), search)).toBe(is);
  });
});
