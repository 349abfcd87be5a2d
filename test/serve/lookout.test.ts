import { beforeEach, describe, expect, it } from "vitest";
import { type ColoLook } from "../../src/core/look/colo-look.ts";
import { NO_COUNTS } from "../../src/core/look/counts.ts";
import type { FarStore } from "../../src/core/store.ts";
import { lookout, type Lookout } from "../../src/serve/lookout.ts";

/** A colo's store that counts how often it was used, and for how long it was to keep things. */
type Store = FarStore<ColoLook> & { readonly kept: number[]; gets: number; puts: number };

let store: Store;
let now: number;
/** How often each isolate was asked for what it has seen. */
let requests: Record<string, number>;
beforeEach(() => {
  now = 1_800_000_000_000;
  requests = {};
  store = newStore();
});

function newStore(): Store {
  const held = new Map<string, ColoLook>();
  const made: Store = {
    kept: [],
    gets: 0,
    puts: 0,
    async get(key) {
      made.gets += 1;
      return structuredClone(held.get(key));
    },
    async put(key, look, seconds) {
      made.puts += 1;
      made.kept.push(seconds);
      held.set(key, structuredClone(look));
    },
    async delete(key) {
      held.delete(key);
    },
  };
  return made;
}

function isolate(name: string, looks: FarStore<ColoLook> = store): Lookout {
  const since = now;
  const see = (at: number) => {
    const raw = { requests: requests[name] ?? 0, refused: 0, failed: 0, asked: 0 };
    return { ...NO_COUNTS, lanes: { ...NO_COUNTS.lanes, raw }, isolate: name, since, at };
  };
  return lookout({ looks, see, now: () => now });
}

function seen({ isolates }: ColoLook): Record<string, number> {
  return Object.fromEntries(isolates.map((each) => [each.isolate, each.lanes.raw.requests]));
}

describe("while nobody looks", () => {
  it("costs an isolate one read in five seconds, and no write", async () => {
    const one = isolate("one");
    let told = 0;
    for (let ms = 0; ms < 60_000; ms += 100) {
      if (one.isDue()) {
        await one.tell();
        told += 1;
      }
      now += 100;
    }
    expect({ told, gets: store.gets, puts: store.puts }).toEqual({ told: 12, gets: 12, puts: 0 });
  });

  it("is due at the first request, and then after five seconds to the millisecond", async () => {
    const one = isolate("one");
    expect(one.isDue()).toBe(true);
    await one.tell();
    expect(one.isDue()).toBe(false);
    now += 4999;
    expect(one.isDue()).toBe(false);
    now += 1;
    expect(one.isDue()).toBe(true);
  });

  it("is not due again while it still tells", () => {
    const never = () => new Promise<never>(() => undefined);
    const one = isolate("one", { get: never, put: never, delete: never });
    void one.tell(); // it waits for ever
    expect(one.isDue()).toBe(false);
  });
});

describe("after a look", () => {
  it("the others tell, and the next look has them all", async () => {
    const [one, two, three] = [isolate("one"), isolate("two"), isolate("three")];
    requests = { one: 1, two: 2, three: 3 };
    expect(seen(await one.look())).toEqual({ one: 1 });
    await two.tell();
    await three.tell();
    requests = { one: 10, two: 20, three: 30 };
    now += 1;
    expect(seen(await one.look())).toEqual({ one: 10, two: 2, three: 3 });
    await two.tell();
    expect(seen(await one.look())).toEqual({ one: 10, two: 20, three: 3 });
  });

  it("they tell for 60 s to the millisecond, and then no more", async () => {
    const [one, two] = [isolate("one"), isolate("two")];
    await one.look();
    const { puts } = store;
    now += 60_000;
    await two.tell();
    expect(store.puts).toBe(puts + 1);
    now += 1;
    await two.tell();
    expect(store.puts).toBe(puts + 1);
  });

  it("what they tell does not prolong it", async () => {
    const [one, two] = [isolate("one"), isolate("two")];
    await one.look();
    for (let step = 0; step < 30; step++) {
      now += 5000;
      await two.tell();
    }
    // In its slots up to 60 s, and the look itself.
    expect(store.puts).toBe(13);
  });

  it("one who looks every other second writes once in more than ten, and keeps the others telling", async () => {
    const [one, two] = [isolate("one"), isolate("two")];
    for (let ms = 0; ms < 120_000; ms += 2000) {
      await one.look();
      now += 2000;
    }
    expect(store.puts).toBe(10);
    expect(new Set(store.kept)).toEqual(new Set([600]));
    const { puts } = store;
    await two.tell();
    expect(store.puts).toBe(puts + 1);
  });

  it("an isolate that was silent for ten minutes is not seen any more", async () => {
    const [one, two] = [isolate("one"), isolate("two")];
    await one.look();
    await two.tell();
    now += 599_999;
    expect(Object.keys(seen(await one.look()))).toEqual(["one", "two"]);
    now += 1;
    expect(Object.keys(seen(await one.look()))).toEqual(["one"]);
  });
});

describe("with a store that has nothing and takes nothing", () => {
  /** A far store never throws: its failures are misses. */
  const failing: FarStore<ColoLook> = {
    get: async () => undefined,
    put: async () => undefined,
    delete: async () => undefined,
  };

  it("one who looks sees the isolate that is asked, and telling is no failure", async () => {
    const one = isolate("one", failing);
    requests = { one: 5 };
    expect(seen(await one.look())).toEqual({ one: 5 });
    await one.tell();
    expect(seen(await one.look())).toEqual({ one: 5 });
  });
});
