import { outcomeLabel } from "../src/core/outcome-label.ts";
import { CACHE_NAMES, type OriginAnswer, type RequestRecord, type Trouble } from "../src/core/telemetry.ts";

/** Gathers what happened into data points, of which Analytics Engine takes 250 a request. */
export type Analytics = {
  request(record: RequestRecord, times: number): void;
  origin(answer: OriginAnswer): void;
  bytes(host: string, source: "cache" | "origin", count: number): void;
  trouble(trouble: Trouble): void;
  /** Writes all that has gathered. */
  write(): void;
};

type Point = { readonly indexes: [host: string]; blobs: string[]; doubles: number[] };

/** Beyond that, what happens in a moment is not told apart: it is left out. */
const MOST_POINTS = 200;
/** What a data point may hold: it is refused, with an error, where its index or all its blobs are longer. */
const INDEX_BYTES = 96;
const TEXT_LENGTH = 1000;

/**
 * Things that went alike are one point. The index is the host; blobs are the kind, the host, the lane and what tells such things
 * apart; the first double is how many they were. docs/analytics.md has the columns of each kind, and the queries.
 */
export function analytics(dataset: AnalyticsEngineDataset | undefined): Analytics {
  const points = new Map<string, Point>();

  const pointOf = (...blobs: string[]): Point | undefined => {
    if (dataset === undefined) return undefined;
    const key = blobs.join("\n");
    const known = points.get(key);
    if (known !== undefined || points.size >= MOST_POINTS) return known;
    const point: Point = {
      indexes: [(blobs[1] ?? "").slice(0, INDEX_BYTES)],
      blobs,
      doubles: [],
    };
    points.set(key, point);
    return point;
  };

  return {
    request(record, times) {
      if (dataset === undefined) return;
      const { host, lane, status } = record;
      const outcomes = CACHE_NAMES.map((cache) => outcomeLabel(record[cache]) ?? "");
      const point = pointOf("request", host, lane, ...outcomes, String(status));
      if (point !== undefined) point.doubles = [(point.doubles[0] ?? 0) + times, status];
      if (record.hotBytes > 0) this.bytes(host, "cache", record.hotBytes * times);
    },
    origin({ host, lane, status, method, path = "", ms }) {
      const point = pointOf("origin", host, lane, String(status));
      if (point === undefined) return;
      const [times = 0, sum = 0, slowest = 0] = point.doubles;
      if (times === 0 || ms > slowest) point.blobs.splice(4, 2, method, path);
      point.doubles = [times + 1, sum + ms, Math.max(slowest, ms)];
    },
    bytes(host, source, count) {
      const point = pointOf("bytes", host, "", source);
      if (point !== undefined) point.doubles = [(point.doubles[0] ?? 0) + count];
    },
    trouble({ host = "", lane = "", problem, path = "" }) {
      const point = pointOf("trouble", host, lane, problem);
      if (point === undefined) return;
      point.blobs[4] = path;
      point.doubles = [(point.doubles[0] ?? 0) + 1];
    },
    write() {
      const all = [...points.values()];
      points.clear();
      for (const { blobs, ...point } of all)
        dataset?.writeDataPoint({ ...point, blobs: blobs.map((text) => text.slice(0, TEXT_LENGTH)) });
    },
  };
}
