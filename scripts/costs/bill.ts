import { BILLED, FREE_DAILY, PAID, PAID_MONTHLY, PER_REQUEST, type Billed } from "./prices.ts";
import type { Figures } from "./figures.ts";
import type { Usage } from "./model.ts";

/** A month on the Workers Paid plan, in dollars. */
export type Bill = { readonly lines: Readonly<Record<Billed, number>>; readonly total: number };

const DAYS = 30;

/** What a month costs on the paid plan: its price, and what is above that which it includes. */
export function billOf(usage: Usage): Bill {
  const lines = Object.fromEntries(
    BILLED.map((name) => {
      const { included, perMillion } = PAID[name];
      return [name, (Math.max(0, usage[name] - included) / 1_000_000) * perMillion];
    }),
  ) as Record<Billed, number>;
  return { lines, total: PAID_MONTHLY + Object.values(lines).reduce((sum, line) => sum + line, 0) };
}

/** Something of which a day of the month takes more than the free plan allows. */
export type Excess = {
  readonly name: keyof typeof FREE_DAILY;
  readonly daily: number;
  readonly allowed: number;
};

/** What the free plan does not allow, of an average day. */
export function excessOf(usage: Usage): Excess[] {
  return (Object.keys(FREE_DAILY) as (keyof typeof FREE_DAILY)[])
    .map((name) => ({ name, daily: usage[name] / DAYS, allowed: FREE_DAILY[name] }))
    .filter(({ daily, allowed }) => daily > allowed);
}

/** The largest object that can be read for the first time on a plan, in bytes: each block is looked for, fetched and stored. */
export function largestFirstRead({ large }: Figures, plan: keyof typeof PER_REQUEST): number {
  const { fetches, cacheMatches, cachePuts } = large.first;
  return (large.bytes / (fetches + cacheMatches + cachePuts)) * PER_REQUEST[plan].subrequests;
}
