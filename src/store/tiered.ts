import { isFromFuture } from "../core/freshness.ts";
import type { FarStore, Found, MemoryStore, Records, Stamped, Tier } from "../core/store.ts";

export type Tiers<T> = {
  readonly memory: MemoryStore<T>;
  readonly colo: FarStore<T>;
  /** Absent where no namespace is bound. */
  readonly kv: FarStore<T> | undefined;
  readonly now: () => number;
};

/**
 * Records looked up memory first, then in the colo, then in KV. The newest record wins even where it is of no use
 * any more: an old "yes" further out never comes back over a newer "no". One that an isolate with a faster clock has stamped counts in
 * this, but is not kept: what is learned here would be older than it for as long as the clocks differ.
 */
export function tieredRecords<T extends Stamped>({ memory, colo, kv, now }: Tiers<T>): Records<T> {
  let drops = 0;

  const search = async (
    key: string,
    usable: (record: T) => boolean,
    stores: readonly [Tier, FarStore<T>][],
  ): Promise<Found<T> | undefined> => {
    const dropsBefore = drops;
    let newest = fromMemory(memory.get(key));
    if (newest !== undefined && usable(newest.record)) return newest;
    for (const [tier, store] of stores) {
      const record = await store.get(key);
      if (drops !== dropsBefore) return undefined; // what was read meanwhile may be what was dropped
      newest = newer(newest, fromMemory(memory.get(key)));
      if (record === undefined || (newest !== undefined && record.at <= newest.record.at)) {
        if (newest !== undefined && usable(newest.record)) return newest;
        continue;
      }
      newest = { record, tier };
      if (!isFromFuture(record.at, now())) memory.set(key, record);
      if (usable(record)) return newest;
    }
    return undefined;
  };

  return {
    hot: (key) => memory.get(key),

    keys: () => memory.keys(),

    find: (key, usable) => search(key, usable, far(colo, kv)),

    findNear: (key, usable) => search(key, usable, far(colo, undefined)),

    hold: (key, record) => memory.set(key, record),

    async put(key, record, { coloS, kvS }) {
      const before = memory.get(key)?.at ?? record.at;
      if (before > record.at && !isFromFuture(before, now())) return; // a slow answer does not undo a newer one
      memory.set(key, record);
      const writes = [colo.put(key, record, coloS)];
      if (kv !== undefined && kvS !== undefined) writes.push(kv.put(key, record, kvS));
      await Promise.all(writes);
    },

    async drop(key) {
      drops++;
      memory.delete(key);
      await colo.delete(key);
    },
  };
}

function fromMemory<T>(record: T | undefined): Found<T> | undefined {
  return record === undefined ? undefined : { record, tier: "memory" };
}

function newer<T extends Stamped>(
  one: Found<T> | undefined,
  other: Found<T> | undefined,
): Found<T> | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.record.at > one.record.at ? other : one;
}

function far<T>(colo: FarStore<T>, kv: FarStore<T> | undefined): [Tier, FarStore<T>][] {
  return kv === undefined
    ? [["colo", colo]]
    : [
        ["colo", colo],
        ["kv", kv],
      ];
}
