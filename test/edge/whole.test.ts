import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startHarness, type Harness } from "./harness.ts";
import { ask } from "./scene.ts";

const BLOCK_BYTES = 64 * 1024;
const WHOLE_BYTES = 5 * BLOCK_BYTES;

let harness: Harness;
let keys = 0;

beforeAll(async () => {
  harness = await startHarness({ vars: { BLOCK_BYTES, WHOLE_BYTES, HOT_BODY_BYTES: 32 * 1024 } });
});
afterAll(() => harness.close());

function newObject(size: number): { readonly url: string; readonly bytes: Buffer; readonly key: string } {
  const key = `whole-${++keys}`;
  const bytes = randomBytes(size);
  harness.store.put("public", key, bytes);
  return { key, bytes, url: `${harness.s3}/public/${key}` };
}

/** Reads as often, and answers how often the Cache API was used for the last time. */
async function usesOfLast(url: string, times: number, headers: Record<string, string> = {}): Promise<number> {
  for (let read = 1; read < times; read++) {
    await ask(url);
    await sleep(300); // what is done behind the response
  }
  const { caches } = await harness.calls();
  const { body, whole } = await ask(url, { headers });
  expect(whole && body.length > 0).toBe(true);
  return (await harness.calls()).caches - caches;
}

describe("a body of several blocks", () => {
  it("is read in one piece once it was read whole from its blocks", async () => {
    const { url, bytes } = newObject(WHOLE_BYTES - 1);
    expect(await usesOfLast(url, 2)).toBeGreaterThanOrEqual(5); // its blocks, and what joins them
    await sleep(300);
    expect(await usesOfLast(url, 1)).toBe(1);
    expect((await ask(url)).body.equals(bytes)).toBe(true);
    expect(harness.store.counts().get).toBe(1);
  });

  it.each([
    ["across two blocks", BLOCK_BYTES - 1, BLOCK_BYTES + 1],
    ["of one block", BLOCK_BYTES, 2 * BLOCK_BYTES],
    ["to its end", BLOCK_BYTES + 1, WHOLE_BYTES],
  ])("gives any range exactly: %s", async (_what, start, end) => {
    const { url, bytes } = newObject(WHOLE_BYTES);
    const headers = { range: `bytes=${start}-${end - 1}` };
    expect(await usesOfLast(url, 4, headers)).toBe(1);
    const { status, headers: told, body } = await ask(url, { headers });
    expect([status, told["content-range"], told["content-length"]]).toEqual([
      206,
      `bytes ${start}-${end - 1}/${WHOLE_BYTES}`,
      String(end - start),
    ]);
    expect(body.equals(bytes.subarray(start, end))).toBe(true);
  });

  it("is another piece when it is another body", async () => {
    const { url, key } = newObject(WHOLE_BYTES);
    await usesOfLast(url, 4);
    const changed = randomBytes(WHOLE_BYTES);
    harness.store.put("public", key, changed);
    await harness.world({ clockOffsetMs: 100_000 });
    for (let read = 0; read < 4; read++) {
      expect((await ask(url)).body.equals(changed)).toBe(true);
      await sleep(100);
    }
  });

  it("stays in its blocks above WHOLE_BYTES", async () => {
    const { url, bytes } = newObject(WHOLE_BYTES + 1);
    expect(await usesOfLast(url, 4)).toBe(6);
    expect((await ask(url)).body.equals(bytes)).toBe(true);
  });
});
