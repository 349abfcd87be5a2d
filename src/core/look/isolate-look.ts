import type { OutcomeLabel } from "../outcome-label.ts";
import type { CacheName, LaneName, OriginAnswer, Trouble } from "../telemetry.ts";

/** What one isolate has seen since it began; times are in milliseconds since 1970. */
export type IsolateLook = Counts & {
  /** A name that no other isolate of the colo has. */
  readonly isolate: string;
  readonly since: number;
  /** When it was written down. */
  readonly at: number;
};

/** What can be summed over isolates. */
export type Counts = {
  readonly lanes: Readonly<Record<LaneName, LaneCounts>>;
  readonly caches: Readonly<Record<CacheName, OutcomeCounts>>;
  readonly bytes: ByteCounts;
  readonly held: Readonly<Record<CacheName, Held>>;
  /** The last minutes, oldest first. */
  readonly pace: readonly Pace[];
  /** The origin's slowest answers of late, slowest first. */
  readonly slowest: readonly OriginAnswer[];
  /** What went wrong of late, newest first. */
  readonly troubles: readonly RepeatedTrouble[];
};

export type LaneCounts = {
  readonly requests: number;
  /** Those answered with 4xx, and with 5xx. */
  readonly refused: number;
  readonly failed: number;
  /** Requests to the origin. */
  readonly asked: number;
};

export type OutcomeCounts = Readonly<Record<OutcomeLabel, number>>;

/** Bytes of bodies by where they came from. */
export type ByteCounts = { readonly cache: number; readonly origin: number };

/** What memory holds. */
export type Held = { readonly entries: number; readonly bytes: number };

/** `SLOT_MS` of time: requests on the lanes that are cached, and those to the origin for them. */
export type Pace = { readonly at: number; readonly requests: number; readonly asked: number };

/** The same trouble, however often; `at` is the last time. */
export type RepeatedTrouble = Trouble & { readonly times: number };

export const SLOT_MS = 5000;
/** Five minutes. */
export const SLOTS = 60;
