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
  /** Another isolate may have read before we wrote, and written after: how often our words are looked for again. */
  readonly readBacks: number;
};

/** Workers KV takes one write a second for a key. */
const BETWEEN_KV_WRITES_MS = 1100;
const BEFORE_READ_BACK_MS = 50;

/**
 * Accounts in tiers. The far tiers know no transactions, so what is written is read back behind the response and written once
 * more where another isolate has overwritten it. Writes to KV are gathered: many in a second become one.
 */
export function mergedLog<T>({ memory, colo, kv, merge, wait, keptS, readBacks }: LogParts<T>): Log<T> {
  const learn = (key: string, account: T | undefined): void => {
    if (account === undefined) return;
    const known = memory.get(key);
    memory.set(key, known === undefined ? account : merge(known, account));
  };

  const writeColo = async (key: string): Promise<void> => {
    learn(key, await colo.get(key));
    const account = memory.get(key);
    if (account !== undefined) await colo.put(key, account, keptS);
  };

  const readBack = async (key: string): Promise<void> => {
    for (let time = 0; time < readBacks; time++) {
      await wait(BEFORE_READ_BACK_MS);
      const stored = await colo.get(key);
      learn(key, stored);
      const account = memory.get(key);
      if (account === undefined || JSON.stringify(stored) === JSON.stringify(account)) continue;
      await colo.put(key, account, keptS);
    }
  };

  const writeKv = async (key: string): Promise<void> => {
    if (kv === undefined) return;
    learn(key, await kv.get(key));
    const account = memory.get(key);
    if (account !== undefined) await kv.put(key, account, keptS);
    await wait(BETWEEN_KV_WRITES_MS);
  };

  const toColo = gathered(writeColo);
  const again = gathered(readBack);
  const toKv = gathered(writeKv);

  return {
    hot: (key) => memory.get(key),
    keys: () => memory.keys(),
    async look(key, isFar) {
      const [near, far] = await Promise.all([colo.get(key), isFar ? kv?.get(key) : undefined]);
      learn(key, near);
      learn(key, far);
    },
    async note(key, change, defer) {
      memory.set(key, change(memory.get(key)));
      if (kv !== undefined) defer(toKv(key));
      await toColo(key);
      if (readBacks > 0) defer(again(key));
    },
  };
}

/** Work for a key that is under way is not begun beside itself, but once more after it, for all who asked meanwhile. */
function gathered(work: (key: string) => Promise<void>): (key: string) => Promise<void> {
  const underWay = new Map<string, Promise<void>>();
  const following = new Map<string, Promise<void>>();

  const begin = (key: string): Promise<void> => {
    const running = work(key).finally(() => {
      if (underWay.get(key) === running) underWay.delete(key);
    });
    underWay.set(key, running);
    return running;
  };

  return async (key) => {
    const known = following.get(key); // looked at first: between the two there is a moment without a running one
    if (known !== undefined) return await known;
    const running = underWay.get(key);
    if (running === undefined) return await begin(key);
    const next = running
      .catch(() => undefined) // whoever began it sees it fail
      .then(() => {
        following.delete(key);
        return begin(key);
      });
    following.set(key, next);
    return await next;
  };
}
