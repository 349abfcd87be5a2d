/// <reference types="@cloudflare/workers-types" />
import { env } from "cloudflare:workers";
import { createEdge } from "../../workers/edge-worker.ts";
import { countsOf, type Counted } from "./counts.ts";
import { memoryCache, memoryKv } from "./memory-platform.ts";

/*
 * The real Worker, whose every use of KV, the Cache API, `fetch()` and Analytics Engine is counted, and whose clock is set.
 */

const counts = { ...countsOf(() => 0) };
const count = (name: Counted): void => void counts[name]++;
const world = { nowMs: Date.now() };
const openCache = memoryCache(count);
const kv = memoryKv(count);

const platformFetch = globalThis.fetch;
globalThis.fetch = (...args: Parameters<typeof fetch>) => {
  count("fetches");
  return platformFetch(...args);
};

function begin(): ReturnType<typeof createEdge> {
  return createEdge({
    now: () => world.nowMs,
    random: () => Math.random(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    openCache,
    kv,
    analytics: { writeDataPoint: () => count("dataPoints") },
    database: undefined,
    vars: { ...env },
  });
}

/** Isolates of one colo, by the name that a request has in this header. */
const ISOLATE_HEADER = "x-costs-isolate";
/** What the Worker's clock says from this request on, in milliseconds: it stands still unless it is moved. */
const CLOCK_HEADER = "x-costs-clock";
const isolates = new Map<string, ReturnType<typeof createEdge>>();

function isolateOf(name: string): ReturnType<typeof createEdge> {
  const known = isolates.get(name) ?? begin();
  isolates.set(name, known);
  return known;
}

/** `POST /-/costs/isolates` forgets all memory; `GET /-/costs/counts` tells what was counted since the start. */
function control(path: string): Response {
  if (path === "/-/costs/isolates") isolates.clear();
  else if (path !== "/-/costs/counts") return new Response("No such control", { status: 404 });
  return Response.json(counts);
}

// oxlint-disable-next-line import/no-default-export -- workerd takes nothing else
export default {
  async fetch(request, _env, context) {
    const path = new URL(request.url).pathname;
    if (path.startsWith("/-/costs/")) return control(path);
    count("requests");
    const { headers } = request;
    world.nowMs = Number(headers.get(CLOCK_HEADER) ?? world.nowMs);
    return await isolateOf(headers.get(ISOLATE_HEADER) ?? "")(request, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler;
