import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { holdBack } from "./s3-answers.ts";
import type { Asking } from "./s3-client.ts";
import { BLOCK_BYTES, expected, filled, look, place, readAll, SIZE, type Place } from "./s3-reads.ts";
import { KEYS, MODES, PRIVATE, startS3Scene, type Mode, type S3Scene } from "./s3-scene.ts";

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

type Write = {
  readonly name: string;
  readonly act: (place: Place, text: string) => Promise<number>;
  /** What is there afterwards; the text where it is not said. */
  readonly after?: "nothing";
};

const WRITES: readonly Write[] = [
  {
    name: "PUT",
    act: async ({ mode, path }, text) => await write(mode, { method: "PUT", path, body: filled(text) }),
  },
  {
    name: "a presigned PUT",
    act: async ({ mode, path }, text) =>
      await write(mode, { method: "PUT", path, body: filled(text), by: "query" }),
  },
  {
    name: "PUT, its path spelled in another way",
    act: async ({ mode, path }, text) =>
      await write(mode, { method: "PUT", path: path.replace("written", "%77ritte%6E"), body: filled(text) }),
  },
  {
    name: "a copy",
    act: async ({ mode, path }, text) => {
      const source = scene.object(filled(text));
      return await write(mode, { method: "PUT", path, headers: { "x-amz-copy-source": source.path } });
    },
  },
  {
    name: "a multipart upload",
    act: async ({ mode, path }, text) => {
      const begun = await scene.ask(mode, { method: "POST", path, query: "uploads=", as: writer });
      const id = /<UploadId>(\w+)</.exec(begun.body.toString())?.[1] ?? "";
      const query = `partNumber=1&uploadId=${id}`;
      const part = await scene.ask(mode, { method: "PUT", path, query, as: writer, body: filled(text) });
      const etag = part.headers.etag ?? "";
      const body = `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>${etag}</ETag></Part></CompleteMultipartUpload>`;
      return await write(mode, { method: "POST", path, query: `uploadId=${id}`, body });
    },
  },
  {
    name: "DELETE",
    act: async ({ mode, path }) => await write(mode, { method: "DELETE", path }),
    after: "nothing",
  },
  {
    name: "POST ?delete",
    act: async ({ mode, bucket, key }) => {
      const body = `<Delete><Object><Key>${key}</Key></Object></Delete>`;
      const headers = { "content-md5": createHash("md5").update(body).digest("base64") };
      return await write(mode, { method: "POST", path: `/${bucket}`, query: "delete=", body, headers });
    },
    after: "nothing",
  },
  {
    name: "a form",
    act: async ({ mode, bucket, key }, text) => {
      // The store takes no forms: what it would do, and its answer, are given in its place
      scene.store.intercept = (request, response) => {
        if (request.method !== "POST") return false;
        request.resume().on("end", () => {
          scene.store.put(bucket, key, filled(text));
          response.writeHead(204, { etag: '"x"' }).end();
        });
        return true;
      };
      const headers = { "content-type": "multipart/form-data; boundary=b" };
      const status = (await scene.ask(mode, { method: "POST", path: `/${bucket}`, headers, body: "--b--" }))
        .status;
      scene.store.intercept = undefined;
      return status;
    },
  },
];

const CASES = MODES.flatMap((mode) => WRITES.map((each) => ({ mode, write: each, name: each.name })));

describe.each(CASES)("auth $mode: $name", ({ mode, write: { act, after } }) => {
  it("is seen at once by everyone who read before", async () => {
    const where = place(scene, mode);
    scene.object(filled("before"), where);
    expect(await readAll(scene, where)).toEqual(expected("before"));
    expect([200, 204]).toContain(await act(where, "after"));
    expect(await readAll(scene, where)).toEqual(expected(after === "nothing" ? undefined : "after"));
    await scene.newIsolate();
    expect(await readAll(scene, where)).toEqual(expected(after === "nothing" ? undefined : "after"));
  });

  it("is seen at once by those who were told that there is nothing, or not for them", async () => {
    const where = place(scene, mode);
    if (after === "nothing") scene.object(filled("before"), where);
    else expect(await readAll(scene, where)).toEqual(expected(undefined));
    expect(await look(scene, where, { as: other })).toBe("403");
    scene.store.setAccess(other.id, { read: [PRIVATE] });
    expect([200, 204]).toContain(await act(where, "after"));
    expect(await readAll(scene, where)).toEqual(expected(after === "nothing" ? undefined : "after"));
    expect(await look(scene, where, { as: other })).toBe(
      after === "nothing" ? "404" : `200 afterafter ${SIZE}`,
    );
  });

  it("counts for more than an answer that was asked for before it and comes after it", async () => {
    const where = place(scene, mode);
    scene.object(filled("before"), where);
    const late: (() => void)[] = [];
    scene.store.intercept = (request, response) => {
      if (request.method !== "GET" && request.method !== "HEAD") return false;
      late.push(holdBack(response));
      return false;
    };
    const first = [look(scene, where, { as: reader }), look(scene, where, { as: writer, method: "HEAD" })];
    while (late.length < 2) await sleep(5);
    await sleep(20);
    scene.store.intercept = undefined;
    expect([200, 204]).toContain(await act(where, "after"));
    const meanwhile = [
      look(scene, where, { as: reader }),
      look(scene, where, { as: reader, headers: { range: "bytes=0-9" } }),
    ];
    await sleep(30);
    for (const each of late) each();
    await Promise.all(first);
    const now = expected(after === "nothing" ? undefined : "after");
    expect(await Promise.all(meanwhile)).toEqual([now[0], now[3]]);
    expect(await readAll(scene, where)).toEqual(now);
    await scene.settle();
    await scene.newIsolate();
    expect(await readAll(scene, where)).toEqual(now);
  });
});
