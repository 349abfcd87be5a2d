import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { KEYS, startS3Scene, type S3Scene, type StoredFile } from "./s3-scene.ts";

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

describe("an object that is overwritten by one that fewer may read", () => {
  const SECRET = "MARKED-AS-PRIVATE";

  /** The store gives the new object to its writer alone, as one with an ACL of its own. */
  async function overwrite(file: StoredFile, isThroughEdge: boolean): Promise<void> {
    const { bucket, key, path } = file;
    if (isThroughEdge) await scene.ask("edge", { method: "PUT", path, body: SECRET, as: KEYS.writer });
    else scene.store.put(bucket, key, SECRET);
    scene.store.intercept = (request, response) => {
      if (JSON.stringify(request.headers).includes(KEYS.writer.id)) return false;
      response.writeHead(403).end();
      return true;
    };
  }

  it.each([true, false])(
    "is not shown to those who could read the one it was (through the edge: %s)",
    async (isThroughEdge) => {
      const file = scene.object("open to all who have a key");
      const read = async (as: typeof KEYS.reader | typeof KEYS.writer) =>
        await scene.ask("edge", { path: file.path, as });
      expect((await read(KEYS.reader)).body.equals(file.bytes)).toBe(true);
      await overwrite(file, isThroughEdge);
      for (const ms of [0, 1000, 15_000]) {
        await scene.advance(ms);
        expect((await read(KEYS.writer)).body.toString()).toBe(SECRET);
        const [one, ...others] = await Promise.all([read(KEYS.reader), read(KEYS.writer), read(KEYS.reader)]);
        expect([one?.status, others.map(({ status }) => status)]).toEqual([403, [200, 403]]);
        expect(one?.body.toString()).not.toContain(SECRET);
      }
    },
  );
});

describe("a stranger whose write breaks off", () => {
  const FILES = 5;

  /** Sends less than it says, and leaves. */
  async function breakOff(path: string): Promise<void> {
    const { port } = new URL(`http://${scene.hosts.edge}`);
    const socket = connect(Number(port), "127.0.0.1");
    const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
    socket.on("error", () => undefined); // whatever becomes of it
    socket.write(`POST ${path} HTTP/1.1\r\nHost: ${scene.hosts.edge}\r\nContent-Length: 100\r\n\r\nabc`);
    await sleep(150);
    socket.destroy();
    await closed;
    await sleep(1300); // by then every isolate has looked whether anything was written
  }

  it("does not make a bucket cold", async () => {
    const files = Array.from({ length: FILES }, () => scene.object("private"));
    const readAll = async () => {
      for (const { path } of files)
        expect((await scene.ask("edge", { path, as: KEYS.reader })).status).toBe(200);
    };
    await readAll();
    const before = (await scene.counted(readAll)).counts.total;
    await breakOff("/demo");
    expect((await scene.counted(readAll)).counts.total).toBe(before);
  });
});
