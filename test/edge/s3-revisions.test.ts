import { randomBytes } from "node:crypto";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dress } from "./s3-answers.ts";
import type { Answer } from "./s3-client.ts";
import { breakReads } from "./s3-origin-faults.ts";
import {
  KEYS,
  MODES,
  PUBLIC,
  startS3Scene,
  VERSIONED,
  type Mode,
  type S3Scene,
  type StoredFile,
} from "./s3-scene.ts";

const BLOCK_BYTES = 64 * 1024;
const SIZE = 12 * BLOCK_BYTES + 77;
const { reader, writer } = KEYS;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: { BLOCK_BYTES, HOT_BODY_BYTES: 32 * 1024, READ_AHEAD_BLOCKS: 2 } });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

const outline = ({ status, code, body, whole, caches }: Answer) =>
  `${status} ${code ?? ""} ${whole ? "whole" : "broken"} ${body.length} bytes ${JSON.stringify(caches)}`;

/** Exactly the one or the other, or visibly not all of it; never something of both. */
function isOneOf({ status, body, whole }: Answer, all: readonly Buffer[]): boolean {
  if (status !== 200 && status !== 206) return status === 0 || status >= 400;
  return all.some((bytes) => (whole ? body.equals(bytes) : bytes.subarray(0, body.length).equals(body)));
}

type Change = { readonly name: string; readonly bytes: (before: Buffer) => Buffer | undefined };

const CHANGES: readonly Change[] = [
  { name: "replaced by one of its size", bytes: ({ length }) => randomBytes(length) },
  { name: "shrunk", bytes: (before) => before.subarray(0, 5 * BLOCK_BYTES - 9) },
  { name: "shrunk to less than a block", bytes: (before) => before.subarray(0, 100) },
  { name: "emptied", bytes: () => Buffer.alloc(0) },
  { name: "grown", bytes: (before) => Buffer.concat([before, randomBytes(BLOCK_BYTES)]) },
  { name: "removed", bytes: () => undefined },
];

function change(file: StoredFile, { bytes }: Change): Buffer | undefined {
  const after = bytes(file.bytes);
  if (after === undefined) scene.store.remove(file.bucket, file.key);
  else scene.store.put(file.bucket, file.key, after);
  return after;
}

/** Everything is as the store has it now, in this isolate and the next. */
async function expectCurrent(mode: Mode, { path }: StoredFile, current: Buffer | undefined): Promise<void> {
  scene.store.intercept = undefined;
  await scene.settle();
  await scene.advance(31_000);
  for (let isolate = 0; isolate < 2; isolate++) {
    for (const as of [reader, writer]) {
      const { status, body } = await scene.ask(mode, { path, as });
      expect([status, current === undefined || body.equals(current)]).toEqual([
        current === undefined ? 404 : 200,
        true,
      ]);
      if (current === undefined || current.length < 20) continue;
      const range = { range: `bytes=${current.length - 20}-` };
      const part = await scene.ask(mode, { path, as, headers: range, unsigned: ["range"] });
      expect([part.status, part.body.equals(current.subarray(-20))]).toEqual([206, true]);
    }
    await scene.newIsolate();
  }
}

const newFile = () => scene.object(randomBytes(SIZE));
const CASES = MODES.flatMap((mode) => CHANGES.map((each) => ({ mode, what: each.name, each })));

