import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Outgoing } from "../../src/core/outgoing.ts";
import { signableOf } from "../../src/core/signable.ts";
import { readSignature } from "../../src/core/signature.ts";
import { sigv4 } from "../../src/origin/sigv4.ts";
import { storeOutgoing, type StorePassing } from "../../src/origin/store-outgoing.ts";
import { anyKey } from "./hostile-keys.ts";
import {
  claimOf,
  isSignedRight,
  percent,
  presignedWire,
  sha256,
  signedWire,
  type Signing,
  type Wire,
  wireOf,
} from "./independent-signer.ts";
import { ACCESS_KEY, addressOf, ORIGIN, SECRET } from "./store-scene.ts";

const SIGNING: Signing = {
  accessKey: ACCESS_KEY,
  secret: SECRET,
  date: "20130523T235959Z",
  region: "eu-central-1",
};
const PLAIN: Wire = { method: "GET", host: "s3.example", path: "/bucket/key", search: "", headers: {} };
const signer = sigv4();

/** A request whose signature, if it has one, the edge has found right. */
function passingOf(wire: Wire, changes: Partial<StorePassing> = {}): StorePassing {
  const { method, host, path, search } = wire;
  const headers = new Headers(wire.headers);
  const header = (name: string) => headers.get(name);
  const plain = { method, host, path, search, headers, bucket: undefined, body: null };
  const answer = readSignature(header, search);
  if (answer.kind !== "signature") return { ...plain, signedBy: undefined, ...changes };
  const { signature } = answer;
  const signable = signableOf({ method, host, path, search, header }, signature);
  if (signable === undefined || !signer.verify(signable, signature, SECRET))
    throw new Error("Not signed right");
  return { ...plain, signedBy: { signature, payload: signable.payload }, ...changes };
}

function outgoing(wire: Wire, changes: Partial<StorePassing> = {}, site = {}): Outgoing & { wire: Wire } {
  const sent = storeOutgoing(addressOf(site), passingOf(wire, changes));
  return { ...sent, wire: wireOf(wire.method, sent.url, sent.headers) };
}

describe("a signed request", () => {
  it("storeOutgoing() does sign it anew, for the origin's host and now", () => {
    const headers = {
      "content-type": "text/plain",
      "content-md5": "a",
      range: "bytes=0-1",
      "x-amz-meta-a": "1  2",
      "x-amz-acl": "private",
    };
    const { url, wire } = outgoing(signedWire({ ...PLAIN, method: "PUT", headers }, SIGNING, sha256("a")));
    expect(url).toBe(`${ORIGIN}/bucket/key`);
    expect(wire.headers).toEqual({
      ...headers,
      "x-amz-content-sha256": sha256("a"),
      "x-amz-date": "20130524T000000Z",
      authorization: expect.any(String),
    });
    expect(claimOf(wire)).toMatchObject({ accessKey: ACCESS_KEY, day: "20130524", region: "eu-central-1" });
    expect(claimOf(wire).names).toEqual([
      "host",
      "x-amz-acl",
      "x-amz-content-sha256",
      "x-amz-date",
      "x-amz-meta-a",
    ]);
    expect(isSignedRight(wire, SECRET)).toBe(true);
    expect(isSignedRight({ ...wire, host: "s3.example" }, SECRET)).toBe(false);
  });

  it.each(["UNSIGNED-PAYLOAD", "STREAMING-UNSIGNED-PAYLOAD-TRAILER", sha256("a")])(
    "storeOutgoing() does sign it for the same payload: %s",
    (payload) => {
      const { wire } = outgoing(signedWire({ ...PLAIN, method: "PUT" }, SIGNING, payload));
      expect(wire.headers["x-amz-content-sha256"]).toBe(payload);
      expect(isSignedRight(wire, SECRET)).toBe(true);
    },
  );

  it("storeOutgoing() does say the payload of a read that was signed without saying it, as curl before 8 does", () => {
    const passing = passingOf(signedWire({ ...PLAIN, search: "?list-type=2" }, SIGNING));
    passing.headers.delete("x-amz-content-sha256");
    const { url, headers } = storeOutgoing(addressOf(), passing);
    expect(headers.get("x-amz-content-sha256")).toBe(sha256(""));
    expect(isSignedRight(wireOf("GET", url, headers), SECRET)).toBe(true);
  });

  it("storeOutgoing() does drop a token, which is none of the key that signs now", () => {
    const { wire } = outgoing(signedWire({ ...PLAIN, headers: { "x-amz-security-token": "t" } }, SIGNING));
    expect(wire.headers).not.toHaveProperty("x-amz-security-token");
    expect(isSignedRight(wire, SECRET)).toBe(true);
  });

  it.each<[string, string, string, string, string]>([
    ["bucket.s3.example", "bucket", "/key", "?acl", "/bucket/key?acl"],
    ["bucket.s3.example", "bucket", "/", "?list-type=2&prefix=a%2Fb", "/bucket/?list-type=2&prefix=a%2Fb"],
    ["my.bucket.s3.example", "my.bucket", "/bucket/../key", "", "/my.bucket/bucket%2F..%2Fkey"],
    ["bucket.s3.example", "bucket", "/..", "", "/bucket%2F.."],
  ])(
    "storeOutgoing() does move a bucket from the host %s into the path",
    (host, bucket, path, search, wanted) => {
      const { url, wire } = outgoing(signedWire({ ...PLAIN, host, path, search }, SIGNING), { bucket });
      expect(url).toBe(`${ORIGIN}${wanted}`);
      expect(isSignedRight(wire, SECRET)).toBe(true);
    },
  );

  it("storeOutgoing() does sign any so that an independent verifier finds it right", () => {
    const text = fc.oneof(
      fc.string({ unit: "binary", maxLength: 5 }),
      fc.constantFrom("", "+", "a b", "%2F", "/", "'", "constructor", "acl", "prefix"),
    );
    const pairs = fc.array(
      fc.tuple(text, text).filter((pair) => pair.join("") !== ""),
      { maxLength: 4 },
    );
    const headers = fc.dictionary(
      fc.stringMatching(/^x-amz-meta-[a-z0-9]{1,5}$/),
      fc.stringMatching(/^[!-~]( ?[!-~]){0,5}$/),
      {
        maxKeys: 3,
        noNullPrototype: true,
      },
    );
    fc.assert(
      fc.property(
        anyKey,
        pairs,
        headers,
        fc.boolean(),
        fc.boolean(),
        (key, given, amz, isPresigned, isHosted) => {
          const search =
            given.length === 0 ? "" : `?${given.map((pair) => pair.map(percent).join("=")).join("&")}`;
          const path = `${isHosted ? "" : "/bucket"}/${percent(key)}`;
          const plain = { ...PLAIN, method: "DELETE", path, search, headers: amz };
          const signed = isPresigned ? presignedWire(plain, SIGNING, 60) : signedWire(plain, SIGNING);
          const { url, wire } = outgoing(signed, { bucket: isHosted ? "bucket" : undefined });
          expect(isSignedRight(wire, SECRET)).toBe(true);
          expect(decodeURIComponent(wire.path)).toBe(`/bucket/${key}`);
          expect(url.slice(ORIGIN.length + wire.path.length)).toBe(search);
          for (const [name, value] of Object.entries(amz)) expect(wire.headers[name]).toBe(value);
        },
      ),
      { numRuns: 500 },
    );
  });
});

