import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Grant } from "../../src/core/grant.ts";
import type { Revision } from "../../src/core/revision.ts";
import { bytesStore } from "../../workers/bytes-store.ts";
import { weighAccount, weighEntry, weighGrant, weighRefused, weighRevision } from "../../workers/weights.ts";

const BOUND = 1_000_000;
const LONG = 4000;

const refusal = { status: 404, headers: [["x", "y".repeat(LONG)]] as const, body: "z".repeat(LONG) };
const entry = {
  at: 1,
  identity: "i",
  size: 1,
  etag: undefined,
  lastModified: undefined,
  originEtag: undefined,
  headers: [["content-type", "t".repeat(LONG)]] as const,
};
const no: Grant = { at: 1, kind: "no", refusal };
const object: Revision = { at: 1, kind: "object", entry, freshS: undefined };

/** How much of a store's records is text, in bytes, beside their keys. */
const RECORDS: readonly [what: string, fill: (key: (n: number) => string) => number, textBytes: number][] = [
  ["notes", filler(() => true as const), 0],
  ["yes", filler((): Grant => ({ at: 1, kind: "yes" }), weighGrant), 0],
  ["no", filler(() => no, weighGrant), 2 * LONG],
  ["missing", filler(() => ({ refusal }), weighRefused), 2 * LONG],
  ["entries", filler(() => entry, weighEntry), LONG],
  ["objects", filler(() => object, weighRevision), LONG],
  ["accounts", filler(() => ({ at: 1, keys: [] }) as never, weighAccount), 0],
];

function filler<T>(make: () => T, weigh?: (value: T) => number): (key: (n: number) => string) => number {
  return (key) => {
    const store = bytesStore<T>(BOUND, weigh);
    for (let n = 0; n < 2000; n++) store.set(key(n), make());
    expect(store.weight).toBeLessThanOrEqual(BOUND);
    return store.count;
  };
}

describe("bytesStore()", () => {
  it.each(RECORDS)("does hold no more than its bound of %s, long keys and all", (_what, fill, textBytes) => {
    const count = fill((n) => String(n).padEnd(LONG, "x"));
    expect(count).toBeGreaterThan(50);
    expect(count * (LONG + textBytes)).toBeLessThanOrEqual(BOUND);
  });

  it("does bound how many empty things it holds", () => {
    const store = bytesStore<Uint8Array>(BOUND, (bytes) => bytes.byteLength);
    for (let n = 0; n < 20_000; n++) store.set(String(n), new Uint8Array());
    expect(store.count).toBeLessThan(5000);
  });

  it("does weigh what a record was when it was set, whatever became of it", () => {
    const lists = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.nat({ max: 400 })), { maxLength: 50 });
    fc.assert(
      fc.property(lists, (steps) => {
        const store = bytesStore<{ length: number }>(2000, ({ length }) => length);
        for (const [key, length] of steps) {
          store.set(key, { length });
          const held = store.get(key);
          if (held !== undefined) held.length += 1;
        }
        for (const key of ["a", "b", "c"]) store.delete(key);
        expect([store.weight, store.count]).toEqual([0, 0]);
      }),
    );
  });
});
