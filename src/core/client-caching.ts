/** A list is asked for because it changes: clients keep it only to ask whether it still is so. As GitLab says it. */
export const LIST_CACHE_CONTROL = "max-age=0, private, must-revalidate";

/** What a client and the caches between may do with an answer (RFC 9111 §5.2, RFC 5861, RFC 8246). */
export function clientCacheControl(readableByAnyone: boolean, immutable: boolean): string {
  const who = readableByAnyone ? "public" : "private";
  return immutable ? `${who}, max-age=31536000, immutable` : `${who}, max-age=60, stale-while-revalidate=60`;
}
