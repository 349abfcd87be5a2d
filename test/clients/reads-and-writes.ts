import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { StoreAuth } from "../../src/core/site.ts";
import { describeWith } from "../servers/presence.ts";
import type { Call, Client, ClientKind, Reply } from "./client.ts";
import { ALICE, BOB, BUCKET, type Cost, type Place } from "./place.ts";

const MIB = 1024 * 1024;

export type Setting = {
  readonly place: () => Place;
  readonly auth: StoreAuth;
  /** Whether the store keeps any key apart from any other, as one over a file system does not. */
  readonly keepsAnyKey: boolean;
  /** Whether it keeps the checksums that clients send, before a body or after it. */
  readonly knowsChecksums: boolean;
  /** Whether it reads what is sent to it also where it refuses that, and does not close the connection. */
  readonly readsRefused: boolean;
};

/** A test of what only some clients or stores can do; for others there is none. */
function testWhere(applies: boolean): (title: string, run: () => Promise<void>, timeout?: number) => void {
  return applies ? test : () => undefined;
}

/** What every client does with every store through the edge, as it would with the store itself. */
export function readsAndWrites(kind: ClientKind, { place, auth, ...store }: Setting): void {
  describeWith(kind.name, kind.lacks)(`${kind.name}, auth ${auth}`, () => {
    let client: Client;
    beforeAll(async () => {
      client = await kind.start(place().host(auth));
    });
    afterAll(() => client.close());

    const prefix = `${kind.name.replaceAll(/\W+/g, "-")}/${auth}`;
    let names = 0;
    const newKey = () => `${prefix}/${++names}`;
    type Doing = Partial<Call> & Pick<Call, "operation" | "key">;
    const call = async (doing: Doing) => await client.call({ as: ALICE, bucket: BUCKET, ...doing });
    const put = async (bytes: Buffer, more: Partial<Call> = {}) => {
      const key = more.key ?? newKey();
      const reply = await call({ operation: "put", key, body: bytes, ...more });
      expect(reply).toMatchObject({ status: 200, code: undefined });
      return key;
    };
    const get = async (key: string, more: Partial<Call> = {}) =>
      await call({ operation: "get", key, ...more });
    /** What a question costs that only the edge's own keys spare: a signature is new with each second. */
    const questions = auth === "edge" ? 0 : 1;
    const reachesCache = (more: Partial<Call>) =>
      auth === "edge" ||
      !kind.signsConditions ||
      (more.range ?? more.ifMatch ?? more.ifNoneMatch) === undefined;
    const isServedHere = async (ask: () => Promise<Reply>) => {
      let reply: Reply | undefined;
      const cost = await place().costOf(async () => void (reply = await ask()));
      expect(cachesOf(reply)["body"]).toMatch(/hit/);
      expectCost(cost, questions);
      return reply;
    };

    test("finds what it has put, with all that was said of it", async () => {
      const bytes = randomBytes(100_000);
      const said = { contentType: "text/x-sample", metadata: { colour: "dark  green" } };
      const key = await put(bytes, said);
      const headers = { "content-type": "text/x-sample", "x-amz-meta-colour": "dark  green" };
      const head = await call({ operation: "head", key });
      expect(head).toMatchObject({ status: 200, headers: { ...headers, "content-length": "100000" } });
      for (let times = 0; times < 2; times += 1) {
        const whole = await get(key);
        expect(whole).toMatchObject({ status: 200, code: undefined, headers });
        expect(whole.headers.etag).toBe(head.headers.etag);
        expect(whole.headers["last-modified"]).toBe(head.headers["last-modified"]);
        expect(whole.body.equals(bytes)).toBe(true);
      }
      expect((await call({ operation: "list", key: prefix })).keys).toContain(key);
    });

    test("is given from the edge what it has got before", async () => {
      const bytes = randomBytes(3 * MIB);
      const key = await put(bytes);
      const first = await get(key);
      expect(cachesOf(first)["body"]).toMatch(/fwd=miss/);
      const second = await isServedHere(() => get(key));
      expect(cachesOf(second)["body"]).toMatch(/hit/);
      expect(second?.body.equals(bytes)).toBe(true);
    });

    const ranges = [
      ["bytes=0-0", 0, 1],
      ["bytes=10-1999", 10, 2000],
      ["bytes=2097100-2097200", 2_097_100, 2_097_201],
      ["bytes=2900000-", 2_900_000, 3 * MIB],
      ["bytes=-7", 3 * MIB - 7, 3 * MIB],
    ] as const;
    test("gets ranges, and once they are there, from the edge", async () => {
      const bytes = randomBytes(3 * MIB);
      const key = await put(bytes);
      for (const [range, start, end] of ranges) {
        const expected = bytes.subarray(start, end);
        const headers = { "content-range": `bytes ${start}-${end - 1}/${bytes.length}` };
        const reply = await get(key, { range });
        expect(reply).toMatchObject({ status: 206, headers });
        expect(reply.headers).not.toHaveProperty("x-amz-checksum-crc32");
        expect(reply.body.equals(expected)).toBe(true);
        if (!reachesCache({ range })) continue;
        const again = await isServedHere(() => get(key, { range }));
        expect(again?.body.equals(expected)).toBe(true);
      }
      expect(await get(key, { range: `bytes=${bytes.length}-` })).toMatchObject({
        status: 416,
        code: "InvalidRange",
      });
    });

    test("uploads 20 MB, and downloads them whole and in parts", async () => {
      const bytes = randomBytes(20_000_000);
      const key = newKey();
      expect(await call({ operation: "upload", key, body: bytes })).toMatchObject({ status: 200 });
      for (let times = 0; times < 2; times += 1) {
        const down = await call({ operation: "download", key });
        expect(down.status).toBe(200);
        expect(down.body.equals(bytes)).toBe(true);
      }
      const seam = await get(key, { range: "bytes=8388600-8388700" });
      expect(seam.body.equals(bytes.subarray(8_388_600, 8_388_701))).toBe(true);
      expect((await get(key)).body.equals(bytes)).toBe(true);
    });

    testWhere(kind.checksums && store.knowsChecksums)("is told what to check the whole by", async () => {
      const key = await put(randomBytes(3 * MIB));
      const told = { "x-amz-checksum-crc32": expect.stringMatching(/^[A-Za-z0-9+/]{6}==$/) as string };
      for (let times = 0; times < 2; times += 1) expect((await get(key)).headers).toMatchObject(told);
      const part = await get(key, { range: "bytes=0-99" });
      expect(part.headers).not.toHaveProperty("x-amz-checksum-crc32");
      expect((await get(key)).headers).toMatchObject(told);
    });

    testWhere(kind.streams && store.knowsChecksums)("puts a stream", async () => {
      for (const size of [100_000, 20_000_000]) {
        const bytes = randomBytes(size);
        const key = await put(bytes, { isStreamed: true });
        for (let times = 0; times < 2; times += 1) expect((await get(key)).body.equals(bytes)).toBe(true);
      }
    });

    test("gets the new bytes at once when it has overwritten, copied or deleted an object", async () => {
      const [one, other] = [randomBytes(1000), randomBytes(2000)];
      const [key, from] = [await put(one), await put(other, { key: `${newKey()} from +é` })];
      expect((await get(key)).body.equals(one)).toBe(true);
      expect((await get(from)).body.equals(other)).toBe(true);
      await put(other, { key });
      expect((await get(key)).body.equals(other)).toBe(true);
      await put(one, { key: from });
      expect(await call({ operation: "copy", key, source: from })).toMatchObject({ status: 200 });
      expect((await get(key)).body.equals(one)).toBe(true);
      expect(await call({ operation: "delete", key })).toMatchObject({ status: 204 });
      expect(await get(key)).toMatchObject({ status: 404, code: "NoSuchKey" });
      expect(await call({ operation: "head", key })).toMatchObject({ status: 404 });
      await put(other, { key });
      expect((await get(key)).body.equals(other)).toBe(true);
    });

    test("asks on conditions", async () => {
      const key = await put(randomBytes(1000));
      const etag = String((await get(key)).headers.etag);
      expect(etag).toMatch(/^"[0-9a-f]{32}"$/);
      expect(await get(key, { ifNoneMatch: etag })).toMatchObject({ status: 304 });
      expect(await get(key, { ifNoneMatch: '"other"' })).toMatchObject({ status: 200 });
      expect(await get(key, { ifMatch: etag })).toMatchObject({ status: 200 });
      const unmet = await get(key, { ifMatch: '"0123456789abcdef0123456789abcdef"' });
      expect(unmet).toMatchObject({ status: 412, code: "PreconditionFailed" });
    });

    test("is given what is stored, compressed or not", async () => {
      const bytes = gzipSync(randomBytes(50_000).toString("hex"));
      const key = await put(bytes, { contentEncoding: "gzip", contentType: "text/plain" });
      for (let times = 0; times < 2; times += 1) {
        const reply = await get(key);
        const headers = { "content-encoding": "gzip", "content-length": String(bytes.length) };
        expect(reply).toMatchObject({ status: 200, headers });
        expect(reply.body.equals(bytes)).toBe(true);
        expect((await get(key, { range: "bytes=100-199" })).body.equals(bytes.subarray(100, 200))).toBe(true);
      }
    });

    test("lists many objects and deletes them at once", async () => {
      const beginning = `${newKey()}/many`;
      const keys = Array.from({ length: 25 }, (_, index) => `${beginning} ${index + 10}+é`);
      await Promise.all(keys.map(async (key) => await put(randomBytes(9), { key })));
      await Promise.all(keys.map(async (key) => await get(key)));
      expect((await call({ operation: "list", key: beginning })).keys).toEqual(keys);
      expect(await call({ operation: "delete all", key: beginning })).toMatchObject({ status: 200 });
      const left = await Promise.all(keys.map(async (key) => (await get(key)).status));
      expect(new Set(left)).toEqual(new Set([404]));
      expect((await call({ operation: "list", key: beginning })).keys).toEqual([]);
    });

    test("keeps an empty object", async () => {
      const key = await put(Buffer.alloc(0));
      for (let times = 0; times < 2; times += 1) {
        const reply = await get(key);
        expect(reply).toMatchObject({ status: 200, headers: { "content-length": "0" } });
        expect(reply.body).toHaveLength(0);
      }
    });

    test("is refused where it may not read, though others have just read", async () => {
      const key = await put(randomBytes(1000));
      await get(key);
      await get(key);
      const forger = { ...ALICE, secretKey: "another-secret-key" };
      const stranger = { ...ALICE, accessKey: "NOBODYACCESSKEY" };
      expect(await get(key, { as: forger })).toMatchObject({ status: 403, code: "SignatureDoesNotMatch" });
      expect(await get(key, { as: stranger })).toMatchObject({ status: 403, code: "InvalidAccessKeyId" });
      expect(await get(key, { as: BOB })).toMatchObject({ status: 403, code: "AccessDenied" });
      expect(await call({ operation: "head", key, as: BOB })).toMatchObject({ status: 403 });
      const write = { operation: "put", key, body: randomBytes(10) } as const;
      expect(await call({ ...write, as: BOB })).toMatchObject({ status: 403, code: "AccessDenied" });
      expect(await get(key)).toMatchObject({ status: 200, headers: { "content-length": "1000" } });
    });

    testWhere(kind.hearsRefusals && store.readsRefused)("is refused with 20 MB in its hands", async () => {
      const key = await put(randomBytes(1000));
      const write = { operation: "put", key, body: randomBytes(20_000_000) } as const;
      const cut = 0; // The connection may be closed under what is still sent; nobody may be told of another fault
      for (const as of [BOB, BOB, BOB, { ...ALICE, secretKey: "another-secret-key" }]) {
        const status = await call({ ...write, as }).then(
          (reply) => reply.status,
          () => cut,
        );
        expect([403, cut]).toContain(status);
      }
      expect(await get(key)).toMatchObject({ status: 200, headers: { "content-length": "1000" } });
    });

    test("finds the bucket in the name of the host", async () => {
      const bytes = randomBytes(5000);
      const virtual = { style: "virtual" } as const;
      const key = await put(bytes, virtual);
      for (const style of ["virtual", "path", "virtual"] as const) {
        const reply = await get(key, { style });
        expect(reply.status).toBe(200);
        expect(reply.body.equals(bytes)).toBe(true);
      }
      expect((await call({ operation: "list", key, ...virtual })).keys).toEqual([key]);
      const newer = randomBytes(5000);
      await put(newer, { key, ...virtual });
      expect((await get(key)).body.equals(newer)).toBe(true);
      expect(await call({ operation: "delete", key, ...virtual })).toMatchObject({ status: 204 });
      expect(await get(key)).toMatchObject({ status: 404 });
    });

    testWhere(store.keepsAnyKey)("keeps objects of odd names apart", async () => {
      const objects = ODD_NAMES.map((name) => ({ key: name, bytes: randomBytes(50) }));
      await Promise.all(
        objects.map(async ({ key, bytes: body }) => {
          expect([key, (await call({ operation: "put", key, body })).status]).toEqual([key, 200]);
        }),
      );
      for (let times = 0; times < 2; times += 1) {
        await Promise.all(
          objects.map(async ({ key, bytes }) => {
            const reply = await get(key);
            expect([key, reply.status, reply.body.equals(bytes)]).toEqual([key, 200, true]);
          }),
        );
      }
      const { keys } = await call({ operation: "list", key: "" });
      expect(keys).toEqual(expect.arrayContaining([...ODD_NAMES]));
      const [gone = "", ...kept] = ODD_NAMES.toReversed();
      expect(await call({ operation: "delete", key: gone })).toMatchObject({ status: 204 });
      expect(await get(gone)).toMatchObject({ status: 404 });
      for (const key of kept.slice(0, 3)) expect(await get(key)).toMatchObject({ status: 200 });
    });

    testWhere(kind.presigns)("reads and writes by a presigned URL", async () => {
      if (client.presign === undefined) throw new TypeError(`${kind.name} does not presign`);
      const bytes = randomBytes(3000);
      const object = { as: ALICE, bucket: BUCKET, key: `${newKey()}/sp ace+ü` };
      for (const style of ["path", "virtual"] as const) {
        const signed = { ...object, style, seconds: 60 };
        const toWrite = await client.presign({ ...signed, method: "PUT" });
        expect(await place().askUrl(toWrite, { method: "PUT", body: bytes })).toMatchObject({ status: 200 });
        const toRead = await client.presign({ ...signed, method: "GET" });
        const first = await place().askUrl(toRead);
        expect(first.status).toBe(200);
        expect(first.body.equals(bytes)).toBe(true);
        const range = { headers: { range: "bytes=10-19" } };
        const cost = await place().costOf(async () => {
          expect((await place().askUrl(toRead)).body.equals(bytes)).toBe(true);
          const part = await place().askUrl(toRead, range);
          expect(part.status).toBe(206);
          expect(part.body.equals(bytes.subarray(10, 20))).toBe(true);
        });
        expectCost(cost, 0);
        expect(await place().askUrl(toRead, { method: "PUT", body: bytes })).toMatchObject({ status: 403 });
        const forged = toRead.replace(/Signature=[0-9a-f]{4}/, "Signature=beef");
        expect(await place().askUrl(forged)).toMatchObject({ status: 403, code: "SignatureDoesNotMatch" });
        expect(await place().askUrl(toRead.replace("%2Bü", "other"))).toMatchObject({ status: 200 });
      }
    });
  });
}

/** Names that something on the way may take for others. */
const ODD_NAMES = [
  "sp ace",
  "pl+us",
  "sp%20ace",
  "a/b",
  "a//b",
  "a%2Fb",
  "/a/b",
  "a/./b",
  "a/../b",
  "a/..",
  "../b",
  "./b",
  "..",
  ".",
  "b",
  "b/",
  "Grüße/日本語 🌍",
  "q?uery#hash",
  "~!*'();:@&=$,[]{}",
  "back\\slash",
  "x".repeat(1023),
  "x".repeat(1024),
] as const;

function cachesOf(reply: Reply | undefined): Readonly<Record<string, string>> {
  const members = String(reply?.headers["cache-status"] ?? "").split(/, (?=forgefront)/);
  return Object.fromEntries(members.map((member) => [/^forgefront-?(\w*)/.exec(member)?.[1] ?? "", member]));
}

/** No bytes of an object but the one that a probe takes. */
function expectCost(cost: Cost | undefined, questions: number): void {
  if (cost === undefined) return;
  expect(cost.requests).toBeLessThanOrEqual(questions);
  expect(cost.bytes).toBeLessThanOrEqual(questions);
}
