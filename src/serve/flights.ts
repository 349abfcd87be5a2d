import { setBounded } from "../core/bounded-map.ts";

/** How much work is shared at once. A request that the platform ends leaves its own behind; what is forgotten is done once more. */
const MOST_UNDER_WAY = 10_000;

/** Work that several requests wait for and one of them does. */
export type Flights<T> = {
  /** Does the work, or waits for whoever does it; `joined` tells which. */
  share(key: string, work: () => Promise<T>): { readonly joined: boolean; readonly result: Promise<T> };
  /** Whether somebody does the work just now. */
  isUnderWay(key: string): boolean;
};

/**
 * Collapses concurrent work by key. A leader whose request was killed can leave its promise hanging,
 * so those who wait do so for `patienceMs` at most and then do the work themselves.
 */
export function flights<T>(patienceMs: number): Flights<T> {
  const underWay = new Map<string, Promise<T>>();

  const lead = (key: string, work: () => Promise<T>): Promise<T> => {
    const result = work().finally(() => {
      if (underWay.get(key) === result) underWay.delete(key);
    });
    setBounded(underWay, key, result, MOST_UNDER_WAY);
    return result;
  };

  return {
    isUnderWay: (key) => underWay.has(key),
    share(key, work) {
      const leading = underWay.get(key);
      if (leading === undefined) return { joined: false, result: lead(key, work) };
      const result = withPatience(leading, patienceMs).then(async (outcome) => {
        if (outcome.kind === "done") return outcome.value;
        if (underWay.get(key) === leading) underWay.delete(key);
        return await (underWay.get(key) ?? lead(key, work));
      });
      return { joined: true, result };
    },
  };
}

type Waited<T> = { readonly kind: "done"; readonly value: T } | { readonly kind: "overdue" };

/** Waits for a promise, but not for ever. */
export async function withPatience<T>(promise: Promise<T>, ms: number): Promise<Waited<T>> {
  let timer: ReturnType<typeof setTimeout> | null = null;
  const overdue = new Promise<Waited<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: "overdue" }), ms);
  });
  try {
    return await Promise.race([promise.then((value): Waited<T> => ({ kind: "done", value })), overdue]);
  } finally {
    clearTimeout(timer);
  }
}