describe("a presigned request", () => {
  it("storeOutgoing() does take its signature out of the query, and sign for any payload", () => {
    const search = "?uploadId=a%2Bb&partNumber=1&flag&x-amz-acl=private";
    const { url, wire } = outgoing(presignedWire({ ...PLAIN, method: "PUT", search }, SIGNING, 60));
    expect(url).toBe(`${ORIGIN}/bucket/key${search}`);
    expect(wire.headers["x-amz-content-sha256"]).toBe("UNSIGNED-PAYLOAD");
    expect(isSignedRight(wire, SECRET)).toBe(true);
  });

  it("storeOutgoing() does leave no query where nothing else stood in it", () => {
    const { url } = outgoing(presignedWire(PLAIN, SIGNING, 60));
    expect(url).toBe(`${ORIGIN}/bucket/key`);
  });

  it("storeOutgoing() does take every parameter away that belongs to a signature", () => {
    const search = "?X-Amz-Security-Token=t&X-Amz-Content-Sha256=UNSIGNED-PAYLOAD&X-Amz-Meta-A=1";
    const { url, wire } = outgoing(presignedWire({ ...PLAIN, search }, SIGNING, 60));
    expect(url).toBe(`${ORIGIN}/bucket/key?X-Amz-Meta-A=1`);
    expect(isSignedRight(wire, SECRET)).toBe(true);
  });
});

describe("a request that nobody signed", () => {
  it.each<[string, Wire, string | undefined, string]>([
    ["by its path", { ...PLAIN, search: "?acl" }, undefined, "/bucket/key?acl"],
    ["by its host", { ...PLAIN, host: "bucket.s3.example", path: "/key" }, "bucket", "/bucket/key"],
    [
      "with another kind of signature",
      { ...PLAIN, search: "?AWSAccessKeyId=A&Signature=b" },
      undefined,
      "/bucket/key?AWSAccessKeyId=A&Signature=b",
    ],
  ])("storeOutgoing() does send it unsigned, addressed %s", (_case, wire, bucket, wanted) => {
    const headers = { "x-amz-meta-a": "1", authorization: "Bearer a" };
    const { url, wire: sent } = outgoing({ ...wire, headers }, { bucket });
    expect(url).toBe(`${ORIGIN}${wanted}`);
    expect(sent.headers).toEqual(headers);
  });
});

