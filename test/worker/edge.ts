import { env } from "cloudflare:workers";
import { createEdge } from "../../workers/edge-worker.ts";

/** What a test may do to the Worker's world; the rest of it is the real thing. */
type World = {
  clockOffsetMs: number;
  kv: "ok" | "failing" | "read-only";
  cache: "ok" | "failing" | "read-only";
  database: "bound" | "none";
};

const world: World = { clockOffsetMs: 0, kv: "ok", cache: "ok", database: "bound" };

const fetchers = { kv: 0, kvPuts: 0 };

function worldly(): ReturnType<typeof createEdge> {
  return createEdge({
    now: () => Date.now() + world.clockOffsetMs,
    random: () => Math.random(),
    wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    openCache,
    kv: faultyKv(env.FORGEFRONT_KV),
    analytics: undefined,
    database: world.database === "bound" ? env.PIPELINES_DB : undefined,
    vars: { ...env },
  });
}

async function openCache(): Promise<Cache> {
  if (world.cache === "failing") throw new Error("The Cache API fails, as the test wants");
  const cache = await caches.open("forgefront");
  if (world.cache === "ok") return cache;
  return new Proxy(cache, {
    get(target, name) {
      if (name === "put")
        return () => Promise.reject(new Error("The Cache API refuses to store, as the test wants"));
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function faultyKv(namespace: KVNamespace): KVNamespace {
  return new Proxy(namespace, {
    get(target, name) {
      if (name === "get") fetchers.kv++;
      if (name === "put") fetchers.kvPuts++;
      if (world.kv === "failing") return () => Promise.reject(new Error("KV fails, as the test wants"));
      if (world.kv === "read-only" && name === "put") {
        return () => Promise.reject(new Error("KV PUT failed: 429 Too Many Requests"));
      }
      const value: unknown = Reflect.get(target, name);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

/** Isolates of one colo, by the name that a request has in `x-test-isolate`. */
const isolates = new Map<string, ReturnType<typeof createEdge>>();

function isolateOf({ headers }: Request): ReturnType<typeof createEdge> {
  const name = headers.get("x-test-isolate") ?? "";
  const known = isolates.get(name) ?? worldly();
  isolates.set(name, known);
  return known;
}

/** Requests that have no answer yet, and work behind those that have one. */
let underWay = 0;

async function counted<T>(work: Promise<T>): Promise<T> {
  underWay++;
  try {
    return await work;
  } finally {
    underWay--;
  }
}

/** All that is kept, each key with its value. */
async function kvRecords(namespace: KVNamespace): Promise<string[]> {
  const { keys } = await namespace.list();
  return await Promise.all(keys.map(async ({ name }) => `${name} ${await namespace.get(name, "text")}`));
}

/**
 * `POST /-/test/world` changes the world; `POST /-/test/isolate` forgets all memory, as a new isolate of the same colo would;
 * `GET /-/test/calls` counts uses of KV, `GET /-/test/kv` tells all that it holds, and `GET /-/test/under-way` how much is under way.
 */
async function control(path: string, request: Request): Promise<Response> {
  if (path === "/-/test/world") Object.assign(world, await request.json<Partial<World>>());
  else if (path === "/-/test/isolate") isolates.clear();
  else if (path === "/-/test/calls") return Response.json(fetchers);
  else if (path === "/-/test/kv") return Response.json(await kvRecords(env.FORGEFRONT_KV));
  else if (path === "/-/test/under-way") return Response.json(underWay);
  else return new Response("No such control", { status: 404 });
  return Response.json(world);
}

export default {
  async fetch(request, _env, context) {
    const path = new URL(request.url).pathname;
    if (path.startsWith("/-/test/")) return await control(path, request);
    const answer = isolateOf(request)(request, (work) => context.waitUntil(counted(work)));
    return answer instanceof Promise ? await counted(answer) : answer;
  },
} satisfies ExportedHandler<Env>;
