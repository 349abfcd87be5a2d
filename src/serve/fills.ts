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
  const keep = (key: string, isKept: (fill: Fill) => boolean): void => {
    const kept = underWay.get(key)?.filter(isKept) ?? [];
    if (kept.length === 0) underWay.delete(key);
    else underWay.set(key, kept);
  };

  return {
    find: (key, index) => underWay.get(key)?.findLast((fill) => fill.covers(index) && !fill.isDead()),
    add(key, fill) {
      for (const each of underWay.keys()) keep(each, (other) => !other.isDead());
      underWay.set(key, [...(underWay.get(key) ?? []), fill]);
    },
    remove: (key, fill) => keep(key, (other) => other !== fill),
  };
}
