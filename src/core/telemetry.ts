import type { CacheOutcome } from "./cache-status.ts";
import type { Tier } from "./store.ts";

export const CACHE_NAMES = ["grant", "revision", "body"] as const;
export type CacheName = (typeof CACHE_NAMES)[number];

/** What kind of request it was; `pass` for what was sent on as it came. */
export const LANE_NAMES = ["raw", "object", "artifact", "pipelines", "pass"] as const;
export type LaneName = (typeof LANE_NAMES)[number];

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

/** What the origin answered to one request, or that it did not; times in milliseconds. */
export type OriginAnswer = {
  /** Of the site. */
  readonly host: string;
  readonly lane: LaneName;
  readonly method: string;
  /** Of the origin's URL, without its query. Absent for what was passed through: paths of a forge's pages may hold secrets. */
  readonly path?: string;
  readonly status: number | "timeout" | "unreachable";
  /** How long it took. */
  readonly ms: number;
  /** When it was there. */
  readonly at: number;
};

/** Something that went wrong at the edge, or between it and what it relies on. */
export type Trouble = {
  /** Of the site, where it was about one. */
  readonly host?: string;
  readonly lane?: LaneName;
  /** The name of a problem, or what the origin answered. */
  readonly problem: string;
  readonly path?: string;
  readonly at: number;
};

/** Where events are counted. Every call is cheap enough for the hot path; labels come from fixed sets. */
export interface Telemetry {
  /** Equal requests in a row may be one record, counted again. */
  request(record: RequestRecord, now: number): void;
  /** How long finding an answer in the far tiers took, found or not, in milliseconds. */
  lookup(cache: CacheName, ms: number): void;
  /** How long the origin took to give an answer that was not cached, in milliseconds. */
  computed(cache: CacheName, ms: number): void;
  origin(answer: OriginAnswer): void;
  /** Bytes of a body for the site of that host. */
  bytes(host: string, source: "cache" | "origin", count: number): void;
  trouble(trouble: Trouble): void;
  /** A delivery of a webhook or notification. */
  event(outcome: "taken" | "ignored" | "malformed" | "unproven" | "too_large" | "busy"): void;
  /** A list that was to be made of the forge's database: that it was, or why not. */
  database(outcome: string): void;
  /** A file that was fetched before anybody asked for it. */
  preloaded(outcome: "fetched" | "refused" | "failed"): void;
  storeError(tier: Exclude<Tier, "memory">): void;
}
