import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { S3_FORGERS, S3_STRANGERS } from "./s3-askers.ts";
import type { Asking } from "./s3-client.ts";
import { KEYS, MODES, PUBLIC, startS3Scene, type S3Scene } from "./s3-scene.ts";

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

const times = (count: number) => Array.from({ length: count }, (_, index) => index);
/** One signature, made now, as clients with a presigned URL send it again and again. */
const once = (path: string): Asking => ({ path, as: KEYS.reader, by: "query", expiresS: 600 });

describe.each(MODES)("auth %s", (mode) => {
  /** The same request again: its signature is that of the first time, whatever the clock says. */
  const sameSignature = (asking: Asking) => {
    const at = scene.now();
    return async () => await scene.ask(mode, { ...asking, skewMs: at - scene.now() });
  };

  it("a grant is not asked for again for 20 s, nor believed for more than 30", async () => {
    const { path } = scene.object("private");
    const ask = sameSignature(once(path));
    await ask();
    const { result, counts } = await scene.counted(async () => {
      const statuses = [];
      for (const step of times(17)) {
        // the clock goes on by itself as well
        await scene.advance(1000);
        if (step % 7 === 0) await scene.newIsolate();
        statuses.push((await ask()).status);
      }
      return statuses;
    });
    expect([new Set(result), counts.total]).toEqual([new Set([200]), 0]);
    const later = await scene.counted(async () => {
      await scene.advance(31_000);
      return await ask();
    });
    expect([later.result.status, later.counts.total]).toEqual([200, 1]);
  });

  it.each([
    { what: "access is withdrawn", act: () => scene.store.setAccess(KEYS.reader.id, { read: [] }) },
    { what: "a key is revoked", act: () => scene.store.revokeKey(KEYS.reader.id) },
    { what: "an object is removed", act: () => scene.store.remove("demo", "removed") },
  ])("30 s after $what it is over, for one who asks all the time and in any isolate", async ({ act }) => {
    const { path } = scene.object("private", { key: "removed" });
    const ask = sameSignature(once(path));
    for (const _ of times(13)) {
      expect((await ask()).status).toBe(200);
      await scene.advance(2000);
    }
    await scene.settle();
    act();
    let lastServedAfterMs = 0;
    for (const step of times(16)) {
      if ((await ask()).status === 200) lastServedAfterMs = step * 2000;
      if (step === 3) await scene.newIsolate();
      await scene.advance(2000);
    }
    expect(lastServedAfterMs).toBeLessThan(30_000);
    for (const cache of ["ok", "failing"] as const) {
      await scene.world({ cache });
      await scene.newIsolate();
      expect([403, 404]).toContain((await ask()).status);
    }
  });

  it.each(["memory", "colo"])("a yes that %s remembers is believed for 30 s, and no longer", async (tier) => {
    const file = scene.object("private");
    const ask = sameSignature(once(file.path));
    await ask();
    await scene.settle();
    scene.store.setAccess(KEYS.reader.id, { read: [] });
    const move = async () => (tier === "colo" ? await scene.newIsolate() : undefined);
    await scene.advance(19_000);
    await move();
    expect((await ask()).body.equals(file.bytes)).toBe(true);
    await scene.advance(6000);
    // Another's question renews what is known of the object: only the grant ends now
    expect((await scene.ask(mode, { path: file.path, as: KEYS.writer })).status).toBe(200);
    await scene.settle();
    await scene.advance(5000);
    await move();
    const { status, body } = await ask();
    expect([status, body.includes("private")]).toEqual([403, false]);
  });

  it("a presigned URL ends when it says, though the grant would not", async () => {
    const { path } = scene.object("private");
    const ask = sameSignature({ ...once(path), expiresS: 15 });
    expect((await ask()).status).toBe(200);
    await scene.advance(10_000);
    expect((await ask()).status).toBe(200);
    await scene.advance(6000);
    const { status, code } = await ask();
    expect([status, code]).toEqual([403, "AccessDenied"]);
  });

  it.each(S3_STRANGERS)("a denial costs one question in 10 s: $name", async ({ asking }) => {
    const { path } = scene.object("private");
    const before = await scene.kvPuts();
    const ask = sameSignature({ path, ...asking("GET"), expiresS: 600 });
    const statuses = new Set<number>();
    const { counts } = await scene.counted(async () => {
      for (const answer of await Promise.all(times(10).map(ask))) statuses.add(answer.status);
      for (const second of times(9)) {
        statuses.add((await ask()).status);
        if (second === 4) await scene.newIsolate();
        await scene.advance(1000);
      }
    });
    const again = await scene.counted(async () => {
      await scene.advance(1000);
      statuses.add((await ask()).status);
    });
    expect([[...statuses], counts.total, again.counts.total]).toEqual([[403], 1, 1]);
    expect((await scene.kvPuts()) - before).toBe(0);
  });

  it("what is not there costs one question in 10 s too", async () => {
    const ask = sameSignature(once(`/demo/${scene.name("missing")}`));
    const { result, counts } = await scene.counted(async () => await Promise.all(times(10).map(ask)));
    expect([new Set(result.map(({ code }) => code)), counts.total]).toEqual([new Set(["NoSuchKey"]), 1]);
    scene.store.setAccess(KEYS.reader.id, { read: [PUBLIC] });
    await scene.advance(10_000);
    expect((await ask()).code).toBe("AccessDenied");
  });

  it("a cold read writes nothing to KV", async () => {
    const before = await scene.kvPuts();
    for (const name of [PUBLIC, "demo"]) {
      const { path } = scene.object("an object", { bucket: name });
      for (const method of ["GET", "HEAD", "GET"]) {
        await scene.ask(mode, { path, method, as: KEYS.reader });
        await scene.ask(mode, { path, method });
      }
    }
    await scene.settle();
    expect((await scene.kvPuts()) - before).toBe(0);
  });

  it("N cold reads by one key are one question", async () => {
    const { path, bytes } = scene.object("x".repeat(300_000));
    const ask = sameSignature(once(path));
    scene.store.authMs = 20;
    const { result, counts } = await scene.counted(async () => await Promise.all(times(20).map(ask)));
    expect(result.every(({ status, body }) => status === 200 && body.equals(bytes))).toBe(true);
    expect([counts.total, counts.bytes]).toEqual([1, bytes.length]);
  });

  it("a colo that does not answer makes no denial a yes, and KV none", async () => {
    const { path } = scene.object("private");
    for (const world of [
      { cache: "failing" },
      { kv: "failing" },
      { cache: "read-only", kv: "read-only" },
    ] as const) {
      await scene.world({ cache: "ok", kv: "ok", ...world });
      await scene.newIsolate();
      expect((await scene.ask(mode, { path, as: KEYS.reader })).status).toBe(200);
      for (const { asking } of S3_STRANGERS)
        expect((await scene.ask(mode, { path, ...asking("GET") })).status).toBe(403);
    }
  });
});

