import type { Asker, Door } from "../../../scripts/load/plan.ts";
import { zipf, type Draw } from "../../../scripts/load/zipf.ts";
import { PLAN } from "./plan.ts";

const crowds = new Map<Door, { readonly askers: readonly Asker[]; readonly draw: Draw }>();

/** Somebody whose credential counts at a door; some ask more often than others. */
export function someAsker(door: Door): Asker {
  const { askers, draw } = crowds.get(door) ?? gather(door);
  const asker = askers[draw(Math.random())];
  if (asker === undefined) throw new RangeError(`There is nobody to ask at ${door}`);
  return asker;
}

function gather(door: Door) {
  const askers = PLAN.askers.filter(({ doors }) => doors.includes(door));
  const crowd = { askers, draw: zipf(askers.length) };
  crowds.set(door, crowd);
  return crowd;
}
