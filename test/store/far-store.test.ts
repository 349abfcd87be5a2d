import { build } from "esbuild";
import { convertV4MiniflareOptions, Miniflare } from "miniflare";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { coloBlocks, coloRecords } from "../../src/store/colo.ts";
import { kvRecords } from "../../src/store/kv.ts";
import type { Call, Outcome } from "./far-store-worker.ts";

const RECORD = {
  at: 1,
  kind: "no",
  refusal: { status: 404, headers: [["content-type", "text/plain"]], body: "é\n" },
};
const MINUTE_S = 60;

let miniflare: Miniflare;

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: [new URL("far-store-worker.ts", import.meta.url).pathname],
    bundle: true,
    format: "esm",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const worker = {
    name: "t",
    modules: true,
    script,
    compatibilityDate: "2026-11-01",
    kvNamespaces: ["KV"],
  };
  miniflare = new Miniflare(
    convertV4MiniflareOptions({ cf: false, host: "127.0.0.1", port: 0, workers: [worker] }),
  );
  await miniflare.ready;
}, 30_000);

afterAll(() => miniflare.dispose());

/** The stores run inside workerd, where the streams and caches are the real ones. */
async function run(call: Call): Promise<Outcome> {
  const response = await miniflare.dispatchFetch("http://t.invalid/", {
    method: "POST",
    body: JSON.stringify(call),
  });
  const outcome: Outcome = JSON.parse(await response.text());
  return outcome;
}

const MISS: Outcome = { errors: [] };

describe.each(["colo", "kv"] as const)("the records of the tier %s", (store) => {
  const get = (key: string) => run({ store, method: "get", key });
  const put = (key: string, record: unknown, seconds = MINUTE_S) =>
    run({ store, method: "put", key, record, seconds });

  it("get() does miss what was never put", async () => {
    expect(await get("1/grant/~never")).toEqual(MISS);
  });

  it("get() does give back what was put, and put() does replace it", async () => {
    const key = "1/grant/~group%2Fproject/~%C3%A9/~";
    await put(key, { at: 0 });
    await put(key, RECORD);
    expect(await get(key)).toEqual({ value: RECORD, errors: [] });
  });

  it("get() does tell keys apart that end alike", async () => {
    await put("1/grant/~a/~b", { at: 1 });
    await put("1/grant/~a%2F~b", { at: 2 });
    await put("1/grant/~a/~b/~", { at: 3 });
    const found = await Promise.all(["1/grant/~a/~b", "1/grant/~a%2F~b", "1/grant/~a/~b/~"].map(get));
    expect(found.map(({ value }) => value)).toEqual([{ at: 1 }, { at: 2 }, { at: 3 }]);
  });

  it("delete() does forget, and be content with nothing to forget", async () => {
    await put("1/grant/~gone", RECORD);
    expect(await run({ store, method: "delete", key: "1/grant/~gone" })).toEqual(MISS);
    expect(await get("1/grant/~gone")).toEqual(MISS);
    expect(await run({ store, method: "delete", key: "1/grant/~gone" })).toEqual(MISS);
  });

  it("put() does take times that the tier itself would not", async () => {
    expect(await put("1/grant/~brief", RECORD, 1)).toEqual(MISS);
    expect(await get("1/grant/~brief")).toEqual({ value: RECORD, errors: [] });
  });
});

describe("the life of a record in the colo", () => {
  it("get() does miss once the time is over", async () => {
    const key = "1/grant/~short";
    await run({ store: "colo", method: "put", key, record: RECORD, seconds: 1 });
    await expect
      .poll(() => run({ store: "colo", method: "get", key }), { timeout: 4_000, interval: 200 })
      .toEqual(MISS);
  });
});

describe("a record that cannot be read", () => {
  it("coloRecords() does count it and miss", async () => {
    await run({ store: "blocks", method: "write", key: "1/grant/~torn", bytes: [0x7b] });
    expect(await run({ store: "colo", method: "get", key: "1/grant/~torn" })).toEqual({
      errors: ["colo"],
    });
  });

  it("kvRecords() does count it and miss", async () => {
    const namespace = await miniflare.getKVNamespace("KV", "t");
    await namespace.put("1/grant/~torn", "{");
    expect(await run({ store: "kv", method: "get", key: "1/grant/~torn" })).toEqual({
      errors: ["kv"],
    });
  });
});

describe("a key too long for KV", () => {
  it.each([
    [512, { value: RECORD, errors: [] }],
    [513, MISS],
  ])("kvRecords() does treat one of %d bytes without a failure", async (length, found) => {
    const key = `1/grant/~${"a".repeat(length - "1/grant/~".length)}`;
    expect(await run({ store: "kv", method: "put", key, record: RECORD, seconds: MINUTE_S })).toEqual(MISS);
    expect(await run({ store: "kv", method: "get", key })).toEqual(found);
    expect(await run({ store: "kv", method: "delete", key })).toEqual(MISS);
  });
});

