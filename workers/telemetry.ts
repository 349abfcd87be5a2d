import type { IsolateLook } from "../src/core/look/isolate-look.ts";
import type { OriginAnswer, RequestRecord, Telemetry, Trouble } from "../src/core/telemetry.ts";
import { analytics } from "./analytics.ts";
import { lookCollector } from "./look-collector.ts";
import { series, type Scraped } from "./series.ts";
import type { Sizes } from "./sizes.ts";

/** How long finished requests may wait to be counted, and how many kinds of them. */
const SETTLE_MS = 1000;
const MOST_UNSETTLED = 200;

export type TelemetryParts = {
  readonly sizes: Sizes;
  readonly dataset: AnalyticsEngineDataset | undefined;
  /** The name of this isolate, asked for once. */
  readonly isolate: () => string;
};

export type Told = {
  readonly port: Telemetry;
  /** The counts as Prometheus has them. */
  readonly scrape: (now: number) => Promise<Scraped>;
  /** The counts for those who look inside. */
  readonly look: (now: number) => IsolateLook;
};

/**
 * Tells what happens to three who want to know: Prometheus, Analytics Engine where a dataset is bound, and who looks inside.
 * A hit adds one to a number; once a second the numbers are told.
 */
export function telemetry({ sizes, dataset, isolate }: TelemetryParts): Told {
  const counted = series(sizes);
  const points = analytics(dataset);
  const seen = lookCollector(sizes, isolate);
  /** Finished requests that are not told of yet. */
  const tally = new Map<RequestRecord, number>();
  let settledAt = 0;

  const settle = (now: number): void => {
    settledAt = now;
    for (const [record, times] of tally) {
      counted.request(record, times);
      points.request(record, times);
      seen.request(record, times, now);
    }
    tally.clear();
    points.write();
  };

  const port: Telemetry = {
    ...counted,
    request(record, now) {
      tally.set(record, (tally.get(record) ?? 0) + 1);
      if (now - settledAt >= SETTLE_MS || tally.size >= MOST_UNSETTLED) settle(now);
    },
    origin(answer) {
      counted.origin(answer);
      points.origin(answer);
      seen.origin(answer);
      if (isTroubling(answer)) port.trouble(asTrouble(answer));
    },
    bytes(host, source, count) {
      counted.bytes(host, source, count);
      points.bytes(host, source, count);
      seen.bytes(source, count);
    },
    trouble(trouble) {
      points.trouble(trouble);
      seen.trouble(trouble);
    },
  };

  return {
    port,
    scrape(now) {
      settle(now);
      return counted.scrape();
    },
    look(now) {
      settle(now);
      return seen.look(now);
    },
  };
}

function asTrouble({ host, lane, path, status, method, at }: OriginAnswer): Trouble {
  return { host, lane, problem: `origin ${status} to ${method}`, at, ...(path !== undefined && { path }) };
}

function isTroubling({ status }: OriginAnswer): boolean {
  return typeof status === "string" || status >= 500;
}
