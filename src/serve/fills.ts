import type { Fill } from "./fill.ts";

/** Fills under way, by body; a body can be filled in several places at once. */
export type Fills = {
  /** The newest fill that brings a block, or has brought it. */
  find(bodyKey: string, index: number): Fill | undefined;
  add(bodyKey: string, fill: Fill): void;
  remove(bodyKey: string, fill: Fill): void;
};

export function newFills(): Fills {
  const underWay = new Map<string, Fill[]>();
  return {
    find: (key, index) => underWay.get(key)?.findLast((fill) => fill.covers(index)),
    add: (key, fill) => void underWay.set(key, [...(underWay.get(key) ?? []), fill]),
    remove(key, fill) {
      const others = underWay.get(key)?.filter((each) => each !== fill) ?? [];
      if (others.length === 0) underWay.delete(key);
      else underWay.set(key, others);
    },
  };
}
