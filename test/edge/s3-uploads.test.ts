import { createHash, randomBytes } from "node:crypto";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { chunkedHeaders, chunkedPayload, withChunks, type Chunking } from "./s3-chunks.ts";
import { objectPath, sha256, type Answer, type Asking } from "./s3-client.ts";
import { KEYS, MODES, PRIVATE, startS3Scene, type Mode, type S3Scene } from "./s3-scene.ts";

const { reader, writer } = KEYS;
const PATIENCE_MS = 3000;

let scene: S3Scene;
beforeAll(async () => {
  scene = await startS3Scene();
});
beforeEach(async () => await scene.fresh());
afterAll(async () => await scene.close());

const bytes = randomBytes(300_001);
const crc = Buffer.alloc(4);
crc.writeUInt32BE(crc32(bytes));
const TRAILER = ["x-amz-checksum-crc32", crc.toString("base64")] as const;

const CHUNKINGS: readonly (Chunking & { readonly name: string })[] = [
  { name: "signed chunks", chunkBytes: 65_536, isSigned: true },
  { name: "signed chunks and trailer", chunkBytes: 65_536, isSigned: true, trailer: TRAILER },
  { name: "one signed chunk", chunkBytes: 1_000_000, isSigned: true },
  { name: "chunks not signed, and a trailer", chunkBytes: 65_536, isSigned: false, trailer: TRAILER },
  { name: "small signed chunks", chunkBytes: 8192, isSigned: true, trailer: TRAILER },
];

const METADATA = {
  "content-type": "image/x-odd",
  "cache-control": "max-age=60",
  "content-disposition": 'attachment; filename="a b.bin"',
  "content-language": "de",
  "x-amz-meta-mode": "33188",
  "x-amz-storage-class": "STANDARD_IA",
} as const;

async function upload(mode: Mode, path: string, asking: Partial<Asking>): Promise<Answer> {
  // One that hangs is told as status 0
  return await scene.ask(
    mode,
    { method: "PUT", path, as: writer, ...asking },
    { signal: AbortSignal.timeout(PATIENCE_MS) },
  );
}

async function uploadChunked(
  mode: Mode,
  path: string,
  chunking: Chunking,
  more: Partial<Asking> = {},
): Promise<Answer> {
  const headers = { ...METADATA, ...chunkedHeaders(bytes, chunking), ...more.headers };
  const change = withChunks(writer, bytes, chunking);
  return await upload(mode, path, { payload: chunkedPayload(chunking), change, ...more, headers });
}

function newPath(): { readonly path: string; readonly key: string } {
  const key = scene.name("upload");
  return { key, path: objectPath(PRIVATE, key) };
}

async function expectKept(
  mode: Mode,
  { path, key }: { path: string; key: string },
  content = bytes,
): Promise<void> {
  const kept = scene.store.get(PRIVATE, key);
  expect(kept?.bytes().equals(content)).toBe(true);
  expect(kept?.headers).toEqual(METADATA);
  for (let again = 0; again < 2; again++) {
    const { status, body, headers } = await scene.ask(mode, { path, as: reader });
    expect([status, body.equals(content)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      ...METADATA,
      etag: `"${createHash("md5").update(content).digest("hex")}"`,
    });
    expect(headers).not.toHaveProperty("content-encoding");
  }
}

