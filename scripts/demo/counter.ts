export interface Counter<Kind extends string> {
  add(kind: Kind, amount?: number): void;
  read(): Record<Kind, number>;
  reset(): void;
}

/** Counts of some kinds, all from zero. */
export function createCounter<Kind extends string>(kinds: readonly Kind[]): Counter<Kind> {
  const zero = () => Object.fromEntries(kinds.map((kind) => [kind, 0])) as Record<Kind, number>;
  let counts = zero();
  return {
    add: (kind, amount = 1) => {
      counts[kind] += amount;
    },
    read: () => ({ ...counts }),
    reset: () => {
      counts = zero();
    },
  };
}
