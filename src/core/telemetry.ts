import type { CacheOutcome } from "./cache-status.ts";
import type { Tier } from "./store.ts";

export type CacheName = "grant" | "revision" | "body";

/** What kind of request it was; `pass` for what was sent on as it came. */
export type LaneName = "raw" | "object" | "artifact" | "pipelines" | "pass";

/** One finished request, as it is counted. */
export type RequestRecord = {
  readonly host: string;
  readonly lane: LaneName;
  readonly status: number;
  readonly grant: CacheOutcome;
  readonly revision: CacheOutcome;
  readonly body: CacheOutcome;
  /** Bytes of the body that came from memory. */
  readonly hotBytes: number;
};

/** Where events are counted. Every call is cheap enough for the hot path; labels come from fixed sets. */
export interface Telemetry {
  /** Equal requests in a row may be one record, counted again. */
  request(record: RequestRecord, now: number): void;
  /** How long finding an answer in the far tiers took, found or not, in milliseconds. */
  lookup(cache: CacheName, ms: number): void;
  /** How long the origin took to give an answer that was not cached, in milliseconds. */
  computed(cache: CacheName, ms: number): void;
  origin(lane: LaneName, status: number | "timeout" | "unreachable", ms: number): void;
  bytes(source: "cache" | "origin", count: number): void;
  /** A delivery of a webhook or notification. */
  event(outcome: "taken" | "ignored" | "malformed" | "unproven" | "too_large"): void;
  /** A list that was to be made of the forge's database: that it was, or why not. */
  database(outcome: string): void;
  /** A file that was fetched before anybody asked for it. */
  preloaded(outcome: "fetched" | "refused" | "failed"): void;
  storeError(tier: Exclude<Tier, "memory">): void;
}
