import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dress } from "./s3-answers.ts";
import { encode, objectPath, type Asking } from "./s3-client.ts";
import { KEYS, MODES, PRIVATE, PUBLIC, startS3Scene, type S3Scene } from "./s3-scene.ts";

const { reader, other, writer } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

/** What S3 tells of an object, and all but the first only to who may ask for it apart (S3: GetObject). */
const OF_OWNERS = {
  "x-amz-meta-of": "all",
  "x-amz-tagging-count": "3",
  "x-amz-object-lock-mode": "GOVERNANCE",
  "x-amz-object-lock-legal-hold": "ON",
};

/** What the store was sent, of each request. */
function watch(names: readonly string[]): (Record<string, string> & { url: string; method: string })[] {
  const seen: (Record<string, string> & { url: string; method: string })[] = [];
  scene.store.intercept = ({ url = "", method = "", headers }) => {
    const told = names.map((name) => [name, String(headers[name] ?? "")]);
    seen.push({ ...Object.fromEntries(told), url, method });
    return false;
  };
  return seen;
}

describe.each(MODES)("auth %s", (mode) => {
  it("what the store tells only some of an object is told to nobody else", async () => {
    const { path } = scene.object("of the owner", { bucket: PUBLIC });
    scene.store.intercept = ({ headers, url = "" }, response) => {
      const isOwner = `${headers.authorization ?? ""}${url}`.includes(writer.id);
      if (isOwner) dress(response, (told) => ({ ...told, ...OF_OWNERS }));
      return false;
    };
    expect((await scene.ask(mode, { path })).status).toBe(200);
    await scene.advance(3_000);
    expect((await scene.ask(mode, { path, as: writer })).status).toBe(200);
    const { headers } = await scene.ask(mode, { path }); // let in before, and told what the owner's read has taught
    expect(headers["x-amz-meta-of"]).toBe("all");
    for (const name of Object.keys(OF_OWNERS).slice(1)) expect(headers).not.toHaveProperty(name);
  });

  const get = async (asking: Asking) => await scene.ask(mode, { as: reader, ...asking });

  it("response-* changes header fields for whoever signed it, and for nobody else", async () => {
    const { path, bytes } = scene.object("an object", {
      bucket: PUBLIC,
      headers: { "content-type": "text/plain" },
    });
    const overrides = {
      "response-content-type": "application/x-other; a=b",
      "response-cache-control": "no-cache",
      "response-content-disposition": 'attachment; filename="a b+c.txt"',
      "response-content-encoding": "identity",
      "response-content-language": "fr",
      "response-expires": "Fri, 31 Dec 2027 23:59:59 GMT",
    };
    const query = Object.entries(overrides)
      .map(([name, value]) => `${name}=${encode(value)}`)
      .join("&");
    const said = Object.fromEntries(Object.entries(overrides).map(([name, value]) => [name.slice(9), value]));
    for (let again = 0; again < 2; again++) {
      const plain = await get({ path });
      expect([plain.headers["content-type"], plain.headers["content-disposition"]]).toEqual([
        "text/plain",
        undefined,
      ]);
      for (const by of ["header", "query"] as const) {
        for (const method of ["GET", "HEAD"]) {
          const { status, headers, body } = await get({ path, query, by, method });
          expect([status, method === "HEAD" || body.equals(bytes)]).toEqual([200, true]);
          expect(headers).toMatchObject(said);
        }
      }
      const one = await get({ path, query: "response-content-type=a%2Fb" });
      expect([one.headers["content-type"], one.headers["content-disposition"]]).toEqual(["a/b", undefined]);
      const nobody = await scene.ask(mode, { path, query });
      expect([nobody.status, nobody.body.equals(bytes)]).toEqual([400, false]);
      const forged = await get({ path, query, signed: { query: "" } });
      expect([forged.status, forged.headers["content-language"]]).toEqual([403, undefined]);
      expect((await scene.ask(mode, { path })).headers["content-type"]).toBe("text/plain");
    }
  });

  it("a private object is not readable by an override, either", async () => {
    const { path } = scene.object("private");
    await get({ path, query: "response-content-type=a%2Fb" });
    for (const as of [undefined, other])
      expect([400, 403]).toContain(
        (await scene.ask(mode, { path, query: "response-content-type=a%2Fb", as })).status,
      );
  });

  it("x-id and other silent parameters change nothing", async () => {
    const { path, bytes } = scene.object("an object");
    for (const query of ["x-id=GetObject", "x-id=HeadObject", ""]) {
      for (const by of ["header", "query"] as const)
        expect((await get({ path, query, by })).body.equals(bytes)).toBe(true);
    }
    const { result, counts } = await scene.counted(
      async () => await scene.ask("edge", { path, as: reader, query: "x-id=GetObject" }),
    );
    expect([result.status, mode === "edge" ? counts.total : 0]).toEqual([200, 0]);
  });

  it("partNumber is answered by the store, and a part is not taken for the whole", async () => {
    const key = scene.name("parts");
    const path = objectPath(PRIVATE, key);
    const parts = ["a".repeat(5 * 1024 * 1024), "the last"];
    const begun = await scene.ask(mode, { method: "POST", path, query: "uploads=", as: writer });
    const id = /<UploadId>(\w+)</.exec(begun.body.toString())?.[1] ?? "";
    const listed: string[] = [];
    for (const [index, body] of parts.entries()) {
      const query = `partNumber=${index + 1}&uploadId=${id}`;
      const put = await scene.ask(mode, { method: "PUT", path, query, as: writer, body });
      listed.push(`<Part><PartNumber>${index + 1}</PartNumber><ETag>${put.headers.etag}</ETag></Part>`);
    }
    const body = `<CompleteMultipartUpload>${listed.join("")}</CompleteMultipartUpload>`;
    expect(
      (await scene.ask(mode, { method: "POST", path, query: `uploadId=${id}`, as: writer, body })).status,
    ).toBe(200);
    for (let again = 0; again < 2; again++) {
      const last = await get({ path, query: "partNumber=2" });
      expect([last.status, last.body.toString(), last.headers["x-amz-mp-parts-count"]]).toEqual([
        206,
        "the last",
        "2",
      ]);
      const head = await get({ path, query: "partNumber=1", method: "HEAD" });
      expect([head.status, head.headers["content-length"]]).toEqual([206, String(parts[0]?.length)]);
      expect((await get({ path, query: "partNumber=3" })).status).toBe(416);
      const whole = await get({ path });
      expect([whole.status, whole.body.length]).toEqual([200, parts.join("").length]);
      expect((await scene.ask(mode, { path, query: "partNumber=2", as: other })).status).toBe(403);
      expect((await scene.ask(mode, { path, query: "partNumber=2" })).status).toBe(403);
    }
  });

  it("SSE-C and its like are answered by the store, each time, and never kept", async () => {
    const { path, bytes } = scene.object("an object");
    await get({ path });
    const key = Buffer.alloc(32, 7);
    const rows: Record<string, string>[] = [
      {
        "x-amz-server-side-encryption-customer-algorithm": "AES256",
        "x-amz-server-side-encryption-customer-key": key.toString("base64"),
        "x-amz-server-side-encryption-customer-key-md5": createHash("md5").update(key).digest("base64"),
      },
      { "x-amz-expected-bucket-owner": "111122223333" },
      { "x-amz-request-payer": "requester" },
    ];
    for (const headers of rows) {
      const names = Object.keys(headers);
      const seen = watch(names);
      for (let again = 0; again < 2; again++)
        expect((await get({ path, headers })).body.equals(bytes)).toBe(true);
      expect(seen.map((each) => names.map((name) => each[name]))).toEqual(
        Array(2).fill(Object.values(headers)),
      );
      expect((await scene.ask(mode, { path, headers })).status).toBe(403);
      expect((await scene.ask(mode, { path, headers, as: other })).status).toBe(403);
      scene.store.intercept = (_request, response) => {
        response.writeHead(200, { etag: '"sse"', "content-length": 9 }).end("decrypted");
        return true;
      };
      expect((await get({ path, headers })).body.toString()).toBe("decrypted");
      scene.store.intercept = undefined;
      expect((await get({ path })).body.equals(bytes)).toBe(true);
      await scene.newIsolate();
      expect((await get({ path })).body.equals(bytes)).toBe(true);
    }
  });

  it("checksums of the whole go with the whole, and with no part", async () => {
    const body = Buffer.from("an object with a checksum");
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    const checksum = sum.toString("base64");
    const { path } = scene.object(body, { headers: { "x-amz-checksum-crc32": checksum } });
    const asked = { "x-amz-checksum-mode": "ENABLED" };
    for (let again = 0; again < 2; again++) {
      const whole = await get({ path, headers: asked });
      expect([whole.status, whole.headers["x-amz-checksum-crc32"]]).toEqual([200, checksum]);
      const head = await get({ path, headers: asked, method: "HEAD" });
      expect([head.status, head.headers["x-amz-checksum-crc32"]]).toEqual([200, checksum]);
      for (const headers of [asked, {}]) {
        const part = await get({ path, headers: { ...headers, range: "bytes=0-3" }, unsigned: ["range"] });
        const told = Object.keys(part.headers).filter((name) => /^x-amz-checksum-|md5|digest/.test(name));
        expect([part.status, part.body.toString(), told]).toEqual([206, "an o", []]);
      }
    }
  });

  it("a checksum is the right one or none, where a part was read before the whole", async () => {
    const body = Buffer.from("an object with a checksum");
    const sum = Buffer.alloc(4);
    sum.writeUInt32BE(crc32(body));
    const { path } = scene.object(body, { headers: { "x-amz-checksum-crc32": sum.toString("base64") } });
    await get({ path, headers: { range: "bytes=0-3" }, unsigned: ["range"] });
    await get({ path });
    const { headers } = await get({ path, headers: { "x-amz-checksum-mode": "ENABLED" } });
    expect([sum.toString("base64"), undefined]).toContain(headers["x-amz-checksum-crc32"]);
  });

  it("what a web origin is told is told to no other", async () => {
    const { path, bytes } = scene.object("an object", { bucket: PUBLIC });
    scene.store.intercept = ({ headers: { origin } }, response) => {
      const cors = origin === undefined ? {} : { "access-control-allow-origin": origin, vary: "Origin" };
      dress(response, (given) => ({ ...given, ...cors }));
      return false;
    };
    const origins = ["https://a.test", undefined, "https://b.test", "null"];
    for (const as of [reader, undefined]) {
      for (const origin of [...origins, ...origins]) {
        const headers = origin === undefined ? {} : { origin };
        const answer = await scene.ask(mode, { path, as, headers, unsigned: ["origin"] });
        expect([
          answer.status,
          answer.body.equals(bytes),
          answer.headers["access-control-allow-origin"],
        ]).toEqual([200, true, origin]);
      }
    }
  });

  it("a preflight is the store's", async () => {
    const { path } = scene.object("an object");
    scene.store.intercept = (request, response) => {
      if (request.method !== "OPTIONS") return false;
      response
        .writeHead(200, {
          "access-control-allow-origin": "https://a.test",
          "access-control-allow-methods": "GET",
        })
        .end();
      return true;
    };
    const headers = { origin: "https://a.test", "access-control-request-method": "GET" };
    const answer = await scene.ask(mode, { path, method: "OPTIONS", headers });
    expect([answer.status, answer.headers["access-control-allow-methods"]]).toEqual([200, "GET"]);
  });

  it.each([
    {
      name: "the list of a bucket",
      path: "/demo",
      query: "list-type=2&prefix=a%20b%2B&delimiter=%2F",
      status: 200,
    },
    { name: "the list of a bucket, with a slash", path: "/demo/", query: "list-type=2", status: 200 },
    { name: "the list of buckets", path: "/", query: "", status: 200 },
    { name: "where a bucket is", path: "/demo", query: "location=", status: 200 },
    { name: "where a bucket is, by a bare name", path: "/demo", query: "location", status: 200 },
    { name: "an ACL", path: "/demo/hello", query: "acl=", status: 501 },
    { name: "tags", path: "/demo/hello", query: "tagging", status: 501 },
    { name: "tags of a version", path: "/demo/hello", query: "tagging=&versionId=null", status: 501 },
    { name: "a parameter nobody knows", path: "/demo/hello", query: "unknown=1", status: 200 },
    { name: "a parameter twice", path: "/demo/hello", query: "versionId=null&versionId=null", status: 200 },
    {
      name: "parameters out of order",
      path: "/demo",
      query: "prefix=h&list-type=2&max-keys=5&encoding-type=url",
      status: 200,
    },
  ])("$name is passed through, signed so that the store takes it", async ({ path, query, status }) => {
    scene.object("hello", { key: "hello" });
    for (const by of ["header", "query"] as const) {
      for (let again = 0; again < 2; again++) {
        const { result, counts } = await scene.counted(
          async () => await scene.ask(mode, { path, query, by, as: writer }),
        );
        expect([result.status, result.code, counts.total]).toEqual([
          status,
          status === 501 ? "NotImplemented" : undefined,
          1,
        ]);
        expect(result.headers["cache-status"]).toContain("forgefront; fwd=bypass");
      }
    }
    const { status: refused } = await scene.ask(mode, { path, query });
    expect([403, 501]).toContain(refused);
    expect((await scene.ask(mode, { path, query, as: { ...writer, secret: "no" } })).status).toBe(403);
  });

  it("nothing that names the client's way is sent to the store, and the store is asked by its own name", async () => {
    const { path } = scene.object("an object");
    const seen = watch(["host", "x-forwarded-for", "forwarded", "cookie", "authorization", "x-original-url"]);
    const headers = {
      "x-forwarded-host": "evil.test",
      forwarded: "host=evil.test",
      cookie: "a=b",
      "x-original-url": "/public/hello.txt",
    };
    const answer = await get({ path, headers, unsigned: Object.keys(headers) });
    expect(answer.body.toString()).toBe("an object");
    expect(seen.length).toBe(1);
    const [sent] = seen;
    expect(sent?.["host"]).toBe(mode === "edge" ? "store.test:9000" : scene.hosts[mode]);
    expect([sent?.["forwarded"], sent?.["cookie"], sent?.["x-original-url"]]).toEqual(["", "", ""]);
    if (mode === "edge") expect(sent?.["authorization"]).toContain(`Credential=${reader.id}/`);
  });
});