describe.each(CASES)("auth $mode: an object that is $what", ({ mode, each }) => {
  it.each(mode === "edge" ? [1, 2, 3] : [2])(
    "before read %i of its blocks is never mixed with what it was",
    async (when) => {
      const file = newFile();
      const first = { range: `bytes=0-${BLOCK_BYTES}` };
      expect(
        (await scene.ask(mode, { path: file.path, as: reader, headers: first, unsigned: ["range"] })).status,
      ).toBe(206);
      await scene.settle();
      let reads = 0;
      let after: Buffer | undefined = file.bytes;
      scene.store.intercept = (request) => {
        if (request.method === "GET" && ++reads === when) after = change(file, each);
        return false;
      };
      const answers = await Promise.all(
        [reader, writer, reader].map(async (as) => await scene.ask(mode, { path: file.path, as })),
      );
      const all = [file.bytes, ...(after === undefined ? [] : [after])];
      for (const answer of answers)
        expect([outline(answer), isOneOf(answer, all)]).toEqual([outline(answer), true]);
      await expectCurrent(mode, file, reads < when ? file.bytes : after);
    },
  );

  it("between what is known of it and its body is given as it is now", async () => {
    const file = newFile();
    const head = await scene.ask(mode, { path: file.path, as: reader, method: "HEAD" });
    expect(head.headers["content-length"]).toBe(String(SIZE));
    const after = change(file, each);
    const answer = await scene.ask(mode, { path: file.path, as: reader });
    if (after === undefined) expect(answer.status).toBe(404);
    else expect([answer.status, answer.body.equals(after)]).toEqual([200, true]);
  });

  it("while it is read to its end is not mixed, however slow the reader", async () => {
    const file = newFile();
    let after: Buffer | undefined = file.bytes;
    let isChanged = false;
    const onPiece = async (): Promise<void> => {
      if (!isChanged) after = change(file, each);
      isChanged = true;
      await new Promise((resolve) => setTimeout(resolve, 1));
    };
    const answer = await scene.ask(mode, { path: file.path, as: reader }, { onPiece });
    expect([outline(answer), isOneOf(answer, [file.bytes])]).toEqual([outline(answer), true]);
    await expectCurrent(mode, file, after);
  });
});

it.each(MODES)(
  "auth %s: what changed past the edge is seen after 30 s at the latest, in a second once it is asked about",
  async (mode) => {
    const file = newFile();
    await scene.ask(mode, { path: file.path, as: reader });
    const after = randomBytes(1000);
    scene.store.put(file.bucket, file.key, after);
    await scene.advance(30_000);
    expect((await scene.ask(mode, { path: file.path, as: reader })).body.equals(after)).toBe(true);
    const again = randomBytes(1000);
    scene.store.put(file.bucket, file.key, again);
    // Another asker's question renews what everybody is given
    const asked = await scene.ask(mode, { path: file.path, as: writer });
    expect(asked.body.equals(again)).toBe(true);
    expect((await scene.ask(mode, { path: file.path, as: reader })).body.equals(again)).toBe(true);
  },
);

type Caching = {
  readonly headers: Record<string, string>;
  readonly freshS: number;
  readonly isStored: boolean;
};

const CACHINGS: readonly Caching[] = [
  { headers: { "cache-control": "no-store" }, freshS: 0, isStored: false },
  { headers: { "cache-control": "private" }, freshS: 0, isStored: false },
  { headers: { "cache-control": 'Private="x", max-age=60' }, freshS: 0, isStored: false },
  { headers: { "cache-control": "public, NO-STORE , max-age=9" }, freshS: 0, isStored: false },
  { headers: { "cache-control": "no-cache" }, freshS: 0, isStored: true },
  { headers: { "cache-control": "max-age=0" }, freshS: 0, isStored: true },
  { headers: { "cache-control": "max-age=60, max-age=50" }, freshS: 0, isStored: true },
  { headers: { "cache-control": "max-age=soon" }, freshS: 0, isStored: true },
  { headers: { "cache-control": "max-age=5" }, freshS: 5, isStored: true },
  { headers: { "cache-control": "max-age=1, s-maxage=7" }, freshS: 7, isStored: true },
  { headers: { "cache-control": "max-age=1000" }, freshS: 30, isStored: true },
  { headers: { vary: "*" }, freshS: 0, isStored: false },
  { headers: { vary: "Origin, *" }, freshS: 0, isStored: false },
];

