import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Asking } from "./s3-client.ts";
import { KEYS, MODES, startS3Scene, VERSIONED, type S3Scene } from "./s3-scene.ts";

const { reader } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

/** Header fields are bytes, which Node shows as Latin-1. */
const UTF8_DISPOSITION = Buffer.from('inline; filename="ü.html"').toString("latin1");

describe.each(MODES)("auth %s: an object", (mode) => {
  const get = async (asking: Asking) => await scene.ask(mode, { as: reader, ...asking });

  it("that is empty has no ranges", async () => {
    const { path, etag } = scene.object("");
    for (let again = 0; again < 2; again++) {
      const whole = await get({ path });
      expect([whole.status, whole.headers["content-length"], whole.headers.etag]).toEqual([200, "0", etag]);
      for (const range of ["bytes=0-0", "bytes=0-", "bytes=-1", "bytes=5-9"]) {
        for (const method of ["GET", "HEAD"]) {
          const part = await get({ path, method, headers: { range }, unsigned: ["range"] });
          expect([range, part.status]).toEqual([range, 416]);
          if (method === "GET") expect(part.code).toBe("InvalidRange");
        }
      }
      expect((await get({ path, method: "HEAD" })).headers["content-length"]).toBe("0");
    }
  });

  it.each([500, 70_000])("of %i bytes is read in parts as S3 gives them", async (size) => {
    const { path, bytes } = scene.object(Buffer.from("0123456789".repeat(size / 10)));
    const rows = [
      ["bytes=0-9", 0, 10],
      ["bytes=5-", 5, size],
      ["bytes=-7", size - 7, size],
      [`bytes=-${size + 5}`, 0, size],
      [`bytes=0-${size + 5}`, 0, size],
      [`bytes=${size - 1}-${size - 1}`, size - 1, size],
    ] as const;
    for (const state of ["cold", "cached"]) {
      for (const [range, start, end] of rows) {
        if (state === "cold") await scene.newIsolate();
        const part = await get({ path, headers: { range }, unsigned: ["range"] });
        expect([range, part.status, part.headers["content-range"]]).toEqual([
          range,
          206,
          `bytes ${start}-${end - 1}/${size}`,
        ]);
        expect(part.body.equals(bytes.subarray(start, end))).toBe(true);
        const head = await get({ path, method: "HEAD", headers: { range }, unsigned: ["range"] });
        expect([head.status, head.headers["content-length"], head.headers["content-range"]]).toEqual([
          206,
          String(end - start),
          `bytes ${start}-${end - 1}/${size}`,
        ]);
      }
      const many = await get({ path, headers: { range: "bytes=0-1,10-12" }, unsigned: ["range"] });
      const isParts =
        many.status === 206 && (many.headers["content-type"] ?? "").startsWith("multipart/byteranges");
      expect(isParts || (many.status === 200 && many.body.equals(bytes))).toBe(true);
      for (const range of ["lines=0-1", "bytes=9-0", "bytes=", "bytes=a-b"])
        expect((await get({ path, headers: { range }, unsigned: ["range"] })).status).toBe(200);
    }
  });

  it("keeps all that was said of it, in every answer", async () => {
    const said = {
      "content-type": "text/html; charset=latin1",
      "cache-control": "max-age=77",
      "content-disposition": UTF8_DISPOSITION,
      "content-language": "de, en",
      expires: "Fri, 31 Dec 2027 23:59:59 GMT",
      "x-amz-meta-a": "1",
      "x-amz-meta-with-dashes": "a, b;c",
      "x-amz-storage-class": "STANDARD_IA",
    };
    const { path } = scene.object("an object", { bucket: VERSIONED, headers: said });
    for (const asking of [
      {},
      { method: "HEAD" },
      { headers: { range: "bytes=0-1" }, unsigned: ["range"] },
      {},
    ]) {
      const { headers } = await get({ path, ...asking });
      expect(headers).toMatchObject(said);
      expect(headers["x-amz-version-id"]).toBeTruthy();
      expect(headers["accept-ranges"]).toBe("bytes");
      expect(headers["last-modified"]).toBeTruthy();
    }
  });

  it("that is stored in a gzip coding is given as it is stored, whole and in parts", async () => {
    const zipped = gzipSync("text that is coded ".repeat(200));
    const { path } = scene.object(zipped, {
      headers: { "content-encoding": "gzip", "content-type": "text/plain" },
    });
    for (const accept of [undefined, "gzip", "identity", "br"]) {
      const headers = accept === undefined ? {} : { "accept-encoding": accept };
      for (let again = 0; again < 2; again++) {
        const whole = await get({ path, headers, unsigned: ["accept-encoding"] });
        expect([whole.status, whole.headers["content-encoding"], whole.headers["content-length"]]).toEqual([
          200,
          "gzip",
          String(zipped.length),
        ]);
        expect(whole.body.equals(zipped)).toBe(true);
        const part = await get({
          path,
          headers: { ...headers, range: "bytes=3-20" },
          unsigned: ["accept-encoding", "range"],
        });
        expect([
          part.status,
          part.headers["content-encoding"],
          part.body.equals(zipped.subarray(3, 21)),
        ]).toEqual([206, "gzip", true]);
      }
      await scene.newIsolate();
    }
  });

  it("that is text is not compressed on the way", async () => {
    const { path, bytes } = scene.object("compress me ".repeat(5000), {
      headers: { "content-type": "text/plain" },
    });
    for (let again = 0; again < 2; again++) {
      const answer = await get({
        path,
        headers: { "accept-encoding": "gzip, br" },
        unsigned: ["accept-encoding"],
      });
      expect([
        answer.headers["content-encoding"],
        answer.headers["content-length"],
        answer.body.equals(bytes),
      ]).toEqual([undefined, String(bytes.length), true]);
    }
  });
});
