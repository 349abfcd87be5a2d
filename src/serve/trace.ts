import { UNUSED, type CacheOutcome } from "../core/cache-status.ts";
import type { Tier } from "../core/store.ts";

/** What a request met on its way, for `Cache-Status`, `Server-Timing` and the metrics. */
export type Trace = {
  /** When the request came, in milliseconds. */
  readonly startedAt: number;
  grant: CacheOutcome;
  revision: CacheOutcome;
  body: CacheOutcome;
  /** Where the entry was found, which is all that an answer without bytes takes from the cache of bodies. */
  entryTier: Tier | undefined;
  /** Bytes that were sent from memory. */
  hotBytes: number;
  /** Milliseconds spent on each step, `undefined` where it took no waiting. */
  grantMs: number | undefined;
  revisionMs: number | undefined;
  bodyMs: number | undefined;
  /** Milliseconds of the above in which the origin was waited for. */
  originMs: number | undefined;
  /** When the revision, or an immutable file's entry, was learned: what `Age` counts from. */
  validatedAt: number;
};

export function newTrace(startedAt: number): Trace {
  return {
    startedAt,
    grant: UNUSED,
    revision: UNUSED,
    body: UNUSED,
    entryTier: undefined,
    hotBytes: 0,
    grantMs: undefined,
    revisionMs: undefined,
    bodyMs: undefined,
    originMs: undefined,
    validatedAt: 0,
  };
}

/** `Server-Timing` with the three steps and the origin (W3C Server Timing §2); steps that took no waiting show 0. */
export function formatServerTiming(trace: Trace): string {
  const { grantMs = 0, revisionMs = 0, bodyMs = 0, originMs = 0 } = trace;
  return `grant;dur=${grantMs}, revision;dur=${revisionMs}, body;dur=${bodyMs}, origin;dur=${originMs}`;
}