describe.each(CACHINGS)("an object with $headers", ({ headers, freshS, isStored }) => {
  it.each([1000, SIZE])(
    "of %i bytes is believed as long as that, and kept only if that may be",
    async (size) => {
      const file = scene.object(randomBytes(size), { bucket: PUBLIC });
      scene.store.intercept = (_request, response) => {
        dress(response, (given) => ({ ...given, ...headers }));
        return false;
      };
      const get = async () => await scene.ask("edge", { path: file.path, as: reader });
      for (let again = 0; again < 3; again++) expect((await get()).body.equals(file.bytes)).toBe(true);
      const { result, counts } = await scene.counted(get);
      expect(result.headers).toMatchObject(headers);
      expect([result.body.equals(file.bytes), counts.total, counts.bytes]).toEqual([
        true,
        freshS > 0 ? 0 : 1,
        freshS > 0 ? 0 : isStored ? 1 : size,
      ]);
      const after = randomBytes(size);
      scene.store.put(file.bucket, file.key, after);
      if (freshS > 0) {
        await scene.advance(freshS * 1000 - 1500);
        expect((await get()).body.equals(file.bytes)).toBe(true);
        await scene.settle();
        await scene.advance(1500);
      }
      for (let again = 0; again < 2; again++) expect((await get()).body.equals(after)).toBe(true);
      await scene.newIsolate();
      expect((await get()).body.equals(after)).toBe(true);
      scene.store.intercept = (_request, response) => {
        response.socket?.destroy();
        return true;
      };
      const { status, body } = await get();
      if (freshS === 0 && !isStored)
        expect([status >= 500, body.includes(after.subarray(0, 20))]).toEqual([true, false]);
    },
  );
});

it.each(MODES)("auth %s: what the store says to one asker is told to no other", async (mode) => {
  const file = newFile();
  let count = 0;
  const told = [
    "set-cookie",
    "x-amz-request-charged",
    "authorization",
    "proxy-authenticate",
    "www-authenticate",
    "x-secret",
  ];
  scene.store.intercept = (_request, response) => {
    const own = Object.fromEntries(told.map((name) => [name, `only-for-asker-${++count}`]));
    const hop = { connection: "x-hop, keep-alive", "x-hop": "hop" };
    dress(response, (given) => ({ ...given, ...own, ...hop }));
    return false;
  };
  const seen: string[] = [];
  for (const as of [reader, reader, writer, reader]) {
    for (const method of ["GET", "HEAD"]) {
      const { status, headers } = await scene.ask(mode, { path: file.path, as, method });
      expect(status).toBe(200);
      expect(headers).not.toHaveProperty("set-cookie");
      expect(headers).not.toHaveProperty("x-hop");
      seen.push(...(JSON.stringify(headers).match(/only-for-asker-\d+/g) ?? []));
    }
  }
  expect(seen.length).toBe(new Set(seen).size);
});

it.each(MODES)(
  "auth %s: a version is kept apart from what is current, and a delete marker is told",
  async (mode) => {
    const key = scene.name("versions");
    const path = `/${VERSIONED}/${key}`;
    const versions = ["one", "two"].map((text) => scene.store.put(VERSIONED, key, text).versionId ?? "");
    const get = async (query = "") => await scene.ask(mode, { path, query, as: reader });
    for (let again = 0; again < 2; again++) {
      expect((await get()).body.toString()).toBe("two");
      for (const [index, id] of versions.entries()) {
        const { status, body, headers } = await get(`versionId=${id}`);
        expect([status, body.toString(), headers["x-amz-version-id"]]).toEqual([
          200,
          ["one", "two"][index],
          id,
        ]);
      }
    }
    expect(await get("versionId=NONE")).toMatchObject({ status: 404, code: "NoSuchVersion" });
    expect(await get("versionId=null")).toMatchObject({ status: 404 });
    expect(await get("versionId=%00")).toMatchObject({ status: 400 });
    scene.store.remove(VERSIONED, key);
    await scene.advance(31_000);
    const gone = await get();
    expect([gone.status, gone.code, gone.headers["x-amz-delete-marker"]]).toEqual([404, "NoSuchKey", "true"]);
    expect((await get(`versionId=${versions[0]}`)).body.toString()).toBe("one");
  },
);

it("a fault of one answer is not taken for a change: no version is lost", async () => {
  const file = newFile();
  breakReads(scene.store, file.path, {
    whole: file.bytes,
    isMeant: (_request, count) => count % 2 === 1,
    fault: (response, { status, headers, body }) => {
      response.writeHead(status, headers);
      response.write(body.subarray(0, body.length / 2), () => response.socket?.destroy());
    },
  });
  for (let again = 0; again < 6; again++) {
    const answer = await scene.ask("edge", { path: file.path, as: reader });
    expect(isOneOf(answer, [file.bytes])).toBe(true);
  }
  await expectCurrent("edge", file, file.bytes);
});
