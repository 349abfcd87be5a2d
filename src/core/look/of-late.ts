import type { OriginAnswer, Trouble } from "../telemetry.ts";
import { SLOT_MS, SLOTS, type Pace, type RepeatedTrouble } from "./isolate-look.ts";

/*
 * Short lists of what happened lately: each function returns a new list with one more in it, bounded in length and age.
 */

const SLOWEST = 10;
const TROUBLES = 20;
/** For how long an answer or a trouble is of interest. */
const LATELY_MS = 15 * 60_000;

/** The slowest answers of late, slowest first. */
export function withSlow(slowest: readonly OriginAnswer[], answer: OriginAnswer): readonly OriginAnswer[] {
  const last = slowest.at(-1);
  const isFull = slowest.length >= SLOWEST && last !== undefined;
  if (isFull && last.ms >= answer.ms && slowest.every((each) => isLate(each, answer.at))) return slowest;
  return [...slowest, answer]
    .filter((each) => isLate(each, answer.at))
    .toSorted((one, other) => other.ms - one.ms)
    .slice(0, SLOWEST);
}

/** Troubles of late, newest first; the same one again is counted, not added. */
export function withTrouble(
  troubles: readonly RepeatedTrouble[],
  trouble: Trouble,
  times = 1,
): readonly RepeatedTrouble[] {
  const before = troubles.find((each) => isSame(each, trouble));
  const at = Math.max(trouble.at, before?.at ?? 0);
  return [
    { ...trouble, at, times: times + (before?.times ?? 0) },
    ...troubles.filter((each) => each !== before),
  ]
    .filter((each) => isLate(each, at))
    .toSorted((one, other) => other.at - one.at)
    .slice(0, TROUBLES);
}

/** The pace with so much more at a time; slots without anything are left out. */
export function withPace(pace: readonly Pace[], more: Pace): readonly Pace[] {
  const at = slotOf(more.at);
  const before = pace.find((slot) => slot.at === at);
  const requests = more.requests + (before?.requests ?? 0);
  const slot = { at, requests, asked: more.asked + (before?.asked ?? 0) };
  const newest = Math.max(at, pace.at(-1)?.at ?? 0);
  return [...pace.filter((each) => each !== before), slot]
    .filter((each) => each.at > newest - SLOTS * SLOT_MS)
    .toSorted((one, other) => one.at - other.at);
}

/** What of a list is still of interest. */
export function ofLate<T extends { readonly at: number }>(list: readonly T[], now: number): readonly T[] {
  return list.filter((each) => isLate(each, now));
}

/** When the slot began that a time is in. */
export function slotOf(at: number): number {
  return at - (at % SLOT_MS);
}

function isLate(thing: { readonly at: number }, now: number): boolean {
  return thing.at > now - LATELY_MS;
}

function isSame(one: Trouble, other: Trouble): boolean {
  return (
    one.host === other.host &&
    one.lane === other.lane &&
    one.problem === other.problem &&
    one.path === other.path
  );
}
