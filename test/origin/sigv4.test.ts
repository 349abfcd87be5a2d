import { createHash, createHmac } from "node:crypto";
import { SignatureV4 } from "@smithy/signature-v4";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { signableOf } from "../../src/core/signable.ts";
import { judgeSignature, readSignature } from "../../src/core/signature.ts";
import { sigv4 } from "../../src/origin/sigv4.ts";
import { anyKey } from "./hostile-keys.ts";
import {
  percent,
  presignedWire,
  sha256,
  signatureOf,
  signedWire,
  type Signing,
  type Wire,
} from "./independent-signer.ts";

// The key, the bucket and the requests of AWS's documentation of Signature Version 4 for S3.
const EXAMPLE: Signing = {
  accessKey: "AKIAIOSFODNN7EXAMPLE",
  secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
  date: "20130524T000000Z",
  region: "us-east-1",
};
const AT = Date.UTC(2013, 4, 24);
const HOST = "examplebucket.s3.amazonaws.com";
const EMPTY = sha256("");
const GET: Wire = { method: "GET", host: HOST, path: "/test.txt", search: "", headers: {} };

const signer = sigv4();

/** What the edge makes of a request. */
function judge(wire: Wire, now = AT, secret = EXAMPLE.secret, region = "us-east-1"): string {
  const { method, host, path, search } = wire;
  const headers = new Headers(wire.headers);
  const header = (name: string) => headers.get(name);
  const answer = readSignature(header, search);
  if (answer.kind !== "signature") return answer.kind === "problem" ? answer.problem : answer.kind;
  const problem = judgeSignature(answer.signature, now, region);
  if (problem !== undefined) return problem;
  const signable = signableOf({ method, host, path, search, header }, answer.signature);
  if (signable === undefined) return "payload_hash_missing";
  return signer.verify(signable, answer.signature, secret) ? "right" : "signature_mismatch";
}

function example(wire: Partial<Wire>, names: string, hex: string): Wire {
  const authorization = `AWS4-HMAC-SHA256 Credential=${EXAMPLE.accessKey}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${names},Signature=${hex}`;
  const headers = {
    "x-amz-date": EXAMPLE.date,
    "x-amz-content-sha256": EMPTY,
    ...wire.headers,
    authorization,
  };
  return { ...GET, ...wire, headers };
}

const PLAIN = "host;x-amz-content-sha256;x-amz-date";
const PRESIGNED =
  "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";

const EXAMPLES: readonly (readonly [name: string, wire: Wire])[] = [
  [
    "GET Object",
    example(
      { headers: { range: "bytes=0-9" } },
      "host;range;x-amz-content-sha256;x-amz-date",
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    ),
  ],
  [
    "PUT Object",
    example(
      {
        method: "PUT",
        path: "/test$file.text",
        headers: {
          date: "Fri, 24 May 2013 00:00:00 GMT",
          "x-amz-storage-class": "REDUCED_REDUNDANCY",
          "x-amz-content-sha256": sha256("Welcome to Amazon S3."),
        },
      },
      "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class",
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    ),
  ],
  [
    "GET Bucket lifecycle",
    example(
      { path: "/", search: "?lifecycle" },
      PLAIN,
      "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
    ),
  ],
  [
    "GET Bucket",
    example(
      { path: "/", search: "?max-keys=2&prefix=J" },
      PLAIN,
      "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
    ),
  ],
  ["presigned GET Object", { ...GET, search: PRESIGNED }],
];

describe("the examples of AWS's documentation", () => {
  it.each(EXAMPLES)("sigv4() does find %s right", (_name, wire) => {
    expect(judge(wire)).toBe("right");
  });

  it.each(EXAMPLES)("sigv4() does find %s wrong with any one digit changed", (_name, wire) => {
    const written = JSON.stringify(wire);
    const place = /Signature=([0-9a-f]{64})/.exec(written);
    const start = (place?.index ?? 0) + "Signature=".length;
    for (let index = start; index < start + 64; index += 1) {
      const digit = written[index] === "0" ? "1" : "0";
      const changed = written.slice(0, index) + digit + written.slice(index + 1);
      expect(judge(JSON.parse(changed) as Wire)).toBe("signature_mismatch");
    }
  });

  it("sigv4() does find the presigned one right until a day later", () => {
    const wire = { ...GET, search: PRESIGNED };
    expect(judge(wire, AT + 86_399_999)).toBe("right");
    expect(judge(wire, AT + 86_400_000)).toBe("signature_expired");
  });

  it("sigv4() does make the documented signature itself", () => {
    const headers = {
      host: HOST,
      range: "bytes=0-9",
      "x-amz-content-sha256": EMPTY,
      "x-amz-date": EXAMPLE.date,
    };
    const signable = { method: "GET", path: "/test.txt", query: {}, headers, payload: EMPTY };
    const scope = { day: "20130524", region: "us-east-1", service: "s3" };
    expect(signer.sign(signable, { secret: EXAMPLE.secret, date: EXAMPLE.date, scope })).toBe(
      "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
    );
  });

  it("signatureOf() of these tests does make them as well", () => {
    const [, put] = EXAMPLES[1] ?? ["", GET];
    const names = "date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class".split(";");
    expect(signatureOf(put, EXAMPLE, names, sha256("Welcome to Amazon S3."))).toBe(
      "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
    );
  });
});

