import type { MemoryStore } from "../core/store.ts";

type Cell<T> = { readonly value: T; readonly weight: number; used: boolean };

/**
 * A map that, once its values weigh too much (or are too many, at a weight of 1 each), forgets what came first;
 * what was used since gets a second chance. Ours, as it stands on the hot path: a hit is one look-up and one mark,
 * where strict order of use would cost a deletion and an insertion.
 */
export function memoryStore<T>(
  maxWeight: number,
  weigh: (value: T, key: string) => number = () => 1,
): MemoryStore<T> {
  const held = new Map<string, Cell<T>>();
  let weight = 0;

  const remove = (key: string): void => {
    const cell = held.get(key);
    if (cell === undefined) return;
    weight -= cell.weight;
    held.delete(key);
  };

  /** A `Map` is walked in order of insertion, and reaches again what is put back at its end. */
  const makeRoom = (): void => {
    for (const [key, cell] of held) {
      if (weight <= maxWeight) return;
      if (!cell.used) {
        remove(key);
        continue;
      }
      cell.used = false;
      held.delete(key);
      held.set(key, cell);
    }
  };

  return {
    get(key) {
      const cell = held.get(key);
      if (cell === undefined) return undefined;
      cell.used = true;
      return cell.value;
    },
    set(key, value) {
      remove(key);
      const own = weigh(value, key);
      if (own > maxWeight) return;
      held.set(key, { value, weight: own, used: true });
      weight += own;
      if (weight > maxWeight) makeRoom();
    },
    delete: remove,
    keys: () => held.keys(),
    get count() {
      return held.size;
    },
    get weight() {
      return weight;
    },
  };
}
