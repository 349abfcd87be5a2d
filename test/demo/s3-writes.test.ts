import { createHash } from "node:crypto";
import { describe, expect, it, test } from "vitest";
import { openArtifact } from "../../scripts/demo/artifact-bytes.ts";
import { readZipDirectory } from "../../scripts/demo/zip-reader.ts";
import { addSamples, DEMO_KEYS } from "../../scripts/demo/s3-samples.ts";
import { xmlElements, xmlText } from "../../scripts/demo/s3-xml.ts";
import { call, useStore } from "./s3-client.ts";
import type { Call } from "./s3-client.ts";

const KEY = { id: "WRITER", secret: "writer", read: ["*"], write: ["files", "versioned", "new"] };
const running = useStore({
  keys: [KEY],
  buckets: { files: {}, versioned: { versioning: "enabled" }, other: {} },
  minPartBytes: 5,
});
const ask = (given: Call) => call(running.store, { as: KEY, ...given });
const md5 = (bytes: string | Buffer) => createHash("md5").update(bytes).digest();

describe("PUT", () => {
  test.for<[string, Partial<Call>, string | undefined]>([
    ["plain", {}, undefined],
    ["with the MD5 of its body", { headers: { "content-md5": md5("body").toString("base64") } }, undefined],
    ["with another MD5", { headers: { "content-md5": md5("other").toString("base64") } }, "BadDigest"],
    ["with no MD5", { headers: { "content-md5": "nonsense" } }, "InvalidDigest"],
    ["with another checksum", { headers: { "x-amz-checksum-crc32": "AAAAAA==" } }, "BadDigest"],
    ["where it may not", { path: "/other/a" }, "AccessDenied"],
    ["in no bucket", { path: "/nowhere/a" }, "NoSuchBucket"],
    ["over what is there", { headers: { "if-none-match": "*" } }, "PreconditionFailed"],
    ["where nothing is", { path: "/files/none", headers: { "if-none-match": "*" } }, undefined],
    ["over something else", { headers: { "if-match": '"other"' } }, "PreconditionFailed"],
    ["without its length", { headers: { "transfer-encoding": "chunked" } }, "MissingContentLength"],
    [
      "with a key of its own",
      { headers: { "x-amz-server-side-encryption-customer-key": "k" } },
      "NotImplemented",
    ],
    ["by form", { method: "POST", path: "/files" }, "NotImplemented"],
    ["of what this store has not", { path: "/files/a?tagging" }, "NotImplemented"],
  ])("%s", async ([_title, given, code]) => {
    running.store.put("files", "a", "old");
    running.store.remove("files", "none");
    const answer = await ask({ method: "PUT", path: "/files/a", body: "body", ...given });
    expect(answer.code).toBe(code);
  });

  it("copies, with the headers or with others", async () => {
    running.store.put("other", "from ü", "bytes", { "x-amz-meta-a": "1" });
    const source = { "x-amz-copy-source": "/other/from%20%C3%BC" };
    const answer = await ask({ method: "PUT", path: "/files/to", headers: source });
    expect([answer.status, xmlText(answer.text, "ETag")]).toEqual([200, `"${md5("bytes").toString("hex")}"`]);
    expect(running.store.get("files", "to")?.headers).toMatchObject({ "x-amz-meta-a": "1" });
    const replaced = { ...source, "x-amz-metadata-directive": "REPLACE", "x-amz-meta-b": "2" };
    await ask({ method: "PUT", path: "/files/to", headers: replaced });
    expect(running.store.get("files", "to")?.headers).toEqual({
      "content-type": "binary/octet-stream",
      "x-amz-meta-b": "2",
    });
    const condition = { ...source, "x-amz-copy-source-if-match": '"other"' };
    expect((await ask({ method: "PUT", path: "/files/to", headers: condition })).code).toBe(
      "PreconditionFailed",
    );
    const stranger = { id: "S", secret: "s", write: ["files"] };
    running.store.addKey(stranger);
    expect((await ask({ method: "PUT", path: "/files/to", headers: source, as: stranger })).code).toBe(
      "AccessDenied",
    );
    expect(running.store.counts()).toMatchObject({ copy: 4, put: 0 });
  });
});

