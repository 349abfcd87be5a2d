import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Answer, Key } from "./s3-client.ts";
import { KEYS, MODES, PRIVATE, startS3Scene, type Mode, type S3Scene, type StoredFile } from "./s3-scene.ts";

const KIB = 1024;
const BLOCK_BYTES = 256 * KIB;
const READ_AHEAD_BLOCKS = 4;
const GIB = 1024 ** 3;
const reader: Key = KEYS.reader;
const writer: Key = KEYS.writer;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene({ vars: { BLOCK_BYTES, READ_AHEAD_BLOCKS, HOT_BODY_BYTES: 32 * KIB } });
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

/** An object that is computed as it is read; `bytes` only where it is small. */
function generated(size: number): StoredFile & { readonly size: number } {
  const key = scene.name("generated");
  const { etag } = scene.store.putGenerated(PRIVATE, key, size, key);
  const bytes =
    size <= 64 * KIB * KIB ? (scene.store.get(PRIVATE, key)?.bytes() ?? Buffer.alloc(0)) : Buffer.alloc(0);
  return { bucket: PRIVATE, key, path: `/${PRIVATE}/${key}`, bytes, etag, size };
}

type Range = readonly [start: number, end: number];

async function read(mode: Mode, { path }: StoredFile, [start, end]: Range, as = reader): Promise<Answer> {
  return await scene.ask(mode, {
    path,
    as,
    headers: { range: `bytes=${start}-${end - 1}` },
    unsigned: ["range"],
  });
}

/** The same bytes, from the store itself. */
async function direct({ key, bucket }: StoredFile, [start, end]: Range): Promise<Buffer> {
  const { url } = scene.store;
  scene.store.setVisibility(bucket, "public");
  const response = await fetch(`${url}/${bucket}/${key}`, {
    headers: { range: `bytes=${start}-${end - 1}` },
  });
  scene.store.setVisibility(bucket, "private");
  return Buffer.from(await response.arrayBuffer());
}

describe.each(MODES)("auth %s", (mode) => {
  it("1 KiB of 8 GiB costs one block, and none again", async () => {
    const file = generated(8 * GIB);
    const range = [5 * GIB + 12_345, 5 * GIB + 12_345 + KIB] as const;
    const cold = await scene.counted(async () => await read(mode, file, range));
    expect([cold.result.status, cold.result.headers["content-range"]]).toEqual([
      206,
      `bytes ${range[0]}-${range[1] - 1}/${8 * GIB}`,
    ]);
    expect([cold.counts.total, cold.counts.bytes]).toEqual([1, BLOCK_BYTES]);
    const near = [range[0] + 20 * KIB, range[1] + 40 * KIB] as const;
    for (const by of [reader, writer]) {
      const warm = await scene.counted(async () => await read(mode, file, near, by));
      expect(warm.result.status).toBe(206);
      expect(warm.counts.bytes).toBeLessThanOrEqual(1); // the writer's question is one byte
    }
    expect(cold.result.body.equals(await direct(file, range))).toBe(true);
  });

  it("a range over the border of two blocks costs two, a suffix one", async () => {
    const file = generated(2 * GIB);
    const border = 1000 * BLOCK_BYTES;
    const { result, counts } = await scene.counted(
      async () => await read(mode, file, [border - 10, border + 10]),
    );
    expect([result.body.length, counts.bytes]).toEqual([20, 2 * BLOCK_BYTES]);
    const tail = await scene.counted(
      async () =>
        await scene.ask(mode, {
          path: file.path,
          as: reader,
          headers: { range: "bytes=-10" },
          unsigned: ["range"],
        }),
    );
    expect([tail.result.status, tail.result.body.length, tail.counts.bytes <= BLOCK_BYTES + 1]).toEqual([
      206,
      10,
      true,
    ]);
    const head = await scene.counted(
      async () => await scene.ask(mode, { path: file.path, as: reader, method: "HEAD" }),
    );
    expect([head.result.headers["content-length"], head.counts.bytes <= 1]).toEqual([String(2 * GIB), true]);
  });

  it("two clients share blocks, though neither began where the other did", async () => {
    const file = generated(16 * BLOCK_BYTES);
    const { result, counts } = await scene.counted(
      async () =>
        await Promise.all([
          read(mode, file, [100, 6 * BLOCK_BYTES]),
          read(mode, file, [2 * BLOCK_BYTES + 5, 9 * BLOCK_BYTES], writer),
        ]),
    );
    expect(
      result.map(
        ({ body }) =>
          body.equals(file.bytes.subarray(100, 6 * BLOCK_BYTES)) ||
          body.equals(file.bytes.subarray(2 * BLOCK_BYTES + 5, 9 * BLOCK_BYTES)),
      ),
    ).toEqual([true, true]);
    // What both asked for at the same moment may come twice, where neither could know of the other
    expect(counts.bytes).toBeLessThanOrEqual((9 + 4) * BLOCK_BYTES + 2);
    const again = await scene.counted(async () => await read(mode, file, [0, 9 * BLOCK_BYTES]));
    expect([
      again.result.body.equals(file.bytes.subarray(0, 9 * BLOCK_BYTES)),
      again.counts.bytes <= 1,
    ]).toEqual([true, true]);
  });

  it("N cold reads of a big object by one key are one request to the origin", async () => {
    const file = generated(20 * BLOCK_BYTES + 7);
    scene.store.authMs = 20;
    const skewMs = -5000;
    const { result, counts } = await scene.counted(
      async () =>
        await Promise.all(
          Array.from(
            { length: 12 },
            async () => await scene.ask(mode, { path: file.path, as: reader, by: "query", skewMs }),
          ),
        ),
    );
    expect(result.every(({ status, body }) => status === 200 && body.equals(file.bytes))).toBe(true);
    expect([counts.total, counts.bytes]).toEqual([1, file.size]);
  });
});

