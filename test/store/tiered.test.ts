import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FarStore, Tier } from "../../src/core/store.ts";
import { memoryStore } from "../../src/store/memory.ts";
import { tieredRecords } from "../../src/store/tiered.ts";

type Verdict = { readonly at: number; readonly kind: "yes" | "no" };
type Put = readonly [key: string, record: Verdict, seconds: number];

const KEY = "k";
const yes = (at: number): Verdict => ({ at, kind: "yes" });
const no = (at: number): Verdict => ({ at, kind: "no" });
const isYes = ({ kind }: Verdict) => kind === "yes";

/** A far tier that holds one record, and whose reading can be held up. */
function farStore(held?: Verdict, gate: Promise<void> = Promise.resolve()) {
  const puts: Put[] = [];
  const state = { record: held, gets: 0 };
  const store: FarStore<Verdict> = {
    async get() {
      const { record } = state;
      state.gets++;
      await gate;
      return record;
    },
    async put(key, record, seconds) {
      puts.push([key, record, seconds]);
      state.record = record;
    },
    async delete() {
      state.record = undefined;
    },
  };
  return { store, puts, state };
}

const NOW = 100;
/** Further ahead than clocks are trusted to differ. */
const FUTURE = NOW + 2001;

function tiers(
  held: { memory?: Verdict | undefined; colo?: Verdict | undefined; kv?: Verdict | undefined },
  gate?: Promise<void>,
) {
  const memory = memoryStore<Verdict>(10);
  if (held.memory !== undefined) memory.set(KEY, held.memory);
  const colo = farStore(held.colo, gate);
  const kv = farStore(held.kv);
  return {
    memory,
    colo,
    kv,
    records: tieredRecords({ memory, colo: colo.store, kv: kv.store, now: () => NOW }),
  };
}

describe("finding a record", () => {
  it.each<[string, Parameters<typeof tiers>[0], { record: Verdict; tier: Tier } | undefined]>([
    ["nothing anywhere", {}, undefined],
    [
      "the nearest usable record",
      { memory: yes(1), colo: yes(2), kv: yes(3) },
      { record: yes(1), tier: "memory" },
    ],
    ["what only the colo has", { colo: yes(1) }, { record: yes(1), tier: "colo" }],
    ["what only KV has", { kv: yes(1) }, { record: yes(1), tier: "kv" }],
    ["a newer yes behind an older no", { memory: no(1), kv: yes(2) }, { record: yes(2), tier: "kv" }],
    [
      "a newer yes in KV behind a no in the colo",
      { colo: no(1), kv: yes(2) },
      { record: yes(2), tier: "kv" },
    ],
    ["no older yes behind a no in memory", { memory: no(2), colo: yes(1), kv: yes(1) }, undefined],
    ["no older yes behind a no in the colo", { colo: no(2), kv: yes(1) }, undefined],
    ["no yes of the same time as a no", { memory: no(1), colo: yes(1), kv: yes(1) }, undefined],
    ["no yes that is older than the newest no", { memory: no(1), colo: no(3), kv: yes(2) }, undefined],
  ])("find() does find %s", async (_what, held, found) => {
    expect(await tiers(held).records.find(KEY, isYes)).toEqual(found);
  });

  it("find() does bring what it found near, even where it is of no use", async () => {
    const { records } = tiers({ memory: yes(1), colo: no(2), kv: yes(1) });
    expect(await records.find(KEY, ({ kind, at }) => kind === "yes" && at > 1)).toBeUndefined();
    expect(records.hot(KEY)).toEqual(no(2));
  });

  it("find() does ask no farther than it must", async () => {
    const near = tiers({ memory: yes(1), colo: yes(1), kv: yes(1) });
    await near.records.find(KEY, isYes);
    expect([near.colo.state.gets, near.kv.state.gets]).toEqual([0, 0]);
    const inColo = tiers({ colo: yes(1), kv: yes(1) });
    await inColo.records.find(KEY, isYes);
    expect([inColo.colo.state.gets, inColo.kv.state.gets]).toEqual([1, 0]);
  });

  it("findNear() does ask the colo, and never KV", async () => {
    const { records, colo, kv } = tiers({ memory: yes(1), colo: yes(2), kv: yes(3) });
    expect(await records.findNear(KEY, isYes)).toEqual({ record: yes(1), tier: "memory" });
    expect(colo.state.gets).toBe(0);
    expect(await records.findNear(KEY, ({ at }) => at > 1)).toEqual({ record: yes(2), tier: "colo" });
    expect(records.hot(KEY)).toEqual(yes(2));
    expect(await records.findNear(KEY, ({ at }) => at > 2)).toBeUndefined();
    expect(kv.state.gets).toBe(0);
  });

  it("find() does work where no KV is bound", async () => {
    const colo = farStore(yes(1));
    const records = tieredRecords({
      memory: memoryStore<Verdict>(10),
      colo: colo.store,
      kv: undefined,
      now: () => NOW,
    });
    expect(await records.find(KEY, isYes)).toEqual({ record: yes(1), tier: "colo" });
    await records.put(KEY, yes(2), { coloS: 5, kvS: 60 });
    expect(colo.puts).toEqual([[KEY, yes(2), 5]]);
  });

  it("find() does not keep what a faster clock has stamped, nor what is older behind it", async () => {
    const { records } = tiers({ colo: no(FUTURE), kv: yes(1) });
    expect(await records.find(KEY, isYes)).toBeUndefined();
    expect(records.hot(KEY)).toBeUndefined();
    await records.put(KEY, yes(2), { coloS: 30 });
    expect(await records.find(KEY, isYes)).toEqual({ record: yes(2), tier: "memory" });
  });

  const verdict = fc.option(
    fc.record({ at: fc.nat({ max: 4 }), kind: fc.constantFrom<"yes" | "no">("yes", "no") }),
    { nil: undefined },
  );
  it("find() does never let an older yes come back over a newer no", async () => {
    await fc.assert(
      fc.asyncProperty(verdict, verdict, verdict, async (memory, colo, kv) => {
        const { records } = tiers({ memory, colo, kv });
        const found = await records.find(KEY, isYes);
        const order = [memory, colo, kv];
        const winner = order.findIndex(
          (one, i) =>
            one?.kind === "yes" &&
            order.slice(0, i).every((nearer) => nearer === undefined || nearer.at < one.at),
        );
        expect(found?.tier).toBe((["memory", "colo", "kv"] as const)[winner]);
        expect(found?.record).toBe(order[winner]);
        if (found !== undefined) expect(records.hot(KEY)).toBe(found.record);
      }),
      { numRuns: 500 },
    );
  });
});

