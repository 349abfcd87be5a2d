import {
  Counter,
  type CounterConfiguration,
  Gauge,
  type GaugeConfiguration,
  Histogram,
  Registry,
} from "prom-client";
import type { CacheOutcome } from "../src/core/cache-status.ts";
import { outcomeLabel } from "../src/core/outcome-label.ts";
import type { CacheName, RequestRecord, Telemetry } from "../src/core/telemetry.ts";
import type { Sizes } from "./sizes.ts";

export type Scraped = { readonly type: string; readonly text: string };

/** What is counted one by one, and not once a second. */
type Singly = Omit<Telemetry, "request" | "trouble">;

export type Series = Singly & {
  request(record: RequestRecord, times: number): void;
  scrape(): Promise<Scraped>;
};

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Counts for Prometheus, with prom-client. */
export function series(sizes: Sizes): Series {
  const registry = new Registry();
  const registers = [registry];
  const byStatus = {
    raw: cells((status) => ({ lane: "raw", status })),
    object: cells((status) => ({ lane: "object", status })),
    artifact: cells((status) => ({ lane: "artifact", status })),
    pipelines: cells((status) => ({ lane: "pipelines", status })),
    pass: cells((status) => ({ lane: "pass", status })),
  };
  const byOutcome = {
    grant: cells((outcome) => ({ cache: "grant", outcome })),
    revision: cells((outcome) => ({ cache: "revision", outcome })),
    body: cells((outcome) => ({ cache: "body", outcome })),
  };
  const bySource = cells((source) => ({ source }));
  counterOver(
    {
      name: "forgefront_requests_total",
      help: "Requests answered, by lane and status",
      labelNames: ["lane", "status"],
      registers,
    },
    ...Object.values(byStatus),
  );
  counterOver(
    {
      name: "forgefront_cache_lookups_total",
      help: "How each cache took part: hit by tier, miss, stale, or collapsed into another's fetch",
      labelNames: ["cache", "outcome"],
      registers,
    },
    byOutcome.grant,
    byOutcome.revision,
    byOutcome.body,
  );
  counterOver(
    {
      name: "forgefront_body_bytes_total",
      help: "Bytes of bodies, by where they came from",
      labelNames: ["source"],
      registers,
    },
    bySource,
  );
  const lookupSeconds = new Histogram({
    name: "forgefront_cache_lookup_seconds",
    help: "Time spent looking in the colo and KV",
    labelNames: ["cache"],
    buckets: SECONDS,
    registers,
  });
  const computeSeconds = new Histogram({
    name: "forgefront_cache_compute_seconds",
    help: "Time the origin took to give what was not cached",
    labelNames: ["cache"],
    buckets: SECONDS,
    registers,
  });
  const originRequests = new Counter({
    name: "forgefront_origin_requests_total",
    help: "Requests to the origin, by lane and status",
    labelNames: ["lane", "status"],
    registers,
  });
  const originSeconds = new Histogram({
    name: "forgefront_origin_seconds",
    help: "Time until the origin began its answer",
    labelNames: ["lane"],
    buckets: SECONDS,
    registers,
  });
  const events = new Counter({
    name: "forgefront_events_total",
    help: "Deliveries of webhooks and notifications, by what became of them",
    labelNames: ["outcome"],
    registers,
  });
  const databaseLists = new Counter({
    name: "forgefront_database_lists_total",
    help: "Lists of pipelines that were to be made of the forge's database, by what became of them",
    labelNames: ["outcome"],
    registers,
  });
  const preloads = new Counter({
    name: "forgefront_preloaded_files_total",
    help: "Files fetched after a push before anybody asked for them",
    labelNames: ["outcome"],
    registers,
  });
  const storeErrors = new Counter({
    name: "forgefront_store_errors_total",
    help: "Failures of KV and the Cache API, each treated as a miss",
    labelNames: ["tier"],
    registers,
  });
  gaugeOver(
    {
      name: "forgefront_cache_entries",
      help: "Entries in this isolate's memory",
      labelNames: ["cache"],
      registers,
    },
    () => sizes().map(({ cache, entries }) => [{ cache }, entries]),
  );
  gaugeOver(
    {
      name: "forgefront_cache_bytes",
      help: "Bytes in this isolate's memory",
      labelNames: ["cache"],
      registers,
    },
    () => sizes().flatMap(({ cache, bytes }) => (bytes === undefined ? [] : [[{ cache }, bytes]])),
  );

  const lookedUp = (cache: CacheName, outcome: CacheOutcome, times: number): void => {
    const label = outcomeLabel(outcome);
    if (label !== undefined) byOutcome[cache].of(label).count += times;
  };

  return {
    request({ lane, status, grant, revision, body, hotBytes }, times) {
      byStatus[lane].of(status).count += times;
      lookedUp("grant", grant, times);
      lookedUp("revision", revision, times);
      lookedUp("body", body, times);
      if (hotBytes > 0) bySource.of("cache").count += hotBytes * times;
    },
    lookup: (cache, ms) => lookupSeconds.observe({ cache }, ms / 1000),
    computed: (cache, ms) => computeSeconds.observe({ cache }, ms / 1000),
    origin({ lane, status, ms }) {
      originRequests.inc({ lane, status });
      originSeconds.observe({ lane }, ms / 1000);
    },
    bytes(_host, source, count) {
      bySource.of(source).count += count;
    },
    event: (outcome) => events.inc({ outcome }),
    database: (outcome) => databaseLists.inc({ outcome }),
    preloaded: (outcome) => preloads.inc({ outcome }),
    storeError: (tier) => storeErrors.inc({ tier }),
    scrape: async () => ({ type: registry.contentType, text: await registry.metrics() }),
  };
}

type Cell = { labels: Record<string, string>; count: number };

/** Counts by the one label that varies, kept as plain numbers until somebody looks. */
type Cells = {
  of(label: string | number): Cell;
  readonly all: Iterable<Cell>;
};

function cells(labels: (label: string) => Record<string, string>): Cells {
  const held = new Map<string | number, Cell>();
  return {
    of(label) {
      const known = held.get(label) ?? { labels: labels(String(label)), count: 0 };
      if (known.count === 0) held.set(label, known);
      return known;
    },
    get all() {
      return held.values();
    },
  };
}

/** A prom-client counter over counts that are kept elsewhere. */
function counterOver(options: CounterConfiguration<string>, ...counted: readonly Cells[]): Counter {
  return new Counter({
    ...options,
    collect() {
      this.reset();
      for (const each of counted) for (const { labels, count } of each.all) this.inc(labels, count);
    },
  });
}

/** A prom-client gauge over values that are read when somebody looks. */
function gaugeOver(
  options: GaugeConfiguration<string>,
  read: () => [labels: Record<string, string>, value: number][],
): Gauge {
  return new Gauge({
    ...options,
    collect() {
      for (const [labels, value] of read()) this.set(labels, value);
    },
  });
}