it("a sequential reader finds what comes next already there, and no more than it will read", async () => {
  const file = generated(40 * BLOCK_BYTES);
  const step = 100 * KIB;
  const { counts } = await scene.counted(async () => {
    for (let start = 0; start < 10 * BLOCK_BYTES; start += step) {
      const { body } = await read("edge", file, [start, start + step]);
      expect(body.equals(file.bytes.subarray(start, start + step))).toBe(true);
    }
  });
  expect(counts.bytes).toBeLessThanOrEqual((11 + 2 * READ_AHEAD_BLOCKS) * BLOCK_BYTES);
  expect(counts.total).toBeLessThanOrEqual(9);
});

it("random small ranges cost a block each at most, and nothing once they are there", async () => {
  const file = generated(GIB);
  const starts = Array.from({ length: 30 }, (_, index) => ((index * 7919 + 13) % 4000) * BLOCK_BYTES + 1000);
  const cold = await scene.counted(async () => {
    for (const start of starts)
      expect((await read("edge", file, [start, start + 64 * KIB])).status).toBe(206);
  });
  expect(cold.counts.bytes).toBeLessThanOrEqual(starts.length * BLOCK_BYTES);
  const warm = await scene.counted(
    async () =>
      await Promise.all(starts.map(async (start) => await read("edge", file, [start, start + 64 * KIB]))),
  );
  expect([warm.counts.total, warm.counts.bytes]).toEqual([0, 0]);
});

describe.each([
  { cache: "failing" },
  { cache: "read-only" },
  { kv: "failing" },
  { cache: "failing", kv: "failing" },
  { cache: "read-only", kv: "read-only" },
] as const)("with %o", (world) => {
  it("bytes are exact, whole and in parts, one and many at a time", async () => {
    const file = generated(9 * BLOCK_BYTES + 99);
    const small = scene.object("a small one ".repeat(100));
    await scene.world(world);
    for (let again = 0; again < 2; again++) {
      const answers = await Promise.all([
        ...[reader, writer, reader].map(async (as) => await scene.ask("edge", { path: file.path, as })),
        read("edge", file, [BLOCK_BYTES - 5, 5 * BLOCK_BYTES + 5]),
        read("edge", file, [8 * BLOCK_BYTES, file.size], writer),
      ]);
      const wanted = [
        file.bytes,
        file.bytes,
        file.bytes,
        file.bytes.subarray(BLOCK_BYTES - 5, 5 * BLOCK_BYTES + 5),
        file.bytes.subarray(8 * BLOCK_BYTES),
      ];
      expect(answers.map(({ body }, index) => body.equals(wanted[index] ?? Buffer.alloc(0)))).toEqual(
        Array(5).fill(true),
      );
      expect((await scene.ask("edge", { path: small.path, as: reader })).body.equals(small.bytes)).toBe(true);
    }
    await scene.newIsolate();
    expect((await scene.ask("edge", { path: file.path, as: reader })).body.equals(file.bytes)).toBe(true);
    expect((await scene.ask("edge", { path: file.path })).status).toBe(403);
  });
});