describe("a bucket with versions", () => {
  it("keeps each, and hides them behind a delete marker", async () => {
    const { store } = running;
    const first = store.put("versioned", "a", "first").versionId ?? "";
    const second = (await ask({ method: "PUT", path: "/versioned/a", body: "second" })).headers[
      "x-amz-version-id"
    ];
    expect((await ask({ path: "/versioned/a" })).headers["x-amz-version-id"]).toBe(second);
    expect((await ask({ path: `/versioned/a?versionId=${first}` })).text).toBe("first");

    const marker = (await ask({ method: "DELETE", path: "/versioned/a" })).headers["x-amz-version-id"];
    const hidden = await ask({ path: "/versioned/a" });
    expect([hidden.status, hidden.code, hidden.headers["x-amz-delete-marker"]]).toEqual([
      404,
      "NoSuchKey",
      "true",
    ]);
    const asked = await ask({ path: `/versioned/a?versionId=${String(marker)}` });
    expect([asked.status, asked.code, asked.headers.allow]).toEqual([405, "MethodNotAllowed", "DELETE"]);

    await ask({ method: "DELETE", path: `/versioned/a?versionId=${String(marker)}` });
    expect((await ask({ path: "/versioned/a" })).text).toBe("second");
    await ask({ method: "DELETE", path: `/versioned/a?versionId=${first}` });
    expect((await ask({ path: `/versioned/a?versionId=${first}` })).code).toBe("NoSuchVersion");
  });

  test.for([
    ["/files/a?versionId=null", undefined],
    ["/files/a?versionId=some-other", "InvalidArgument"],
    ["/files/none?versionId=null", "NoSuchVersion"],
  ])("%s of a bucket without them", async ([path = "", code]) => {
    running.store.put("files", "a", "a");
    expect((await ask({ path })).code).toBe(code);
  });
});

describe("an upload in parts", () => {
  const start = async () => {
    const answer = await ask({
      method: "POST",
      path: "/files/parts?uploads=",
      headers: { "content-type": "text/x" },
    });
    return xmlText(answer.text, "UploadId") ?? "";
  };
  const part = async (id: string, number: number, body: string) =>
    String(
      (await ask({ method: "PUT", path: `/files/parts?partNumber=${number}&uploadId=${id}`, body })).headers
        .etag,
    );
  const complete = (id: string, parts: readonly (readonly [number, string])[]) => {
    const listed = parts.map(([n, tag]) => `<Part><PartNumber>${n}</PartNumber><ETag>${tag}</ETag></Part>`);
    const body = `<CompleteMultipartUpload>${listed.join("")}</CompleteMultipartUpload>`;
    return ask({ method: "POST", path: `/files/parts?uploadId=${id}`, body });
  };

  it("makes one object, whose parts can be read apart", async () => {
    const id = await start();
    const tags = [await part(id, 1, "first"), await part(id, 3, "end")];
    const answer = await complete(id, [
      [1, tags[0] ?? ""],
      [3, tags[1] ?? ""],
    ]);
    const etag = `"${md5(Buffer.concat([md5("first"), md5("end")])).toString("hex")}-2"`;
    expect([answer.status, xmlText(answer.text, "ETag")]).toEqual([200, etag]);
    const whole = await ask({ path: "/files/parts" });
    expect([whole.text, whole.headers["content-type"]]).toEqual(["firstend", "text/x"]);
    const second = await ask({ path: "/files/parts?partNumber=2" });
    expect([second.status, second.text, second.headers["x-amz-mp-parts-count"]]).toEqual([206, "end", "2"]);
    expect(second.headers["content-range"]).toBe("bytes 5-7/8");
    expect((await ask({ path: "/files/parts?partNumber=3" })).code).toBe("InvalidPartNumber");
    const both = await ask({ path: "/files/parts?partNumber=1", headers: { range: "bytes=0-1" } });
    expect(both.code).toBe("InvalidRequest");
    expect(running.store.counts().multipart).toBe(4);
  });

  it("is refused where its parts are not what it says", async () => {
    const id = await start();
    const tag = await part(id, 1, "first");
    const small = await part(id, 2, "2");
    expect((await complete(id, [[1, '"other"']])).code).toBe("InvalidPart");
    expect(
      (
        await complete(id, [
          [2, small],
          [1, tag],
        ])
      ).code,
    ).toBe("InvalidPartOrder");
    expect(
      (
        await complete(id, [
          [2, small],
          [3, small],
        ])
      ).code,
    ).toBe("EntityTooSmall");
    expect((await complete(id, [])).code).toBe("MalformedXML");
    expect((await ask({ method: "DELETE", path: `/files/parts?uploadId=${id}` })).status).toBe(204);
    expect((await complete(id, [[1, tag]])).code).toBe("NoSuchUpload");
  });
});

