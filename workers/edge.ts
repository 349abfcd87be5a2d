import { env } from "cloudflare:workers";
import { createEdge } from "./edge-worker.ts";

const edge = createEdge({
  now: () => Date.now(),
  random: () => Math.random(),
  wait: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  openCache: () => caches.open("forgefront"),
  kv: env.FORGEFRONT_KV,
  analytics: env.FORGEFRONT_EVENTS,
  database: env.PIPELINES_DB,
  vars: { ...env },
});

export default {
  fetch: (request, _env, context) => edge(request, (work) => context.waitUntil(work)),
} satisfies ExportedHandler<Env>;
