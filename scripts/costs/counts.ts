/** What Cloudflare counts, bills or limits. */
export const COUNTED = [
  "requests",
  "kvReads",
  "kvWrites",
  "kvDeletes",
  "kvLists",
  "cacheMatches",
  "cachePuts",
  "cacheDeletes",
  /** `fetch()` to an origin. */
  "fetches",
  "dataPoints",
] as const;

export type Counted = (typeof COUNTED)[number];

/** How often each was done, by a Worker or for each of its requests. */
export type Counts = Readonly<Record<Counted, number>>;

/** Counts made one by one. */
export function countsOf(value: (name: Counted) => number): Counts {
  return Object.fromEntries(COUNTED.map((name) => [name, value(name)])) as Record<Counted, number>;
}

/** What was counted between two looks. */
export function difference(after: Counts, before: Counts): Counts {
  return countsOf((name) => after[name] - before[name]);
}
