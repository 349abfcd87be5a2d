import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { PASSED_THROUGH } from "../../src/core/cache-status.ts";
import { entry, putArchive, S3_ARCHIVE_VARS } from "./artifact-objects.ts";
import type { Asking } from "./s3-client.ts";
import { KEYS, MODES, PRIVATE, PUBLIC, startS3Scene, type S3Scene } from "./s3-scene.ts";

const { reader, other, writer } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: S3_ARCHIVE_VARS });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

/** Where the store alone can verify a signature. */
const REPEATING = ["rgw", "probe"] as const;

describe.each(REPEATING)("a signature that is repeated, auth %s", (mode) => {
  it.each(["header", "query"] as const)("is good for the one object that it names (%s)", async (by) => {
    const { path, key, bytes } = putArchive(scene);
    const victim = { path, as: reader };
    expect((await scene.ask(mode, victim)).body.equals(bytes)).toBe(true);
    const inner = `${key}!/plain.txt`;
    let asked = 0;
    scene.store.intercept = ({ url = "" }) => {
      if (!decodeURIComponent(url).includes(inner)) return false;
      asked++;
      if (asked === 2) scene.store.put(PRIVATE, inner, "of another key"); // between two questions
      return false;
    };
    for (let time = 0; time < 2; time++)
      await scene.ask(mode, { path: `${path}!/plain.txt`, as: writer, by });
    expect(asked).toBeGreaterThanOrEqual(1);
    await scene.settle();
    for (const asking of [victim, { ...victim, by: "query" as const }]) {
      const { status, body } = await scene.ask(mode, asking);
      expect([status, body.equals(bytes)]).toEqual([200, true]);
    }
  });

  it("reads the object whose key is that of an entry, and where there is none says what the store says", async () => {
    const { path, key } = putArchive(scene);
    const asking = { path: `${path}!/plain.txt`, as: reader };
    const missing = await scene.ask(mode, asking);
    expect([missing.status, missing.code]).toEqual([404, "NoSuchKey"]);
    await scene.advance(10_000);
    scene.store.put(PRIVATE, `${key}!/plain.txt`, "the object itself");
    for (let time = 0; time < 2; time++) {
      const { status, body } = await scene.ask(mode, asking);
      expect([status, body.toString()]).toEqual([200, "the object itself"]);
    }
    const ofArchive = await scene.ask(mode, { path, query: entry("plain.txt"), as: reader });
    expect(ofArchive.body.toString()).not.toBe("the object itself");
  });
});

/** What has something of a signature: a store takes each for a request by nobody. */
const HALVES: Readonly<Record<string, Pick<Asking, "query" | "headers">>> = {
  nothing: {},
  "a credential": { query: "X-Amz-Credential=x" },
  "an access key without a name": { query: "AWSAccessKeyId=" },
  "an access key": { query: `AWSAccessKeyId=${reader.id}` },
  "an access key and no signature": { query: `AWSAccessKeyId=${reader.id}&Signature=&Expires=9999999999` },
  "a signature of nobody": { query: "Signature=x&Expires=9999999999" },
  "another algorithm": { query: "X-Amz-Algorithm=foo&X-Amz-Credential=x&X-Amz-Signature=y" },
  "two algorithms": {
    query: "X-Amz-Algorithm=foo&X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=x&X-Amz-Signature=y",
  },
  "an algorithm alone": { query: "X-Amz-Algorithm=AWS4-HMAC-SHA256" },
  "a beginning": { headers: { authorization: "AWSx" } },
  "a scheme": { headers: { authorization: "AWS4-HMAC-SHA256" } },
  "an older scheme": { headers: { authorization: "AWS x" } },
  "a password": { headers: { authorization: "Basic YTpi" } },
};
/** Signatures of a way that the edge does not know, or not so: whether they are right the store tells. */
const FOREIGN: Readonly<Record<string, Pick<Asking, "query" | "headers">>> = {
  "version 2, in the header": { headers: { authorization: `AWS ${reader.id}:c2lnbmF0dXJl` } },
  "version 2, in the query": {
    query: `AWSAccessKeyId=${reader.id}&Expires=99999999999&Signature=c2lnbmF0dXJl`,
  },
};
const OVERRIDE = "response-content-type=text%2Fhtml";

describe.each(MODES)("header fields that a query names, auth %s", (mode) => {
  it.each(Object.entries(HALVES))("are refused with %s", async (_name, { query, headers = {} }) => {
    const { path } = scene.object("public", { bucket: PUBLIC });
    const asking = { path, query: query === undefined ? OVERRIDE : `${OVERRIDE}&${query}`, headers };
    for (const method of ["GET", "HEAD", "PUT"]) {
      const { result, counts } = await scene.counted(
        async () => await scene.ask(mode, { ...asking, method, ...(method === "PUT" && { body: "x" }) }),
      );
      expect([method, result.status, counts.total]).toEqual([method, 400, 0]);
    }
  });

  it.each(Object.entries(FOREIGN))(
    "are the store's to judge with %s",
    async (_name, { query, headers = {} }) => {
      const { path } = scene.object("public", { bucket: PUBLIC });
      const asking = { path, query: query === undefined ? OVERRIDE : `${OVERRIDE}&${query}`, headers };
      const { result, counts } = await scene.counted(async () => await scene.ask(mode, asking));
      expect([result.headers["cache-status"], counts.total]).toEqual([PASSED_THROUGH, 1]);
    },
  );

  it.each(["header", "query"] as const)("are obeyed with a signature (%s)", async (by) => {
    const { path } = scene.object("private");
    const { status, headers } = await scene.ask(mode, { path, query: OVERRIDE, as: reader, by });
    expect([status, headers["content-type"]]).toEqual([200, "text/html"]);
  });
});

describe.each(MODES)("a signature over Accept-Encoding, auth %s", (mode) => {
  it.each(["identity", "gzip"])("(%s) reads for who may read", async (coding) => {
    const { path, bytes } = scene.object("private ".repeat(50));
    const headers = { "accept-encoding": coding };
    for (let time = 0; time < 2; time++) {
      const { status, body } = await scene.ask(mode, { path, as: reader, headers });
      expect([status, body.equals(bytes)]).toEqual([200, true]);
      const stranger = await scene.ask(mode, { path, as: other, headers });
      expect([stranger.status, stranger.body.includes("private")]).toEqual([403, false]);
    }
  });
});