describe("a client that goes away", () => {
  it.each(MODES)("takes nobody with it, and leaves nothing half: auth %s", async (mode) => {
    const file = generated(30 * BLOCK_BYTES + 3);
    const gone = new AbortController();
    const onPiece = (bytes: number): void => {
      if (bytes > BLOCK_BYTES) gone.abort();
    };
    const skewMs = -5000;
    const asking = { path: file.path, as: reader, by: "query", skewMs } as const;
    const [left, stayed] = await Promise.all([
      scene.ask(mode, asking, { onPiece, signal: gone.signal }),
      scene.ask(mode, asking),
      scene.ask(mode, { path: file.path, as: writer }),
    ]);
    expect([left.whole, stayed.body.equals(file.bytes)]).toEqual([false, true]);
    for (let isolate = 0; isolate < 2; isolate++) {
      expect((await scene.ask(mode, { path: file.path, as: writer })).body.equals(file.bytes)).toBe(true);
      await scene.newIsolate();
    }
  });

  it("does not have gigabytes fetched for it", async () => {
    const file = generated(4 * GIB);
    const gone = new AbortController();
    const { counts } = await scene.counted(async () => {
      await scene.ask(
        "edge",
        { path: file.path, as: reader },
        { signal: gone.signal, onPiece: (bytes) => (bytes > KIB * KIB ? gone.abort() : undefined) },
      );
      await sleep(300);
    });
    expect(counts.bytes).toBeLessThan(64 * KIB * KIB);
  });

  it("or that reads slowly holds nobody else up", async () => {
    const file = generated(60 * BLOCK_BYTES);
    const over = Promise.withResolvers<void>();
    const slow = scene.ask(
      "edge",
      { path: file.path, as: reader },
      {
        onPiece: async (bytes) => {
          if (bytes > BLOCK_BYTES) await over.promise;
        },
      },
    );
    await sleep(50);
    const fast = await Promise.all(
      [reader, writer].map(async (as) => await scene.ask("edge", { path: file.path, as })),
    );
    expect(fast.map(({ body }) => body.equals(file.bytes))).toEqual([true, true]);
    over.resolve();
    expect((await slow).body.equals(file.bytes)).toBe(true);
  });
});

it("an object past the limit is streamed as it is, and not kept", async () => {
  const limited = await startS3Scene({ vars: { BLOCK_BYTES, OBJECT_BYTES: 1_000_000 } });
  try {
    const bytes = Buffer.alloc(1_000_001, "past the limit ");
    const { path } = limited.object(bytes);
    for (let again = 0; again < 2; again++) {
      const { result, counts } = await limited.counted(
        async () => await limited.ask("edge", { path, as: reader }),
      );
      const hash = createHash("md5").update(result.body).digest("hex");
      expect([result.status, result.headers.etag, counts.get]).toEqual([
        200,
        `"${hash}"`,
        again === 0 ? 2 : 1,
      ]);
      const part = await limited.ask("edge", {
        path,
        as: reader,
        headers: { range: "bytes=999999-" },
        unsigned: ["range"],
      });
      expect([part.status, part.body.toString(), part.headers["content-range"]]).toEqual([
        206,
        bytes.subarray(999_999).toString(),
        "bytes 999999-1000000/1000001",
      ]);
      expect((await limited.ask("edge", { path })).status).toBe(403);
    }
  } finally {
    await limited.close();
  }
});
