import { picker } from "../../../scripts/load/picker.ts";

/** One of the values, each as likely. */
export const oneOf = picker(Math.random);

/** One of the kinds, each as likely as its weight says. */
export function byWeight<Kind extends string>(weights: Readonly<Record<Kind, number>>): Kind {
  const kinds = Object.keys(weights) as Kind[];
  const total = kinds.reduce((sum, kind) => sum + weights[kind], 0);
  let left = Math.random() * total;
  for (const kind of kinds) if ((left -= weights[kind]) < 0) return kind;
  throw new RangeError("There is nothing to pick from");
}

/** A whole number from `least` up to, but not including, `end`. */
export function between(least: number, end: number): number {
  return least + Math.floor(Math.random() * (end - least));
}