describe("a bucket", () => {
  it("is made, looked at, emptied and deleted", async () => {
    const send = async (method: string, path: string, body = "") =>
      (await ask({ method, path, body })).status;
    expect(await send("HEAD", "/new")).toBe(404);
    expect(await send("PUT", "/new")).toBe(200);
    expect(await send("PUT", "/new")).toBe(409);
    expect(await send("HEAD", "/new")).toBe(200);
    expect(await send("PUT", "/new/a&b", "a")).toBe(200);
    expect(await send("DELETE", "/new")).toBe(409);
    const answer = await ask({
      method: "POST",
      path: "/new?delete",
      body: "<Delete><Object><Key>a&amp;b</Key></Object><Object><Key>none</Key></Object></Delete>",
    });
    expect(xmlElements(answer.text, "Key")).toEqual(["a&amp;b", "none"]);
    expect(await send("DELETE", "/new")).toBe(204);
    expect((await ask({ path: "/new/a" })).code).toBe("NoSuchBucket");
    expect((await ask({ method: "PUT", path: "/foreign" })).code).toBe("AccessDenied");
  });

  test.for([
    ["", ["a/1", "a/2", "b", "c/d/e", "\u{ff5e}", "\u{1f600}"]],
    ["&prefix=a/", ["a/1", "a/2"]],
    ["&delimiter=/", ["a/", "b", "c/", "\u{ff5e}", "\u{1f600}"]],
    ["&prefix=c/&delimiter=/", ["c/d/"]],
    ["&start-after=b&encoding-type=url", ["c/d/e", "%EF%BD%9E", "%F0%9F%98%80"]],
    ["&max-keys=0", []],
  ] as const)("is listed with %s in the order of bytes, page by page", async ([query, names]) => {
    running.store.createBucket("listed");
    for (const key of ["b", "a/2", "a/1", "c/d/e", "\u{1f600}", "\u{ff5e}"])
      running.store.put("listed", key, "x");
    const found: string[] = [];
    let token: string | undefined = "";
    while (token !== undefined) {
      const page = query.includes("max-keys") ? "" : "&max-keys=2";
      const after = token === "" ? "" : `&continuation-token=${token}`;
      const { text } = await ask({ path: `/listed?list-type=2${query}${page}${after}` });
      found.push(...xmlElements(text, "Contents").flatMap((item) => xmlElements(item, "Key")));
      found.push(...xmlElements(text, "CommonPrefixes").flatMap((item) => xmlElements(item, "Prefix")));
      token = xmlText(text, "NextContinuationToken");
    }
    expect(found.toSorted()).toEqual([...names].toSorted());
    if (!query.includes("delimiter")) expect(found).toEqual(names);
  });
});

it("has samples to begin with", async () => {
  addSamples(running.store, 1000);
  const get = (path: string, as?: Call["as"]) => call(running.store, { path, ...(as && { as }) });
  expect((await get("/public/hello.txt")).text).toBe("Hello, everybody\n");
  expect((await get("/demo/hello.txt", DEMO_KEYS.reader)).text).toBe("Hello from a private bucket\n");
  expect((await get("/demo/hello.txt", DEMO_KEYS.other)).status).toBe(403);
  expect((await get("/demo/big.bin", DEMO_KEYS.reader)).body).toHaveLength(1000);
  const archives = await Promise.all(
    [await get("/public/builds/site.zip"), await get("/demo/builds/site.zip", DEMO_KEYS.reader)].map(
      async ({ body, headers }) => {
        expect(headers["content-type"]).toBe("application/zip");
        return (await readZipDirectory(openArtifact(body))).map(({ name }) => name);
      },
    ),
  );
  expect(archives.map((names) => names.includes("coverage/index.html"))).toEqual([true, true]);
  expect(archives.map((names) => names.includes("private.txt"))).toEqual([false, true]);
  expect((await get("/demo/builds/site.zip", DEMO_KEYS.other)).status).toBe(403);
});