describe("the blocks of the colo", () => {
  const BYTES = Array.from({ length: 1_000 }, (_, i) => i % 251);
  const LENGTH = BYTES.length;
  const write = (key: string, bytes: readonly number[]) =>
    run({ store: "blocks", method: "write", key, bytes });
  const read = (key: string, start: number, end: number, length = LENGTH) =>
    run({ store: "blocks", method: "read", key, part: { start, end, length } });

  it("read() does miss what was never written", async () => {
    expect(await read("1/body/~never", 0, LENGTH)).toEqual(MISS);
    expect(await read("1/body/~never", 1, 2)).toEqual(MISS);
  });

  it.each([
    [0, LENGTH],
    [0, 1],
    [0, LENGTH - 1],
    [1, LENGTH],
    [LENGTH - 1, LENGTH],
    [250, 502],
  ])("read() does give the bytes from %d to %d", async (start, end) => {
    expect(await write("1/body/~block", BYTES)).toEqual({ value: true, errors: [] });
    expect(await read("1/body/~block", start, end)).toEqual({
      value: BYTES.slice(start, end),
      errors: [],
    });
  });

  it.each([
    ["whole, too short", 0, LENGTH + 1, LENGTH + 1],
    ["whole, too long", 0, LENGTH - 1, LENGTH - 1],
    ["in part, too short", 0, 10, LENGTH + 1],
    ["in part, too long", 0, 10, LENGTH - 1],
    ["in part, across the end", LENGTH - 1, LENGTH + 1, LENGTH + 1],
    ["in part, past the end", LENGTH, LENGTH + 1, LENGTH + 1],
  ])("read() does count and miss a block of the wrong length, read %s", async (_case, start, end, length) => {
    await write("1/body/~wrong", BYTES);
    expect(await read("1/body/~wrong", start, end, length)).toEqual({ errors: ["colo"] });
  });

  it("read() does give an empty block whole", async () => {
    await write("1/body/~empty", []);
    expect(await read("1/body/~empty", 0, 0, 0)).toEqual({ value: [], errors: [] });
  });

  it("delete() does forget a block", async () => {
    await write("1/body/~gone", BYTES);
    expect(await run({ store: "blocks", method: "delete", key: "1/body/~gone" })).toEqual(MISS);
    expect(await read("1/body/~gone", 0, LENGTH)).toEqual(MISS);
  });
});

describe("a tier that fails", () => {
  const fail = (): never => {
    throw new Error("Out of order");
  };
  const failLater = async (): Promise<never> => fail();
  const broken: Cache = { match: failLater, put: failLater, delete: failLater };
  const breaking: Cache = { match: fail, put: fail, delete: fail };

  const namespaceOf = (failure: () => never | Promise<never>): KVNamespace =>
    ({
      get: failure,
      getWithMetadata: failure,
      list: failure,
      put: failure,
      delete: failure,
    }) as KVNamespace;

  it.each([
    ["opens nothing", failLater],
    ["fails at once", async () => breaking],
    ["fails in the end", async () => broken],
  ])("coloRecords() and coloBlocks() do count and miss where the cache %s", async (_case, open) => {
    const errors: string[] = [];
    const onError = (tier: string): void => void errors.push(tier);
    const records = coloRecords(open, onError);
    const blocks = coloBlocks(open, onError);
    expect(await records.get("k")).toBeUndefined();
    expect(await records.put("k", RECORD, MINUTE_S)).toBeUndefined();
    expect(await records.delete("k")).toBeUndefined();
    expect(await blocks.read("k", { start: 0, end: 1, length: 2 })).toBeUndefined();
    expect(await blocks.write("k", new Uint8Array(1))).toBe(false);
    expect(await blocks.delete("k")).toBeUndefined();
    expect(errors).toEqual(Array.from({ length: 6 }, () => "colo"));
  });

  it.each([
    ["fails at once", fail],
    ["fails in the end", failLater],
  ])("kvRecords() does count and miss where the namespace %s", async (_case, failure) => {
    const errors: string[] = [];
    const records = kvRecords(namespaceOf(failure), (tier) => void errors.push(tier));
    expect(await records.get("k")).toBeUndefined();
    expect(await records.put("k", RECORD, MINUTE_S)).toBeUndefined();
    expect(await records.delete("k")).toBeUndefined();
    expect(errors).toEqual(["kv", "kv", "kv"]);
  });

  it("kvRecords() does count a record that is no JSON value", async () => {
    const errors: string[] = [];
    const namespace: KVNamespace = { ...namespaceOf(fail), put: async () => undefined };
    await kvRecords(namespace, (tier) => void errors.push(tier)).put("k", { at: 1n }, MINUTE_S);
    expect(errors).toEqual(["kv"]);
  });
});