/** A request with something of everything that is signed. */
const FULL: Wire = {
  method: "PUT",
  host: "h.example:8080",
  path: "/bucket/a%20b/%C3%A9+(1).txt",
  search: "?b=%2F+x&a=2&a=1&empty=&flag&%C3%A9=%2B",
  headers: {
    "content-type": "text/plain",
    "x-amz-meta-a": "1  2 3",
    range: "bytes=0-1",
    "user-agent": "a/1",
    "cache-control": "no-cache",
    "sec-a": "b",
  },
};
const SIGNERS: readonly (readonly [name: string, wire: Wire])[] = [
  ["in its header", signedWire(FULL, EXAMPLE, "UNSIGNED-PAYLOAD")],
  ["in its query", presignedWire(FULL, EXAMPLE, 60)],
];

type Change = readonly [what: string, change: (wire: Wire) => Wire];

function searchChange(from: string | RegExp, to: string): Change[1] {
  return (wire) => ({ ...wire, search: wire.search.replace(from, to) });
}

function headerChange(name: string, change: (value: string) => string): Change[1] {
  return (wire) => ({ ...wire, headers: { ...wire.headers, [name]: change(wire.headers[name] ?? "") } });
}

const CHANGES: readonly Change[] = [
  ["the method", (wire) => ({ ...wire, method: "GET" })],
  ["the host", (wire) => ({ ...wire, host: "i.example:8080" })],
  ["the port", (wire) => ({ ...wire, host: "h.example:8081" })],
  ["a letter of the path", (wire) => ({ ...wire, path: wire.path.replace("bucket", "bucker") })],
  ["the case of the path", (wire) => ({ ...wire, path: wire.path.replace("bucket", "Bucket") })],
  ["a plus of the path to a blank", (wire) => ({ ...wire, path: wire.path.replace("+", "%20") })],
  ["a slash of the path", (wire) => ({ ...wire, path: wire.path.replace("bucket/", "bucket//") })],
  ["the end of the path", (wire) => ({ ...wire, path: `${wire.path}/` })],
  ["the escape of an escape", (wire) => ({ ...wire, path: wire.path.replace("%C3", "%25C3") })],
  ["a value", searchChange("a=2", "a=3")],
  ["a name", searchChange("a=2", "A=2")],
  ["one value of two", searchChange("&a=1", "")],
  ["a value that is there already", searchChange("a=2", "a=1")],
  ["an empty value", searchChange("empty=", "empty=1")],
  ["a value where there was none", searchChange("flag", "flag=1")],
  ["a parameter more", (wire) => ({ ...wire, search: `${wire.search}&c=` })],
  ["a parameter less", searchChange("&flag", "")],
  ["a plus for a blank", searchChange("%2F+x", "%2F%2Bx")],
  ["a blank for a plus", searchChange("=%2B", "=+")],
  ["a parameter named like an object's own", (wire) => ({ ...wire, search: `${wire.search}&__proto__=1` })],
  ["a parameter named like a method", (wire) => ({ ...wire, search: `${wire.search}&constructor=1` })],
  [
    "a parameter named almost like the signature",
    (wire) => ({ ...wire, search: `${wire.search}&x-amz-signature=1` }),
  ],
  ["a signed header", headerChange("x-amz-meta-a", () => "1 2 4")],
  ["a signed header taken away", headerChange("content-type", () => "")],
  ["a signed user agent", headerChange("user-agent", () => "b/1")],
  ["a signed cache-control", headerChange("cache-control", () => "no-store")],
  ["a signed range", headerChange("range", () => "bytes=0-2")],
];

const IN_HEADER: readonly Change[] = [
  ["the payload's hash", headerChange("x-amz-content-sha256", () => EMPTY)],
  ["the date", headerChange("x-amz-date", () => "20130524T000001Z")],
  ["the key's name", headerChange("authorization", (value) => value.replace("us-east-1", "us-east-2"))],
  ["what is said to be signed", headerChange("authorization", (value) => value.replace(";range", ""))],
  [
    "what is said to be signed as well",
    headerChange("authorization", (value) => value.replace(";range", ";other;range")),
  ],
];