describe("remembering a record", () => {
  it("put() does replace what this clock has stamped before it was set back", async () => {
    const { records, colo } = tiers({ memory: yes(FUTURE) });
    await records.put(KEY, yes(2), { coloS: 30 });
    expect([records.hot(KEY), colo.puts]).toEqual([yes(2), [[KEY, yes(2), 30]]]);
  });

  it("put() does write to every tier that is asked for, for its own time", async () => {
    const { records, colo, kv } = tiers({});
    await records.put(KEY, yes(1), { coloS: 30, kvS: 60 });
    expect([records.hot(KEY), colo.puts, kv.puts]).toEqual([
      yes(1),
      [[KEY, yes(1), 30]],
      [[KEY, yes(1), 60]],
    ]);
  });

  it("put() does keep from KV what is not meant for it", async () => {
    const { records, colo, kv } = tiers({});
    await records.put(KEY, no(1), { coloS: 10 });
    expect([colo.puts.length, kv.puts.length]).toEqual([1, 0]);
  });

  it("put() does remember before the far tiers have", () => {
    const { records } = tiers({});
    void records.put(KEY, yes(1), { coloS: 30 }); // only what is true at once is looked at
    expect(records.hot(KEY)).toEqual(yes(1));
  });

  it("put() does not undo a newer record anywhere", async () => {
    const { records, colo, kv } = tiers({ memory: no(2), colo: no(2) });
    await records.put(KEY, yes(1), { coloS: 30, kvS: 60 });
    expect([records.hot(KEY), colo.state.record, kv.state.record]).toEqual([no(2), no(2), undefined]);
  });

  it("put() does replace a record of the same time", async () => {
    const { records } = tiers({ memory: yes(1) });
    await records.put(KEY, no(1), { coloS: 30 });
    expect(records.hot(KEY)).toEqual(no(1));
  });
});

describe("what happens while a far tier is read", () => {
  it("find() does not bring an older yes over a no that came meanwhile", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { records } = tiers({ colo: yes(1) }, promise);
    const finding = records.find(KEY, isYes);
    await records.put(KEY, no(2), { coloS: 30 });
    resolve();
    expect(await finding).toBeUndefined();
    expect(records.hot(KEY)).toEqual(no(2));
  });

  it("find() does not bring back into memory what was dropped meanwhile", async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    const { records } = tiers({ colo: yes(1) }, promise);
    const finding = records.find(KEY, isYes);
    await records.drop(KEY);
    resolve();
    await finding;
    expect(records.hot(KEY)).toBeUndefined();
  });
});

describe("forgetting a record", () => {
  it("drop() does forget at once in memory, and then in the colo", async () => {
    const { records, colo } = tiers({ memory: yes(1), colo: yes(1) });
    const dropping = records.drop(KEY);
    expect(records.hot(KEY)).toBeUndefined();
    await dropping;
    expect(colo.state.record).toBeUndefined();
  });
});
