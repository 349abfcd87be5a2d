/** Raised when the meaning of anything stored changes; what an older Worker stored is then never read. */
const GENERATION = "1";

export type KeyKind = "grant" | "revision" | "entry" | "latest" | "body" | "list" | "change";

/**
 * The one maker of cache keys. Each part is escaped and marked, so that no two lists of parts make one key,
 * and no part can become a dot segment when the key is used as a URL path.
 */
export function makeKey(kind: KeyKind, ...parts: readonly string[]): string {
  return `${GENERATION}/${kind}/${parts.map((part) => `~${encodeURIComponent(part)}`).join("/")}`;
}
