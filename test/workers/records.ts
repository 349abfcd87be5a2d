import { UNUSED } from "../../src/core/cache-status.ts";
import type { OriginAnswer, RequestRecord } from "../../src/core/telemetry.ts";

/** A time. */
export const NOW = 1_800_000_000_000;

/** A finished request for a raw file, found in memory, but for what is said otherwise. */
export function record(more: Partial<RequestRecord> = {}): RequestRecord {
  const hit = { kind: "hit", tier: "memory", ttl: 20 } as const;
  return {
    host: "git.test",
    lane: "raw",
    status: 200,
    grant: hit,
    revision: hit,
    body: hit,
    hotBytes: 0,
    ...more,
  };
}

/** A request that no cache had a part in. */
export function passed(more: Partial<RequestRecord> = {}): RequestRecord {
  return record({ lane: "pass", grant: UNUSED, revision: UNUSED, body: UNUSED, ...more });
}

/** An answer of the origin to a question for a raw file, but for what is said otherwise. */
export function answer(more: Partial<OriginAnswer> = {}): OriginAnswer {
  return {
    host: "git.test",
    lane: "raw",
    method: "GET",
    path: "/a",
    status: 200,
    ms: 10,
    at: NOW,
    ...more,
  };
}

/** A data point as the Worker writes it: of texts, not of bytes. */
export type Point = {
  readonly indexes: readonly [string];
  readonly blobs: readonly string[];
  readonly doubles: readonly number[];
};

/** Where data points go that a test reads; each is a copy, as on the platform. */
export function keptDataset(): { readonly dataset: AnalyticsEngineDataset; readonly points: Point[] } {
  const points: Point[] = [];
  const writeDataPoint = (point?: AnalyticsEngineDataPoint) =>
    void points.push(structuredClone(point as unknown as Point));
  return { points, dataset: { writeDataPoint } };
}
