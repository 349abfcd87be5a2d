/// <reference types="@cloudflare/workers-types" />
import { env } from "cloudflare:workers";
import { createEdge } from "../../workers/edge-worker.ts";
import { faultyCache, faultyKv } from "./faulty-stores.ts";
import { newTrouble, type FaultCounts, type StoreWorld } from "./store-faults.ts";

/** What a run may do to the Worker's world. */
export type WorldChange = {
  readonly kv?: StoreWorld;
  readonly cache?: StoreWorld;
  readonly seed?: number;
  /** How far the clock of each isolate is ahead, in milliseconds, by its name; all others go right. */
  readonly clocks?: Readonly<Record<string, number>>;
};

export type WorldReport = {
  readonly kv: FaultCounts;
  readonly cache: FaultCounts;
};

type Bindings = { readonly FORGEFRONT_KV: KVNamespace };
type Edge = ReturnType<typeof createEdge>;

const kv = newTrouble();
const cache = newTrouble();
let clocks: Readonly<Record<string, number>> = {};
/** Isolates of one colo, by the name that a request has in `x-chaos-isolate`. */
const isolates = new Map<string, Edge>();

function newIsolate(name: string): Edge {
  const bindings = env as unknown as Bindings;
  return createEdge({
    now: () => Date.now() + (clocks[name] ?? 0),
    random: () => Math.random(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    openCache: async () => faultyCache(await caches.open("forgefront"), cache),
    kv: faultyKv(bindings.FORGEFRONT_KV, kv),
    analytics: undefined,
    database: undefined,
    vars: { ...env },
  });
}

function isolateOf({ headers }: Request): Edge {
  const name = headers.get("x-chaos-isolate") ?? "";
  const known = isolates.get(name) ?? newIsolate(name);
  isolates.set(name, known);
  return known;
}

/** `POST /-/chaos/world` changes the world, `POST /-/chaos/isolates` forgets all memory; both tell how the stores fared. */
async function control(path: string, request: Request): Promise<Response> {
  if (path === "/-/chaos/world") change(await request.json<WorldChange>());
  else if (path === "/-/chaos/isolates") isolates.clear();
  else return new Response("No such control", { status: 404 });
  const report: WorldReport = { kv: kv.counts, cache: cache.counts };
  return Response.json(report);
}

function change(wanted: WorldChange): void {
  if (wanted.kv !== undefined) kv.world = wanted.kv;
  if (wanted.cache !== undefined) cache.world = wanted.cache;
  if (wanted.clocks !== undefined) clocks = wanted.clocks;
  if (wanted.seed === undefined) return;
  kv.reseed(wanted.seed);
  cache.reseed(wanted.seed + 1);
}

// oxlint-disable-next-line import/no-default-export -- the entry of a Worker
export default {
  async fetch(request, _env, context) {
    const path = new URL(request.url).pathname;
    if (path.startsWith("/-/chaos/")) return await control(path, request);
    return await isolateOf(request)(request, (work) => context.waitUntil(work));
  },
} satisfies ExportedHandler;
