import type { MemoryStore } from "../core/store.ts";

/**
 * A map that forgets what was used longest ago once its values weigh too much (or a count, with a weight of 1 each).
 * Ours, as it stands on the hot path: a `Map` keeps insertion order, so a hit is one delete and one set.
 */
export function memoryStore<T>(maxWeight: number, weigh: (value: T) => number = () => 1): MemoryStore<T> {
  const held = new Map<string, T>();
  let weight = 0;

  const remove = (key: string): void => {
    const value = held.get(key);
    if (value === undefined) return;
    weight -= weigh(value);
    held.delete(key);
  };

  return {
    get(key) {
      const value = held.get(key);
      if (value === undefined) return undefined;
      held.delete(key);
      held.set(key, value);
      return value;
    },
    set(key, value) {
      remove(key);
      if (weigh(value) > maxWeight) return;
      held.set(key, value);
      weight += weigh(value);
      for (const oldest of held.keys()) {
        if (weight <= maxWeight) break;
        remove(oldest);
      }
    },
    delete: remove,
    get count() {
      return held.size;
    },
    get weight() {
      return weight;
    },
  };
}