it("a grant with auth edge is for a key, whatever it signs", async () => {
  const { path } = scene.object("private");
  await scene.ask("edge", { path, as: KEYS.reader });
  const { result, counts } = await scene.counted(async () => {
    const asked = times(20).map(async (index) => {
      const by = index % 2 === 0 ? "header" : "query";
      return await scene.ask("edge", {
        path,
        as: KEYS.reader,
        by,
        skewMs: index * 1000,
        headers: { "x-amz-meta-n": String(index) },
      });
    });
    return await Promise.all(asked);
  });
  expect([new Set(result.map(({ status }) => status)), counts.total]).toEqual([new Set([200]), 0]);
});

const OF_OTHER_KINDS = /version 2|password|token|algorithm/;

it.each(["cold", "cached"])("forged signatures cost the origin nothing with auth edge: %s", async (state) => {
  const { path } = scene.object("private");
  if (state === "cached") await scene.ask("edge", { path, as: KEYS.reader });
  const forgers = S3_FORGERS.filter(({ name }) => !OF_OTHER_KINDS.test(name));
  const puts = await scene.kvPuts();
  const { result, counts } = await scene.counted(async () => {
    const asked = forgers.flatMap(({ name, asking }) =>
      ["GET", "HEAD", "DELETE"].map(async (method) => {
        const { status } = await scene.ask("edge", { path, method, ...asking(method) });
        return `${status} ${method} by ${name}`;
      }),
    );
    return await Promise.all(asked);
  });
  expect([result.filter((line) => !/^40[03] /.test(line)), counts.total]).toEqual([[], 0]);
  expect((await scene.kvPuts()) - puts).toBe(0);
});
