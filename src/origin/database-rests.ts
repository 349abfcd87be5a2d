import type { DatabaseFailure } from "./postgres.ts";
import { newRests } from "./rests.ts";

/** How a database and the lists that are made of it, by their names, are left alone for a while after they failed. */
export type DatabaseRests = {
  /** Whether the database, or this list of it, is left alone now. */
  readonly isResting: (list: string) => boolean;
  /** Whether the caller may try to make this list: after a rest the first may, and the others wait for how that ends. */
  readonly claim: (list: string) => boolean;
  /** This list cannot be made: its rest begins. */
  readonly rest: (list: string) => void;
  /** It failed when this list was made: a rest begins, of what the failure says something of. */
  readonly fail: (list: string, failure: DatabaseFailure) => void;
  /** This list was made: nothing rests that had to do with it. */
  readonly wake: (list: string) => void;
};

/** The name that the database as a whole rests by; a list has a longer one. */
const WHOLE = "";

/** Rests of `restMs` milliseconds by the clock `now`. */
export function databaseRests(restMs: number, now: () => number): DatabaseRests {
  const rests = newRests(restMs, now);
  return {
    isResting: (list) => rests.isResting(WHOLE) || rests.isResting(list),
    claim: (list) => rests.claim(WHOLE) && rests.claim(list),
    rest: rests.rest,
    fail(list, { fault }) {
      // One list that takes too long says nothing of the others: nobody may keep everybody from the database by asking it.
      const isOfList = fault === "too_slow";
      rests.rest(isOfList ? list : WHOLE);
      if (isOfList) rests.wake(WHOLE);
    },
    wake(list) {
      rests.wake(WHOLE);
      rests.wake(list);
    },
  };
}
