import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dress } from "./s3-answers.ts";
import { KEYS, MODES, PRIVATE, startS3Scene, type S3Scene } from "./s3-scene.ts";

/*
 * What the nginx configuration that Ceph publishes for caching RGW did when it was tried (facts.md, section 6). Each is
 * tried in all ways of knowing who asks, on an object that memory holds and on one of several blocks.
 */

const BLOCK_BYTES = 64 * 1024;
const SIZES = [5000, 3 * BLOCK_BYTES + 7];
const CASES = MODES.flatMap((mode) => SIZES.map((size) => ({ mode, size })));

let together: S3Scene;
let apart: S3Scene;
beforeAll(async () => {
  const vars = { BLOCK_BYTES, HOT_BODY_BYTES: 32 * 1024 };
  [together, apart] = await Promise.all([startS3Scene({ vars }), startS3Scene({ vars, isApart: true })]);
});
beforeEach(async () => await Promise.all([together.fresh(), apart.fresh()]));
afterAll(async () => await Promise.all([together.close(), apart.close()]));

const bytesOf = (text: string, size: number) => text.padEnd(size, text);

describe.each(CASES)("auth $mode, $size bytes", ({ mode, size }) => {
  const readBefore = async () => {
    const file = together.object(bytesOf("private ", size));
    for (let again = 0; again < 2; again++) {
      const { status, body } = await together.ask(mode, { path: file.path, as: KEYS.reader });
      expect([status, body.equals(file.bytes)]).toEqual([200, true]);
    }
    return file;
  };

  it("Ceph leak 1: a cached private object is not given to an anonymous client", async () => {
    const { path } = await readBefore();
    for (const headers of [
      {},
      { range: "bytes=0-9" },
      { "if-none-match": "*" },
      { "cache-control": "only-if-cached" },
    ]) {
      const { status, code, body } = await together.ask(mode, { path, headers });
      expect([status, code, body.includes("private")]).toEqual([403, "AccessDenied", false]);
    }
  });

  it("Ceph leak 2: a bad signature with If-Match: * gets nothing", async () => {
    const { path, etag } = await readBefore();
    const as = { ...KEYS.reader, secret: "not the reader's" };
    for (const by of ["header", "query"] as const) {
      for (const tag of ["*", etag, '"another"']) {
        for (const method of ["GET", "HEAD"]) {
          const answer = await together.ask(mode, {
            method,
            path,
            as,
            by,
            headers: { "if-match": tag },
            unsigned: ["if-match"],
          });
          expect([answer.status, answer.headers.etag, answer.body.includes("private")]).toEqual([
            403,
            undefined,
            false,
          ]);
        }
      }
    }
  });

  it("Ceph leak 3: no old bytes after a PUT through the edge", async () => {
    const { path } = await readBefore();
    const body = bytesOf("replaced", size);
    const put = await together.ask(mode, { method: "PUT", path, as: KEYS.writer, body });
    expect(put.status).toBe(200);
    for (const as of [KEYS.reader, KEYS.writer]) {
      const after = await together.ask(mode, { path, as });
      expect([after.status, after.body.toString() === body]).toEqual([200, true]);
    }
    const stale = await together.ask(mode, { path, as: KEYS.reader, headers: { range: "bytes=0-7" } });
    expect([stale.status, stale.body.toString()]).toEqual([206, "replaced"]);
  });

  it("Ceph leak 4: another bucket under another host with the same path is another object", async () => {
    const key = together.name("same");
    const others = ["first", "second"].map((name) => {
      const bucket = `${name}-${mode}-${size}`;
      together.store.createBucket(bucket);
      together.object(bytesOf(`${bucket} `, size), { bucket, key });
      return { bucket, host: `${bucket}.${together.hosts[mode === "edge" ? "virtual" : mode]}` };
    });
    together.store.setAccess(KEYS.reader.id, { read: others.map(({ bucket }) => bucket) });
    together.store.setAccess(KEYS.other.id, { read: others.slice(0, 1).map(({ bucket }) => bucket) });
    for (let again = 0; again < 2; again++) {
      for (const { bucket, host } of others) {
        const { status, body } = await together.ask({ host }, { path: `/${key}`, as: KEYS.reader });
        expect([status, body.toString()]).toEqual([200, bytesOf(`${bucket} `, size)]);
        const theirs = await together.ask({ host }, { path: `/${key}`, as: KEYS.other });
        expect(theirs.status).toBe(bucket.startsWith("first") ? 200 : 403);
      }
    }
  });
});

it.each(SIZES)(
  "Ceph leak 4: nor is one in another store, with the same bucket, path, ETag and size: %i",
  async (size) => {
    const key = apart.name("same");
    const headers = { "Last-Modified": "Wed, 01 Jul 2026 00:00:00 GMT" };
    const { path } = apart.object(bytesOf("of the first ", size), { key, headers });
    apart.twin.put(PRIVATE, key, bytesOf("of the twin  ", size), headers);
    const sameTag = (store: S3Scene["store"]) => {
      store.intercept = (_request, response) => {
        dress(response, (headersGiven) => ({ ...headersGiven, ETag: '"the same"' }));
        return false;
      };
    };
    sameTag(apart.store);
    sameTag(apart.twin);
    for (let again = 0; again < 2; again++) {
      const first = await apart.ask("edge", { path, as: KEYS.reader });
      expect([first.headers.etag, first.body.subarray(0, 12).toString()]).toEqual([
        '"the same"',
        "of the first",
      ]);
      const second = await apart.ask({ host: apart.hosts.twin }, { path, as: KEYS.reader });
      expect([second.headers.etag, second.body.subarray(0, 11).toString()]).toEqual([
        '"the same"',
        "of the twin",
      ]);
    }
    apart.twin.setAccess(KEYS.reader.id, { read: [] });
    await apart.advance(30_000);
    expect((await apart.ask({ host: apart.hosts.twin }, { path, as: KEYS.reader })).status).toBe(403);
    expect((await apart.ask("edge", { path, as: KEYS.reader })).status).toBe(200);
  },
);