describe("a request to an origin that verifies signatures itself", () => {
  it.each(["rgw", "probe"])(
    "storeOutgoing() does leave it as it is with %s, but for the spelling of its path",
    (auth) => {
      const site = { auth, origin: "https://s3.example" };
      const wire = { ...PLAIN, host: "bucket.s3.example", path: "/a/%2e%2e/b%2b+c", search: "?a=%2e&&b=+" };
      for (const signed of [signedWire(wire, SIGNING), presignedWire(wire, SIGNING, 60), wire]) {
        const passing = passingOf(signed, { bucket: "bucket" });
        const { url, headers, body, sent } = storeOutgoing(addressOf(site as object), passing);
        expect(url).toBe(`https://bucket.s3.example/a%2F..%2Fb%2B%2Bc${signed.search}`);
        expect(Object.fromEntries(headers)).toEqual(signed.headers);
        expect([body, sent]).toEqual([undefined, undefined]);
      }
    },
  );

  it("storeOutgoing() does spell a path so that its signature is still right", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        const signed = signedWire({ ...PLAIN, path: `/bucket/${percent(key)}` }, SIGNING);
        const { wire } = outgoing(signed, {}, { auth: "probe", origin: "http://s3.example" });
        expect(isSignedRight({ ...wire, host: "s3.example" }, SECRET)).toBe(true);
      }),
    );
  });

  it("storeOutgoing() does refuse a path that cannot be sent", () => {
    expect(() => outgoing({ ...PLAIN, path: "/.." }, {}, { auth: "probe" })).toThrow(
      expect.objectContaining({ problem: "bad_path" }),
    );
  });
});

/** What workerd has and Node has not: a stream that checks its length. */
class FixedLengthStreamOfTests extends TransformStream<Uint8Array, Uint8Array> {
  constructor(expected: number) {
    let length = 0;
    super({
      transform(chunk, controller) {
        length += chunk.length;
        controller.enqueue(chunk);
      },
      flush() {
        if (length !== expected) throw new TypeError(`${length} bytes, not ${expected}`);
      },
    });
  }
}

describe("an upload whose chunks are signed", () => {
  beforeEach(() => void vi.stubGlobal("FixedLengthStream", FixedLengthStreamOfTests));
  afterEach(() => void vi.unstubAllGlobals());

  const KIND = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
  const CHUNKS = ["a".repeat(100), "b".repeat(10), ""];

  /** The body that belongs to a signed request (SigV4: "Signature Calculations: Transferring Payload in Multiple Chunks"). */
  async function chunked(wire: Wire): Promise<string> {
    const { createHmac } = await import("node:crypto");
    const { hex, day, region, date } = claimOf(wire);
    const scope = [day, region, "s3", "aws4_request"];
    const key = scope.reduce<Buffer>(
      (each, text) => createHmac("sha256", each).update(text).digest(),
      Buffer.from(`AWS4${SECRET}`),
    );
    let before = hex;
    const framed = CHUNKS.map((chunk) => {
      const text = [
        "AWS4-HMAC-SHA256-PAYLOAD",
        date,
        scope.join("/"),
        before,
        sha256(""),
        sha256(chunk),
      ].join("\n");
      before = createHmac("sha256", key).update(text).digest("hex");
      return `${chunk.length.toString(16)};chunk-signature=${before}\r\n${chunk}\r\n`;
    });
    return framed.join("");
  }

  function upload(length: string | undefined): Wire {
    const headers = length === undefined ? {} : { "content-length": length };
    return signedWire({ ...PLAIN, method: "PUT", headers }, SIGNING, KIND);
  }

  async function lengthOfBody(): Promise<string> {
    return String((await chunked(upload("0"))).length);
  }

  it("storeOutgoing() does sign every chunk anew", async () => {
    const signed = upload(await lengthOfBody());
    const body = new Blob([await chunked(signed)]).stream();
    const sent = outgoing(signed, { body });
    expect(isSignedRight(sent.wire, SECRET)).toBe(true);
    expect(await new Response(sent.body ?? null).text()).toBe(await chunked(sent.wire));
    await expect(sent.sent).resolves.toBeUndefined();
  });

  it("storeOutgoing() does tell of a chunk that is not signed right", async () => {
    const signed = upload(await lengthOfBody());
    const body = new Blob([(await chunked(signed)).replace("a".repeat(100), `${"a".repeat(99)}b`)]).stream();
    const sent = outgoing(signed, { body });
    const drained = new Response(sent.body ?? null).text();
    const outcomes = await Promise.allSettled([sent.sent, drained]);
    expect(outcomes).toEqual([
      expect.objectContaining({
        reason: expect.objectContaining({ problem: expect.stringMatching(/^chunk_/) }),
      }),
      expect.objectContaining({ status: "rejected" }),
    ]);
  });

  it("storeOutgoing() does refuse a body of unknown length", () => {
    const body = new Blob(["a"]).stream();
    expect(() => outgoing(upload(undefined), { body })).toThrow(
      expect.objectContaining({ problem: "chunk_malformed" }),
    );
  });

  it("storeOutgoing() does leave a body alone whose chunks are not signed", () => {
    const body = new Blob(["a"]).stream();
    for (const payload of ["STREAMING-UNSIGNED-PAYLOAD-TRAILER", "UNSIGNED-PAYLOAD", sha256("a")]) {
      const sent = outgoing(signedWire({ ...PLAIN, method: "PUT" }, SIGNING, payload), { body });
      expect([sent.body, sent.sent]).toEqual([undefined, undefined]);
    }
  });
});