const IN_QUERY: readonly Change[] = [
  ["the date", searchChange("T000000Z", "T000001Z")],
  ["the lifetime", searchChange("Expires=60", "Expires=61")],
  ["what is said to be signed", searchChange("%3Brange", "")],
  ["the access key", searchChange("AKIAIOSFODNN7EXAMPLE", "AKIAIOSFODNN8EXAMPLE")],
];

describe("a request by an independent signer", () => {
  it.each(SIGNERS)("sigv4() does find it right, signed %s", (_place, wire) => {
    expect(judge(wire)).toBe("right");
  });

  it.each(SIGNERS)("sigv4() does find it wrong by another secret, signed %s", (_place, wire) => {
    expect(judge(wire, AT, `${EXAMPLE.secret}x`)).toBe("signature_mismatch");
    expect(judge(wire, AT, "")).toBe("signature_mismatch");
  });

  it.each(
    SIGNERS.flatMap(([place, wire]) => CHANGES.map(([what, change]) => [place, what, wire, change] as const)),
  )("sigv4() does find it wrong, signed %s, after a change of %s", (_place, _what, wire, change) => {
    expect(change(wire)).not.toEqual(wire);
    expect(judge(change(wire))).toBe("signature_mismatch");
  });

  const [, inHeader = FULL] = SIGNERS[0] ?? [];
  const [, inQuery = FULL] = SIGNERS[1] ?? [];

  it.each([
    ...IN_HEADER.map(([what, change]) => [what, change, inHeader] as const),
    ...IN_QUERY.map(([what, change]) => [what, change, inQuery] as const),
  ])("sigv4() does find it wrong after a change of %s", (_what, change, wire) => {
    expect(change(wire)).not.toEqual(wire);
    expect(judge(change(wire))).toMatch(/^(?:signature_mismatch|signature_scope)$/);
  });

  it.each<Change>([
    ["the order of parameters", searchChange("?b=%2F+x&a=2", "?a=2&b=%2F+x")],
    ["the order of equal names", searchChange("a=2&a=1", "a=1&a=2")],
    ["the spelling of a blank", searchChange("%2F+x", "%2f%20x")],
    ["the equals sign of nothing", searchChange("flag", "flag=")],
    ["parameters of no name", searchChange("?", "?&&")],
    ["the spelling of the path", (wire) => ({ ...wire, path: "/%62ucket/a b/%c3%a9%2B%281%29.txt" })],
    ["blanks in a header field", headerChange("x-amz-meta-a", () => "1   2  3 ")],
    ["a header field that was not signed", headerChange("accept", () => "*/*")],
  ])("sigv4() does pay no heed to %s", (_what, change) => {
    for (const [, wire] of SIGNERS) {
      expect(change(wire)).not.toEqual(wire);
      expect(judge(change(wire))).toBe("right");
    }
  });
});

const text = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.constantFrom(
    "",
    "+",
    " ",
    "%",
    "%2F",
    "/",
    "=",
    "&",
    "a=b",
    "é",
    "😀",
    "constructor",
    "toString",
    "X-Amz-Signatur",
    "0",
    "a",
    "B",
    "A",
  ),
);
const parameters = fc.array(
  fc.tuple(text, text).filter((pair) => pair.join("") !== ""),
  { maxLength: 6 },
);

describe("any request", () => {
  it.each([["__proto__"], ["x-amz-signature"], ["X-AMZ-SIGNATURE"], ["x-Amz-Signature"]])(
    "sigv4() does find it wrong with the parameter %s, which no canonical form covers",
    (name) => {
      for (const value of ["", "1"]) {
        const wire = { ...GET, search: `?a=1&${name}=${value}` };
        expect(judge(signedWire(wire, EXAMPLE))).toBe("signature_mismatch");
        expect(judge(presignedWire(wire, EXAMPLE, 60))).toBe("signature_mismatch");
      }
    },
  );

  it("sigv4() does find it right as it was signed, and wrong with a parameter more or less", () => {
    const toSearch = (pairs: readonly (readonly [string, string])[]) =>
      pairs.length === 0 ? "" : `?${pairs.map((pair) => pair.map(percent).join("=")).join("&")}`;
    fc.assert(
      fc.property(anyKey, parameters, fc.boolean(), (key, pairs, isPresigned) => {
        const path = `/bucket/${percent(key)}`;
        const wire = { ...GET, path, search: toSearch(pairs) };
        const sign = (each: Wire) =>
          isPresigned ? presignedWire(each, EXAMPLE, 60) : signedWire(each, EXAMPLE);
        const signed = sign(wire);
        expect(judge(signed)).toBe("right");
        const more = { ...signed, search: `${signed.search}${signed.search === "" ? "?" : "&"}more` };
        expect(judge(more)).toBe("signature_mismatch");
        const [first] = pairs;
        if (first === undefined) return;
        const less = `?${signed.search.slice(2 + first.map(percent).join("=").length)}`;
        expect(judge({ ...signed, search: less })).toBe("signature_mismatch");
      }),
      { numRuns: 500 },
    );
  });

  it("sigv4() does never find right for one key what was signed for another", () => {
    fc.assert(
      fc.property(anyKey, anyKey, (key, other) => {
        fc.pre(key !== other);
        const signed = signedWire({ ...GET, path: `/b/${percent(key)}` }, EXAMPLE);
        expect(judge({ ...signed, path: `/b/${percent(other)}` })).toBe("signature_mismatch");
      }),
    );
  });
});

