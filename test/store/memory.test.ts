import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { MemoryStore } from "../../src/core/store.ts";
import { memoryStore } from "../../src/store/memory.ts";

describe("a bounded memory", () => {
  it("memoryStore() does give what was used a second chance", () => {
    const store = memoryStore<number>(2);
    store.set("a", 1);
    store.set("b", 2);
    store.set("c", 3); // all were new: each is passed over once, then the first goes
    expect([store.get("a"), store.count]).toEqual([undefined, 2]);
    expect(store.get("b")).toBe(2);
    store.set("d", 4);
    expect([store.get("b"), store.get("c"), store.get("d")]).toEqual([2, undefined, 4]);
  });

  it("memoryStore() does forget several for one heavy value", () => {
    const store = memoryStore<number>(10, (value) => value);
    for (const [key, weight] of [
      ["a", 3],
      ["b", 3],
      ["c", 3],
      ["d", 6],
    ] as const)
      store.set(key, weight);
    expect([store.get("a"), store.get("b"), store.get("c"), store.get("d")]).toEqual([
      undefined,
      undefined,
      3,
      6,
    ]);
    expect(store.weight).toBe(9);
  });

  it("memoryStore() does hold nothing that is too heavy alone, nor what stood there before", () => {
    const store = memoryStore<number>(10, (value) => value);
    store.set("a", 1);
    store.set("b", 2);
    store.set("a", 11);
    expect([store.get("a"), store.get("b"), store.weight]).toEqual([undefined, 2, 2]);
  });

  it("memoryStore() does hold nothing where it has no room", () => {
    const store = memoryStore<string>(0);
    store.set("a", "");
    expect([store.get("a"), store.count, store.weight]).toEqual([undefined, 0, 0]);
  });

  it.each([[""], ["__proto__"], ["constructor"]])("memoryStore() does keep the key %j apart", (key) => {
    const store = memoryStore<number>(2);
    expect(store.get(key)).toBeUndefined();
    store.set(key, 0);
    expect(store.get(key)).toBe(0);
    store.delete(key);
    store.delete(key);
    expect([store.get(key), store.weight]).toEqual([undefined, 0]);
  });
});

type Step = {
  readonly what: "get" | "set" | "delete";
  readonly key: string;
  readonly weight: number;
};

/** The same store as a plain list, the next to go first. */
function listModel(bound: number) {
  let list: { readonly key: string; readonly weight: number; readonly used: boolean }[] = [];
  const total = () => list.reduce((sum, { weight }) => sum + weight, 0);
  return {
    take({ what, key, weight }: Step): number | undefined {
      const found = list.find((one) => one.key === key);
      if (what === "get") {
        list = list.map((one) => (one.key === key ? { ...one, used: true } : one));
        return found?.weight;
      }
      list = list.filter((one) => one.key !== key);
      if (what === "set" && weight <= bound) list.push({ key, weight, used: true });
      while (total() > bound) {
        const [first, ...others] = list;
        if (first === undefined) break;
        list = first.used ? [...others, { ...first, used: false }] : others;
      }
      return undefined;
    },
    total,
    count: () => list.length,
  };
}

function take(store: MemoryStore<number>, { what, key, weight }: Step): number | undefined {
  if (what === "get") return store.get(key);
  if (what === "set") store.set(key, weight);
  else store.delete(key);
  return undefined;
}

it("memoryStore() does behave as a list with second chances, and never weigh too much", () => {
  const step = fc.record<Step>({
    what: fc.constantFrom("get", "set", "set", "delete"),
    key: fc.constantFrom("a", "b", "c", "d", "e"),
    weight: fc.nat({ max: 6 }),
  });
  fc.assert(
    fc.property(fc.nat({ max: 12 }), fc.array(step, { maxLength: 40 }), (bound, steps) => {
      const store = memoryStore<number>(bound, (value) => value);
      const model = listModel(bound);
      for (const each of steps) {
        const expected = model.take(each);
        expect([take(store, each), store.weight, store.count]).toEqual([
          expected,
          model.total(),
          model.count(),
        ]);
        expect(store.weight).toBeLessThanOrEqual(bound);
      }
    }),
    { numRuns: 1_000 },
  );
});