describe.each(MODES)("auth %s: an upload", (mode) => {
  it.each(CHUNKINGS)("in $name is kept byte for byte, and what was said of it", async (chunking) => {
    const where = newPath();
    expect((await scene.ask(mode, { path: where.path, as: reader })).status).toBe(404);
    const { status, code } = await uploadChunked(mode, where.path, chunking);
    expect([status, code]).toEqual([200, undefined]);
    await expectKept(mode, where);
  });

  it.each([
    { name: "with its hash signed", asking: {} },
    { name: "with its payload unsigned", asking: { payload: "UNSIGNED-PAYLOAD" } },
    {
      name: "presigned",
      asking: {
        by: "query",
        unsigned: ["content-type", "cache-control", "content-disposition", "content-language"],
      },
    },
    {
      name: "with content-md5",
      asking: { headers: { ...METADATA, "content-md5": createHash("md5").update(bytes).digest("base64") } },
    },
  ] as const)("$name is kept byte for byte, and what was said of it", async ({ asking }) => {
    const where = newPath();
    const { status, code } = await upload(mode, where.path, { headers: METADATA, body: bytes, ...asking });
    expect([status, code]).toEqual([200, undefined]);
    await expectKept(mode, where);
  });

  it("of nothing is kept", async () => {
    const where = newPath();
    expect((await upload(mode, where.path, { headers: METADATA, body: "" })).status).toBe(200);
    await expectKept(mode, where, Buffer.alloc(0));
  });

  it("that says how long it is only by chunks of the transfer is judged by the store", async () => {
    const { path, key } = newPath();
    const change: Asking["change"] = (sent) => ({
      ...sent,
      body: bytes,
      headers: { ...sent.headers, "transfer-encoding": "chunked" },
    });
    const { status, code } = await upload(mode, path, { payload: sha256(bytes), change });
    expect([status, code]).toEqual([411, "MissingContentLength"]);
    expect(scene.store.get(PRIVATE, key)).toBeUndefined();
  });

  type Damage = { readonly name: string; readonly chunking: Chunking };
  const flip = (at: number) => (part: Buffer) => {
    const copy = Buffer.from(part);
    copy[at] = (copy[at] ?? 0) ^ 1;
    return copy;
  };
  const flipHex = (_match: string, before: string, digit: string) => `${before}${digit === "0" ? "1" : "0"}`;
  const signed = { chunkBytes: 65_536, isSigned: true };
  const only = (wanted: number, change: (part: Buffer) => Buffer) => (part: Buffer, index: number) =>
    index === wanted ? change(part) : part;
  const DAMAGES: readonly Damage[] = [
    { name: "a bit of the first chunk changed", chunking: { ...signed, damage: only(0, flip(500)) } },
    { name: "a bit of the third chunk changed", chunking: { ...signed, damage: only(2, flip(500)) } },
    { name: "a bit of the last bytes changed", chunking: { ...signed, damage: only(4, flip(2000)) } },
    {
      name: "a chunk's signature changed",
      chunking: {
        ...signed,
        damage: only(1, (part) =>
          Buffer.from(part.toString("latin1").replace(/(signature=)(.)/, flipHex), "latin1"),
        ),
      },
    },
    {
      name: "a chunk's signature gone",
      chunking: {
        ...signed,
        damage: only(1, (part) =>
          Buffer.from(part.toString("latin1").replace(/;chunk-signature=\w{64}/, ""), "latin1"),
        ),
      },
    },
    { name: "a chunk left out", chunking: { ...signed, damage: only(1, () => Buffer.alloc(0)) } },
    {
      name: "a chunk twice",
      chunking: { ...signed, damage: only(1, (part) => Buffer.concat([part, part])) },
    },
    { name: "the last chunk left out", chunking: { ...signed, damage: only(5, () => Buffer.alloc(0)) } },
    {
      name: "the last chunk's signature changed",
      chunking: {
        ...signed,
        damage: only(5, (part) => Buffer.from(part.toString().replace(/(signature=)(.)/, flipHex))),
      },
    },
    { name: "no chunks at all", chunking: { ...signed, damage: () => Buffer.from("nonsense") } },
    {
      name: "a size that is none",
      chunking: { ...signed, damage: only(0, (part) => Buffer.concat([Buffer.from("zz"), part])) },
    },
    {
      name: "a trailer changed",
      chunking: {
        ...signed,
        trailer: TRAILER,
        damage: only(6, (part) => Buffer.from(part.toString().replace(/(:)(.)/, flipHex))),
      },
    },
    {
      name: "a trailer's signature changed",
      chunking: {
        ...signed,
        trailer: TRAILER,
        damage: only(6, (part) => Buffer.from(part.toString().replace(/(signature:)(.)/, flipHex))),
      },
    },
  ];

  it.each(DAMAGES)("with $name stores nothing, and readers keep what was there", async ({ chunking }) => {
    const where = newPath();
    scene.store.put(PRIVATE, where.key, "before");
    expect((await scene.ask(mode, { path: where.path, as: reader })).body.toString()).toBe("before");
    const { status, code, headers } = await uploadChunked(mode, where.path, chunking);
    expect([400, 403]).toContain(status);
    expect(code).toMatch(
      /^(?:SignatureDoesNotMatch|IncompleteBody|InvalidChunkSizeError|MalformedTrailerError|BadDigest)$/,
    );
    expect(headers["content-type"]).toContain("xml");
    expect(scene.store.get(PRIVATE, where.key)?.bytes().toString()).toBe("before");
    expect((await scene.ask(mode, { path: where.path, as: reader })).body.toString()).toBe("before");
  });

  it("with a chunk signed by somebody else answers 403 SignatureDoesNotMatch", async () => {
    const where = newPath();
    const change = withChunks({ ...writer, secret: "another" }, bytes, signed);
    const { status, code } = await uploadChunked(mode, where.path, signed, { change });
    expect([status, code]).toEqual([403, "SignatureDoesNotMatch"]);
    expect(scene.store.get(PRIVATE, where.key)).toBeUndefined();
  });

  it.each([
    { name: "in the header", asking: { payload: sha256("something else") } },
    {
      name: "in a presigned URL's signed header",
      asking: {
        by: "query",
        headers: { "x-amz-content-sha256": sha256("something else") },
        payload: sha256("something else"),
      },
    },
    {
      name: "in a presigned URL's query",
      asking: {
        by: "query",
        query: `X-Amz-Content-Sha256=${sha256("something else")}`,
        payload: sha256("something else"),
      },
    },
  ] as const)("of other bytes than were signed $name is refused", async ({ asking }) => {
    const where = newPath();
    const { status, code } = await upload(mode, where.path, { body: bytes, ...asking });
    expect([status, code]).toEqual([400, "XAmzContentSHA256Mismatch"]);
    expect(scene.store.get(PRIVATE, where.key)).toBeUndefined();
  });

  it("that breaks off stores nothing", async () => {
    const where = newPath();
    scene.store.put(PRIVATE, where.key, "before");
    const gone = new AbortController();
    const change: Asking["change"] = (sent) => ({
      ...sent,
      body: bytes.subarray(0, 100_000),
      headers: { ...sent.headers, "content-length": String(bytes.length) },
    });
    const sent = scene.ask(
      mode,
      { method: "PUT", path: where.path, as: writer, payload: sha256(bytes), change },
      { signal: gone.signal },
    );
    setTimeout(() => gone.abort(), 100);
    expect((await sent).status).toBe(0);
    await scene.settle();
    expect((await scene.ask(mode, { path: where.path, as: reader })).body.toString()).toBe("before");
  });
});
