/*
 * What Cloudflare asks, in US dollars, as of 2026-11-21; look at the pages before you rely on it.
 *
 * Requests and CPU:  https://developers.cloudflare.com/workers/platform/pricing/
 * Limits:            https://developers.cloudflare.com/workers/platform/limits/
 * KV:                https://developers.cloudflare.com/kv/platform/pricing/
 * Analytics Engine:  https://developers.cloudflare.com/analytics/analytics-engine/pricing/
 * Hyperdrive:        https://developers.cloudflare.com/hyperdrive/platform/pricing/
 *
 * The Cache API, traffic and Hyperdrive's queries (on the paid plan) cost nothing. Cloudflare does not bill Analytics Engine yet.
 */

/** When the prices were looked up. */
export const PRICES_AS_OF = "2026-11-21";

/** What is billed. */
export const BILLED = [
  "requests",
  "cpuMs",
  "kvReads",
  "kvWrites",
  "kvDeletes",
  "kvLists",
  "dataPoints",
] as const;
export type Billed = (typeof BILLED)[number];

/** What a month of the Workers Paid plan includes of something, and what a million more costs. */
export type Price = { readonly included: number; readonly perMillion: number };

const MILLION = 1_000_000;

export const PAID: Readonly<Record<Billed, Price>> = {
  requests: { included: 10 * MILLION, perMillion: 0.3 },
  cpuMs: { included: 30 * MILLION, perMillion: 0.02 },
  kvReads: { included: 10 * MILLION, perMillion: 0.5 },
  kvWrites: { included: MILLION, perMillion: 5 },
  kvDeletes: { included: MILLION, perMillion: 5 },
  kvLists: { included: MILLION, perMillion: 5 },
  dataPoints: { included: 10 * MILLION, perMillion: 0.25 },
};

/** The Workers Paid plan itself, a month. */
export const PAID_MONTHLY = 5;

/** What the Workers Free plan allows in a day; more is refused. CPU has a limit for each request instead. */
export const FREE_DAILY: Readonly<Record<Exclude<Billed, "cpuMs">, number>> = {
  requests: 100_000,
  kvReads: 100_000,
  kvWrites: 1000,
  kvDeletes: 1000,
  kvLists: 1000,
  dataPoints: 100_000,
};

/** What one request may take: `subrequests` are `fetch()` and uses of the Cache API; uses of KV are counted apart. */
export const PER_REQUEST = {
  free: { cpuMs: 10, subrequests: 50 },
  paid: { cpuMs: 300_000, subrequests: 10_000 },
} as const;
