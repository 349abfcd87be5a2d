import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dress } from "./s3-answers.ts";
import { S3_FORGERS } from "./s3-askers.ts";
import { encode, objectPath, type Asking } from "./s3-client.ts";
import { BLOCK_BYTES, expected, filled, look, place, readAll, SIZE } from "./s3-reads.ts";
import {
  KEYS,
  MODES,
  PRIVATE,
  PUBLIC,
  startS3Scene,
  VERSIONED,
  type Mode,
  type S3Scene,
} from "./s3-scene.ts";

const { reader, other, writer } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: { BLOCK_BYTES, HOT_BODY_BYTES: 32 * 1024 } });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

async function write(mode: Mode, asking: Asking): Promise<number> {
  return (await scene.ask(mode, { as: writer, ...asking })).status;
}

describe.each(MODES)("auth %s", (mode) => {
  it("a write is seen by one who waits for a 404 that was asked for before it", async () => {
    const where = place(scene, mode);
    const late: (() => void)[] = [];
    scene.store.intercept = (request, response) => {
      if (request.method !== "GET") return false;
      const body = "<Error><Code>NoSuchKey</Code></Error>";
      late.push(() => response.writeHead(404, { "content-type": "application/xml" }).end(body));
      return true;
    };
    const asking: Asking = { path: where.path, as: reader, by: "query", skewMs: -1000 };
    const first = scene.ask(mode, asking);
    while (late.length < 1) await sleep(5);
    scene.store.intercept = undefined;
    expect(await write(mode, { method: "PUT", path: where.path, body: filled("after") })).toBe(200);
    const second = scene.ask(mode, asking);
    await sleep(30);
    for (const each of late) each();
    expect((await first).status).toBe(404);
    expect((await second).status).toBe(200);
  });

  it("a refused write changes nothing, and costs readers nothing", async () => {
    const where = place(scene, mode);
    scene.object(filled("before"), where);
    await readAll(scene, where);
    const ask = async (asking: Partial<Asking>) => await scene.ask(mode, { path: where.path, ...asking });
    const hit = { as: reader, by: "query" as const };
    expect((await ask(hit)).status).toBe(200);
    const { counts } = await scene.counted(async () => {
      for (const method of ["PUT", "DELETE"]) {
        const body = method === "PUT" ? filled("after") : undefined;
        const refused = [{ as: reader }, { as: other }, {}, { as: { ...writer, secret: "no" } }];
        for (const asking of refused) {
          const { status } = await ask({ method, ...asking, ...(body !== undefined && { body }) });
          expect(status).toBe(403);
        }
        const { status } = await ask({
          method,
          as: writer,
          headers: { "if-match": '"another"' },
          ...(body !== undefined && { body }),
        });
        expect([412, 204]).toContain(method === "PUT" ? status : 412);
      }
      if (mode === "edge") expect((await ask(hit)).caches["grant"]).toContain("; hit");
    });
    expect([counts.get, counts["get-range"], counts.head]).toEqual([0, 0, 0]);
    expect(await readAll(scene, where)).toEqual(expected("before"));
  });

  it("no forger writes, whatever is signed", async () => {
    const where = place(scene, mode);
    scene.object(filled("before"), where);
    for (const { name, asking } of S3_FORGERS) {
      if (/signed for PUT/.test(name)) continue;
      const { status } = await scene.ask(mode, {
        path: where.path,
        method: "PUT",
        body: "forged",
        ...asking("PUT"),
      });
      expect([name, [400, 403].includes(status)]).toEqual([name, true]);
    }
    expect(scene.store.get(where.bucket, where.key)?.bytes().equals(filled("before"))).toBe(true);
  });

  it("a write that ends in an error of the origin's may have happened, and is looked for", async () => {
    const where = place(scene, mode);
    scene.object(filled("before"), where);
    await readAll(scene, where);
    for (const [how, text] of [
      ["500", "first"],
      ["cut", "second"],
    ] as const) {
      scene.store.intercept = (request, response) => {
        if (request.method !== "PUT") return false;
        request.resume().on("end", () => {
          scene.store.put(where.bucket, where.key, filled(text));
          if (how === "500") response.writeHead(500).end();
          else response.socket?.destroy();
        });
        return true;
      };
      const status = await write(mode, { method: "PUT", path: where.path, body: filled(text) });
      expect(status).toBeGreaterThanOrEqual(500);
      scene.store.intercept = undefined;
      expect(await readAll(scene, where)).toEqual(expected(text));
    }
  });

  it("a write whose writer did not wait for the answer is seen by others", async () => {
    const where = place(scene, mode);
    scene.object(filled("before"), where);
    await readAll(scene, where);
    const gone = new AbortController();
    scene.store.intercept = (request, response) => {
      if (request.method !== "PUT") return false;
      request.resume().on("end", () => {
        gone.abort();
        scene.store.put(where.bucket, where.key, filled("after"));
        setTimeout(() => response.writeHead(200, { etag: '"x"' }).end(), 50);
      });
      return true;
    };
    await scene.ask(
      mode,
      { method: "PUT", path: where.path, as: writer, body: filled("after") },
      { signal: gone.signal },
    );
    await sleep(150);
    scene.store.intercept = undefined;
    expect(await readAll(scene, where)).toEqual(expected("after"));
  });

  it.each(["a copy", "a multipart upload"])(
    "%s that begins its answer before it is done is seen once the answer has ended",
    async (what) => {
      const where = place(scene, mode);
      scene.object(filled("before"), where);
      await readAll(scene, where);
      let finish = (): void => undefined;
      scene.store.intercept = (request, response) => {
        if (request.method !== "PUT" && request.method !== "POST") return false;
        request.resume();
        response.writeHead(200, { "content-type": "application/xml" }).write('<?xml version="1.0"?>\n ');
        finish = () => {
          scene.store.put(where.bucket, where.key, filled("after"));
          response.end("<Result/>");
        };
        return true;
      };
      const asking: Asking =
        what === "a copy"
          ? { method: "PUT", path: where.path, headers: { "x-amz-copy-source": "/demo/hello.txt" } }
          : { method: "POST", path: where.path, query: "uploadId=1", body: "<CompleteMultipartUpload/>" };
      const begun = Promise.withResolvers<void>();
      const written = scene.ask(mode, { as: writer, ...asking }, { onPiece: () => begun.resolve() });
      await begun.promise;
      expect(await readAll(scene, where)).toEqual(expected("before"));
      finish();
      expect((await written).whole).toBe(true);
      expect(await readAll(scene, where)).toEqual(expected("after"));
    },
  );

  it("a version stays what it was when another is written, and is gone when it is deleted", async () => {
    const where = place(scene, mode, VERSIONED);
    const first = scene.store.put(where.bucket, where.key, filled("first"));
    const query = `versionId=${first.versionId ?? ""}`;
    const old = async () => await look(scene, where, { as: reader, query });
    expect([await old(), await look(scene, where, { as: reader })]).toEqual(
      Array(2).fill(`200 firstfirst ${SIZE}`),
    );
    expect(await write(mode, { method: "PUT", path: where.path, body: filled("second") })).toBe(200);
    expect([await old(), await look(scene, where, { as: reader })]).toEqual([
      `200 firstfirst ${SIZE}`,
      `200 secondseco ${SIZE}`,
    ]);
    expect(await write(mode, { method: "DELETE", path: where.path })).toBe(204);
    expect([await old(), await look(scene, where, { as: reader })]).toEqual([
      `200 firstfirst ${SIZE}`,
      "404",
    ]);
    expect(await write(mode, { method: "DELETE", path: where.path, query })).toBe(204);
    expect(await old()).toBe("404");
  });

  it.each([
    { what: "GET", first: {} },
    { what: "HEAD", first: { method: "HEAD" } },
    { what: "a range", first: { headers: { range: "bytes=0-3" } } },
    { what: "a conditional GET", first: { headers: { "if-none-match": '"x"' } } },
  ])(
    "an object without ETag, replaced in its second by one of its size, is another one: $what first",
    async ({ first }) => {
      const where = place(scene, mode, PUBLIC);
      scene.store.intercept = (request, response) => {
        dress(response, ({ ETag: _etag, ...given }) => given);
        if (request.method !== "PUT") return false;
        request.resume().on("end", () => {
          scene.store.put(where.bucket, where.key, "other one");
          response.writeHead(200, {}).end();
        });
        return true;
      };
      scene.store.put(where.bucket, where.key, "first one");
      for (const as of [reader, writer, reader])
        expect(await look(scene, where, { as })).toBe("200 first one 9");
      expect(await write(mode, { method: "PUT", path: where.path, body: "other one" })).toBe(200);
      await scene.ask(mode, { path: where.path, as: reader, ...first });
      for (const as of [reader, writer]) expect(await look(scene, where, { as })).toBe("200 other one 9");
      await scene.newIsolate();
      for (const as of [reader, writer]) expect(await look(scene, where, { as })).toBe("200 other one 9");
    },
  );

  it("a key in any spelling is one key: encoded more or less than it must be", async () => {
    const key = `a b+c/é~${scene.name("x")}`;
    const path = objectPath(PRIVATE, key);
    const spelled = path.replace("~", "%7E").replace("%C3%A9", "%c3%a9");
    scene.object(filled("before"), { key });
    expect(await readAll(scene, { mode, path })).toEqual(expected("before"));
    expect(await readAll(scene, { mode, path: spelled })).toEqual(expected("before"));
    expect(await write(mode, { method: "PUT", path: spelled, body: filled("after") })).toBe(200);
    expect(await readAll(scene, { mode, path })).toEqual(expected("after"));
    expect(encode(key)).not.toBe(key);
  });
});
