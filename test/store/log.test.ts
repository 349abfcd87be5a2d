import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FarStore, Log } from "../../src/core/store.ts";
import { mergedLog } from "../../src/store/log.ts";
import { memoryStore } from "../../src/store/memory.ts";

/** An account: everything that was ever noted. */
type Notes = readonly string[];

const KEY = "k";
const KEPT_S = 60;
const union = (one: Notes, other: Notes): Notes => [...new Set([...one, ...other])].toSorted();
const noting =
  (word: string) =>
  (before: Notes = []): Notes =>
    union(before, [word]);

/** Time that passes only where everybody waits for it; of those due at one moment, whoever came first goes first. */
function clock() {
  const waiting: { readonly at: number; readonly resolve: () => void }[] = [];
  const state = { now: 0 };
  return {
    state,
    wait: (ms: number) =>
      new Promise<void>((resolve) => {
        waiting.push({ at: state.now + ms, resolve });
      }),
    /** Until nobody waits any more, or until a moment. */
    async run(until = Infinity): Promise<void> {
      for (let step = 0; step < 5000; step++) {
        for (let turn = 0; turn < 30; turn++) await Promise.resolve();
        const next = waiting.toSorted((one, other) => one.at - other.at)[0];
        if (next === undefined || next.at > until) break;
        state.now = Math.max(state.now, next.at);
        waiting.splice(waiting.indexOf(next), 1);
        next.resolve();
      }
      if (until !== Infinity) state.now = until;
    },
  };
}
type Clock = ReturnType<typeof clock>;

type Far = FarStore<Notes> & {
  readonly puts: { readonly at: number; readonly notes: Notes }[];
  held: Notes | undefined;
};

/** A store that takes its time, and applies puts in the order in which their time is up. */
function farStore(time: Clock, delay: () => number, isDown: () => boolean = () => false): Far {
  const store: Far = {
    puts: [],
    held: undefined,
    async get() {
      await time.wait(delay());
      return isDown() ? undefined : store.held;
    },
    async put(_key, notes, seconds) {
      expect(seconds).toBe(KEPT_S);
      store.puts.push({ at: time.state.now, notes });
      await time.wait(delay());
      if (!isDown()) store.held = structuredClone(notes);
    },
    async delete() {
      store.held = undefined;
    },
  };
  return store;
}

type Isolate = { readonly log: Log<Notes>; readonly deferred: Promise<unknown>[] };

function isolate(time: Clock, colo: FarStore<Notes>, kv?: FarStore<Notes>, room = 100): Isolate {
  const memory = memoryStore<Notes>(room);
  const parts = { memory, colo, kv, merge: union, wait: time.wait, keptS: KEPT_S };
  return { log: mergedLog<Notes>(parts), deferred: [] };
}

async function note({ log, deferred }: Isolate, word: string): Promise<void> {
  await log.note(KEY, noting(word), (work) => deferred.push(work));
}

async function settled(
  time: Clock,
  isolates: readonly Isolate[],
  notes: readonly Promise<unknown>[],
): Promise<void> {
  await time.run();
  await Promise.all([...notes, ...isolates.flatMap(({ deferred }) => deferred)]);
}

const quick = () => 1;

