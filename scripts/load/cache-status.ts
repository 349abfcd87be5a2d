/** The caches that `Cache-Status` speaks of. */
export const CACHES = ["grant", "revision", "body"] as const;
export type Cache = (typeof CACHES)[number];

/** Which caches took part in a response, and whether each had what was asked for (RFC 9211 §2). */
export function cacheHits(header: string | undefined): Readonly<Partial<Record<Cache, boolean>>> {
  const hits: Partial<Record<Cache, boolean>> = {};
  for (const member of (header ?? "").split(",")) {
    const [name, ...parameters] = member.split(";").map((text) => text.trim());
    const cache = CACHES.find((candidate) => name === `forgefront-${candidate}`);
    if (cache !== undefined) hits[cache] = parameters.includes("hit");
  }
  return hits;
}
