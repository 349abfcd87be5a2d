import { seededRandom, type Random } from "./random.ts";

/** How often the uses of a store go wrong, each from 0 to 1; their sum is 1 at most. */
export type FaultRates = {
  /** The use is refused. */
  readonly throws: number;
  /** The use settles only after `hangMs`, and is refused then. */
  readonly hangs: number;
  /** Nothing is found, and nothing kept. */
  readonly loses: number;
  /** What was found breaks off midway. */
  readonly breaks: number;
};

export type StoreWorld = FaultRates & { readonly hangMs: number };

export const NO_FAULTS: StoreWorld = { throws: 0, hangs: 0, loses: 0, breaks: 0, hangMs: 0 };

export type Fault = "none" | keyof FaultRates;

/** What becomes of the next use of a store. */
export function drawFault(random: Random, { throws, hangs, loses, breaks }: FaultRates): Fault {
  const drawn = random.next();
  if (drawn < throws) return "throws";
  if (drawn < throws + hangs) return "hangs";
  if (drawn < throws + hangs + loses) return "loses";
  return drawn < throws + hangs + loses + breaks ? "breaks" : "none";
}

/** How often each thing was done to a store. */
export type FaultCounts = Record<Fault, number>;

/** Decides about every use of one store. */
export type Trouble = {
  world: StoreWorld;
  readonly counts: FaultCounts;
  reseed(seed: number): void;
  draw(): Fault;
};

export function newTrouble(): Trouble {
  let random = seededRandom(0);
  const trouble: Trouble = {
    world: NO_FAULTS,
    counts: { none: 0, throws: 0, hangs: 0, loses: 0, breaks: 0 },
    reseed: (seed) => void (random = seededRandom(seed)),
    draw() {
      const fault = drawFault(random, trouble.world);
      trouble.counts[fault] += 1;
      return fault;
    },
  };
  return trouble;
}