describe("one isolate", () => {
  it("note() does know at once, and the colo does behind the promise", async () => {
    const time = clock();
    const colo = farStore(time, quick);
    const one = isolate(time, colo);
    const noted = note(one, "a");
    expect([one.log.hot(KEY), colo.held]).toEqual([["a"], undefined]);
    await time.run(5);
    await noted;
    expect(colo.held).toEqual(["a"]);
    await settled(time, [one], []);
  });

  it("note() does add to what others noted, and never overwrite it", async () => {
    const time = clock();
    const colo = farStore(time, quick);
    colo.held = ["b"];
    const one = isolate(time, colo);
    await settled(time, [one], [note(one, "a")]);
    expect([colo.held, one.log.hot(KEY)]).toEqual([
      ["a", "b"],
      ["a", "b"],
    ]);
  });

  it("note() does keep what is noted while another is written, where memory has no room for it", async () => {
    const time = clock();
    const colo = farStore(time, () => 10);
    const one = isolate(time, colo, undefined, 0);
    const first = note(one, "a");
    await time.run(5);
    const second = note(one, "b");
    await time.run(20);
    await first;
    expect(one.log.hot(KEY)).toContain("b");
    await settled(time, [one], [second]);
    expect(colo.held).toEqual(["a", "b"]);
    expect(one.log.hot(KEY)).toBeUndefined();
  });

  it("note() does write a burst at most once more than it had begun", async () => {
    const time = clock();
    const [colo, kv] = [farStore(time, quick), farStore(time, quick)];
    const one = isolate(time, colo, kv);
    const words = Array.from({ length: 50 }, (_, i) => `${i}`);
    await settled(
      time,
      [one],
      words.map((word) => note(one, word)),
    );
    expect([colo.puts.length, kv.puts.length]).toEqual([2, 2]);
    expect([colo.held?.length, kv.held?.length]).toEqual([50, 50]);
  });

  it("note() does keep keys apart", async () => {
    const time = clock();
    const one = isolate(time, farStore(time, quick));
    await settled(time, [one], [note(one, "a")]);
    expect(one.log.hot("other")).toBeUndefined();
  });

  it("note() does write to KV no more than once a second, however often it is told", async () => {
    const time = clock();
    const kv = farStore(time, quick);
    const one = isolate(time, farStore(time, quick), kv);
    const telling = async () => {
      for (let i = 0; i < 40; i++) {
        await note(one, `${i}`); // whoever waited begins anew as soon as it may
        if (i % 3 === 0) await time.wait(170);
      }
    };
    await settled(time, [one], [telling(), telling()]);
    const gaps = kv.puts.slice(1).map(({ at }, i) => at - (kv.puts[i]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
    expect(kv.held).toHaveLength(40);
    expect(kv.puts.length).toBeLessThan(6);
  });

  it("note() does begin no write to KV beside one that follows", async () => {
    const time = clock();
    const kv = farStore(time, quick);
    const one = isolate(time, farStore(time, quick), kv);
    const first: Promise<unknown>[] = [];
    await Promise.all([one.log.note(KEY, noting("a"), (work) => first.push(work)), time.run(50)]);
    const again = first[0]?.then(() => note(one, "c"));
    const second = note(one, "b");
    await settled(time, [one], [second, ...(again === undefined ? [] : [again])]);
    const gaps = kv.puts.slice(1).map(({ at }, i) => at - (kv.puts[i]?.at ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1000);
    expect(kv.held).toEqual(["a", "b", "c"]);
  });

  it("look() does ask other colos only where it is told to", async () => {
    const time = clock();
    const [colo, kv] = [farStore(time, quick), farStore(time, quick)];
    colo.held = ["near"];
    kv.held = ["far"];
    const one = isolate(time, colo, kv);
    await settled(time, [one], [one.log.look(KEY, false)]);
    expect(one.log.hot(KEY)).toEqual(["near"]);
    await settled(time, [one], [one.log.look(KEY, true)]);
    expect(one.log.hot(KEY)).toEqual(["far", "near"]);
    expect([colo.puts, kv.puts]).toEqual([[], []]);
  });

  it("look() does lose nothing that is known where the stores have nothing", async () => {
    const time = clock();
    const colo = farStore(time, quick, () => true);
    const one = isolate(
      time,
      colo,
      farStore(time, quick, () => true),
    );
    await settled(time, [one], [note(one, "a"), one.log.look(KEY, true)]);
    await settled(time, [one], [one.log.look(KEY, true)]);
    expect([one.log.hot(KEY), colo.held]).toEqual([["a"], undefined]);
  });

  it("note() does hold what memory has no room for until it is written, and no longer, whoever looks meanwhile", async () => {
    const time = clock();
    const colo = farStore(time, quick);
    colo.held = ["b"];
    const full = isolate(time, colo, undefined, 0);
    const noted = note(full, "a");
    const looked = full.log.look(KEY, false);
    expect(full.log.hot(KEY)).toEqual(["a"]);
    await settled(time, [full], [noted, looked]);
    expect([full.log.hot(KEY), colo.held]).toEqual([undefined, ["a", "b"]]);
  });

  it("note() does read back, and write once more where its words are gone", async () => {
    const time = clock();
    const colo = farStore(time, quick);
    const one = isolate(time, colo);
    const noted = note(one, "a");
    await time.run(10);
    colo.held = ["b"]; // another isolate had read before we wrote
    await settled(time, [one], [noted]);
    expect(colo.held).toEqual(["a", "b"]);
  });

  it("note() does not write again what it finds as it wrote it", async () => {
    const time = clock();
    const colo = farStore(time, quick);
    const one = isolate(time, colo);
    await settled(time, [one], [note(one, "a")]);
    expect(colo.puts.length).toBe(1);
  });
});

describe("isolates that share a colo", () => {
  /** Of a read and a write together, less than the time between two read backs. */
  const delays = fc.array(fc.integer({ min: 0, max: 25 }), { minLength: 1, maxLength: 40 });
  const told = fc.record({ isolate: fc.nat({ max: 2 }), at: fc.nat({ max: 120 }) });

  function inTurn(all: readonly number[]): () => number {
    let turn = 0;
    return () => all[turn++ % all.length] ?? 0;
  }

  it("note() does let all who look know everything that anybody was told", async () => {
    await fc.assert(
      fc.asyncProperty(delays, fc.array(told, { minLength: 1, maxLength: 12 }), async (all, tellings) => {
        const time = clock();
        const colo = farStore(time, inTurn(all));
        const isolates = [isolate(time, colo), isolate(time, colo), isolate(time, colo)];
        const notes = tellings.map(async (telling, i) => {
          await time.wait(telling.at);
          const one = isolates[telling.isolate];
          if (one !== undefined) await note(one, `${i}`);
        });
        await settled(time, isolates, notes);
        const onlooker = isolate(time, colo);
        await settled(
          time,
          [],
          [...isolates, onlooker].map(({ log }) => log.look(KEY, false)),
        );
        const everything = tellings.map((_, i) => `${i}`).toSorted();
        for (const { log } of [...isolates, onlooker]) expect(log.hot(KEY)).toEqual(everything);
      }),
      { numRuns: 120 },
    );
  });

  it("note() does lose nothing that an isolate itself knows while the colo fails from time to time", async () => {
    await fc.assert(
      fc.asyncProperty(
        delays,
        fc.array(fc.boolean(), { minLength: 1, maxLength: 20 }),
        fc.array(told, { minLength: 1, maxLength: 8 }),
        async (all, down, tellings) => {
          const time = clock();
          let uses = 0;
          const colo = farStore(time, inTurn(all), () => down[uses++ % down.length] ?? false);
          const isolates = [isolate(time, colo), isolate(time, colo), isolate(time, colo)];
          const notes = tellings.map(async (telling, i) => {
            await time.wait(telling.at);
            const one = isolates[telling.isolate];
            if (one !== undefined) await note(one, `${i}`);
          });
          await settled(time, isolates, notes);
          for (const [number, { log }] of isolates.entries()) {
            await settled(time, [], [log.look(KEY, false)]);
            const own = tellings.flatMap((telling, i) => (telling.isolate === number ? [`${i}`] : []));
            expect(log.hot(KEY) ?? []).toEqual(expect.arrayContaining(own));
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
