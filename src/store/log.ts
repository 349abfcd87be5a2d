import { setBounded } from "../core/bounded-map.ts";
import type { FarStore, Log, MemoryStore } from "../core/store.ts";

export type LogParts<T> = {
  readonly memory: MemoryStore<T>;
  readonly colo: FarStore<T>;
  /** Absent where no namespace is bound. */
  readonly kv: FarStore<T> | undefined;
  readonly merge: (one: T, other: T) => T;
  readonly wait: (ms: number) => Promise<void>;
  /** How long the far tiers keep an account, in seconds. */
  readonly keptS: number;
  /** What an account becomes by being written to the colo, given what was there; nothing else, where it is left out. */
  readonly stamp?: (account: T) => T;
};

/** Workers KV takes one write a second for a key. */
const BETWEEN_KV_WRITES_MS = 1100;
/** Another isolate may have read before we wrote, and written after: when our words are looked for again, and again. */
const READ_BACKS_MS = [50, 250, 1000];

/** How much work is gathered at once: a request that the platform ends leaves its own behind. */
const MOST_UNDER_WAY = 10_000;

/** How long work of another request is waited for: one that was ended leaves its work hanging. */
const PATIENCE_MS = 3000;

/**
 * Accounts in tiers. The far tiers know no transactions, so what is written is read back behind the response and written once
 * more where another isolate has overwritten it. Writes are gathered: many at once become two.
 */
export function mergedLog<T>({ memory, colo, kv, merge, wait, keptS, stamp = same }: LogParts<T>): Log<T> {
  /** Accounts on their way to the colo, which memory must not lose, and how many wait for each. */
  const leaving = new Map<string, { account: T; waiting: number }>();

  const held = (key: string): T | undefined => leaving.get(key)?.account ?? memory.get(key);

  const leave = (key: string, account: T): void => {
    const waiting = (leaving.get(key)?.waiting ?? 0) + 1;
    setBounded(leaving, key, { account, waiting }, MOST_UNDER_WAY);
    memory.set(key, account);
  };

  const left = (key: string): void => {
    const going = leaving.get(key);
    if (going !== undefined && --going.waiting === 0) leaving.delete(key);
  };

  const learn = (key: string, account: T | undefined): T | undefined => {
    const before = held(key);
    const all = before === undefined || account === undefined ? (before ?? account) : merge(before, account);
    if (all === undefined) return undefined;
    const going = leaving.get(key);
    if (going !== undefined) going.account = all;
    memory.set(key, all);
    return all;
  };

  const writeColo = async (key: string): Promise<void> => {
    const known = learn(key, await colo.get(key));
    if (known === undefined) return;
    const account = stamp(known);
    memory.set(key, account);
    await colo.put(key, account, keptS);
  };

  const readBack = async (key: string): Promise<void> => {
    for (const ms of READ_BACKS_MS) {
      await wait(ms);
      const stored = await colo.get(key);
      const account = learn(key, stored);
      if (account === undefined || JSON.stringify(stored) === JSON.stringify(account)) continue;
      await colo.put(key, account, keptS);
    }
  };

  const writeKv = async (key: string): Promise<void> => {
    if (kv === undefined) return;
    const account = learn(key, await kv.get(key));
    if (account !== undefined) await kv.put(key, account, keptS);
    await wait(BETWEEN_KV_WRITES_MS);
  };

  const toColo = gathered(writeColo, wait);
  const again = gathered(readBack, wait);
  const toKv = gathered(writeKv, wait);

  return {
    hot: held,
    keys: () => memory.keys(),
    async look(key, isFar) {
      const [near, far] = await Promise.all([colo.get(key), isFar ? kv?.get(key) : undefined]);
      learn(key, near);
      learn(key, far);
    },
    async note(key, change, defer) {
      leave(key, change(held(key)));
      if (kv !== undefined) defer(toKv(key));
      const written = toColo(key).finally(() => left(key));
      defer(written); // it is others' as well, and is done even if whoever told us does not wait
      await written;
      defer(again(key));
    },
  };
}

function same<T>(account: T): T {
  return account;
}

/**
 * Work for a key that is under way is not begun beside itself, but once more after it, for all who asked meanwhile. Whoever
 * begins it waits first and does it itself: I/O belongs to the request that begins it.
 */
function gathered(
  work: (key: string) => Promise<void>,
  wait: (ms: number) => Promise<void>,
): (key: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();

  const begin = (key: string): Promise<void> => {
    const running = work(key).finally(() => {
      if (underWay.get(key) === running) underWay.delete(key);
    });
    setBounded(underWay, key, running, MOST_UNDER_WAY);
    return running;
  };

  return async (key) => {
    const before = underWay.get(key);
    if (before === undefined) return await begin(key);
    const done = before.catch(() => undefined); // whoever began it sees it fail
    await Promise.race([done, wait(PATIENCE_MS)]);
    if (underWay.get(key) === before) underWay.delete(key);
    const since = underWay.get(key);
    return await (since ?? begin(key));
  };
}