/** A hash as the SDK wants it. */
class Sha256 {
  readonly #hash;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash("sha256") : createHmac("sha256", secret as Uint8Array);
  }
  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(typeof data === "string" ? data : Buffer.from(data as Uint8Array));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(this.#hash.digest()));
  }
  reset(): void {}
}

describe("a request by AWS's own SDK", () => {
  const sdk = new SignatureV4({
    service: "s3",
    region: "eu-central-1",
    credentials: { accessKeyId: EXAMPLE.accessKey, secretAccessKey: EXAMPLE.secret },
    sha256: Sha256,
    uriEscapePath: false,
  });
  const signingDate = new Date(AT + 999);
  const request = (key: string) => ({
    method: "GET",
    protocol: "https:",
    hostname: HOST,
    path: `/${percent(key).replaceAll("%2F", "/")}`,
    query: { versionId: "a+b/c=", list: ["2", "1", ""], flag: "" },
    headers: { host: HOST, "x-amz-meta-b": " a  b ", "Content-Type": "text/plain" },
  });

  const toWire = (signed: {
    readonly path: string;
    query?: unknown;
    headers: Record<string, string>;
  }): Wire => {
    const pairs = Object.entries(signed.query as Record<string, string | string[]>).flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((each) => `${percent(name)}=${percent(each)}`),
    );
    return {
      method: "GET",
      host: HOST,
      path: signed.path,
      search: `?${pairs.join("&")}`,
      headers: signed.headers,
    };
  };

  it("sigv4() does find it right, and not in another region", async () => {
    await fc.assert(
      fc.asyncProperty(anyKey, async (key) => {
        const wire = toWire(await sdk.sign(request(key), { signingDate }));
        expect(judge(wire, AT, EXAMPLE.secret, "eu-central-1")).toBe("right");
        expect(judge(wire)).toBe("signature_scope");
        expect(judge({ ...wire, host: "other.example" }, AT, EXAMPLE.secret, "eu-central-1")).toBe(
          "signature_mismatch",
        );
      }),
    );
  });

  it("sigv4() does find it right, presigned", async () => {
    await fc.assert(
      fc.asyncProperty(anyKey, async (key) => {
        const { headers, ...rest } = request(key);
        const unsigned = { ...rest, headers: { ...headers, "X-Amz-Content-Sha256": "UNSIGNED-PAYLOAD" } };
        const wire = toWire(await sdk.presign(unsigned, { signingDate, expiresIn: 60 }));
        expect(
          judge({ ...wire, headers: { "content-type": "text/plain" } }, AT, EXAMPLE.secret, "eu-central-1"),
        ).toBe("right");
        expect(judge({ ...wire, method: "PUT" }, AT, EXAMPLE.secret, "eu-central-1")).toBe(
          "signature_mismatch",
        );
      }),
    );
  });
});

describe("signing keys", () => {
  const scope = { day: "20130524", region: "us-east-1", service: "s3" };
  const signable = { method: "GET", path: "/", query: {}, headers: { host: HOST }, payload: EMPTY };
  const sign = (secret: string, changes = {}, by = signer) =>
    by.sign(signable, { secret, date: EXAMPLE.date, scope: { ...scope, ...changes } });

  it("sigv4() does keep apart what differs in secret, day, region or service", () => {
    const scopes = [
      ["a", {}],
      ["b", {}],
      ["a", { day: "20130525" }],
      ["a", { region: "us-east-2" }],
      ["a", { service: "s4" }],
      ["3/a", { service: "s" }],
    ] as const;
    const made = scopes.map(([secret, changes]) => sign(secret, changes));
    expect(new Set(made).size).toBe(made.length);
    const alone = scopes.map(([secret, changes]) => sign(secret, changes, sigv4()));
    expect(made).toEqual(alone);
  });

  it("sigv4() does go on after thousands of them", () => {
    const first = sign("secret 0");
    for (let count = 0; count < 5000; count += 1) sign(`secret ${count}`);
    expect(sign("secret 0")).toBe(first);
  });
});
