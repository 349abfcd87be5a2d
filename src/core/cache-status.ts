import type { Tier } from "./store.ts";

/** How one cache took part in a response (RFC 9211 §2). */
export type CacheOutcome =
  | { readonly kind: "hit"; readonly tier: Tier; readonly ttl: number | undefined }
  | { readonly kind: "forwarded"; readonly reason: "miss" | "stale" | "bypass"; readonly collapsed: boolean }
  /** The name needs no resolving, or the request never came this far. */
  | { readonly kind: "unused" };

export const UNUSED: CacheOutcome = { kind: "unused" };

export const MISS: CacheOutcome = { kind: "forwarded", reason: "miss", collapsed: false };
export const COLLAPSED: CacheOutcome = { kind: "forwarded", reason: "miss", collapsed: true };
export const STALE: CacheOutcome = { kind: "forwarded", reason: "stale", collapsed: false };

/** The status of a response that no cache of ours had a part in. */
export const PASSED_THROUGH = "forgefront; fwd=bypass";

/** `Cache-Status` with one member a cache, in the order they were asked; unused ones are left out. */
export function formatCacheStatus(grant: CacheOutcome, revision: CacheOutcome, body: CacheOutcome): string {
  const members = [
    member("forgefront-grant", grant),
    member("forgefront-revision", revision),
    member("forgefront-body", body),
  ];
  return members.filter((text) => text !== "").join(", ");
}

function member(name: string, outcome: CacheOutcome): string {
  if (outcome.kind === "unused") return "";
  if (outcome.kind === "forwarded") {
    return `${name}; fwd=${outcome.reason}${outcome.collapsed ? "; collapsed" : ""}`;
  }
  const ttl = outcome.ttl === undefined ? "" : `; ttl=${outcome.ttl}`;
  return `${name}; hit${ttl}; detail=${outcome.tier}`;
}
