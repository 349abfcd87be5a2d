import { join } from "node:path";
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from "miniflare";
import { unstable_getMiniflareWorkerOptions } from "wrangler";
import { ROOT } from "../bundle.ts";
import { quietPort } from "../servers/quiet-port.ts";

/** A Worker that does one thing and nothing else, on a socket of its own. */
export type BareWorker = { readonly url: string; close(): Promise<void> };

const SAME_BYTES = `
let bytes;
export default {
  fetch(_request, env) {
    bytes ??= new TextEncoder().encode(env.TEXT);
    return new Response(bytes);
  },
};
`;

const SAME_RESPONSE = `
let bytes, headers;
export default {
  fetch(_request, env) {
    bytes ??= new TextEncoder().encode(env.TEXT);
    headers ??= new Headers(JSON.parse(env.HEADERS));
    return new Response(bytes, { headers });
  },
};
`;

const WHOLE_FROM_CACHE = `
const KEY = "https://whole.invalid/file";
export default {
  async fetch(request) {
    if (request.method !== "POST") return await caches.default.match(new Request(KEY, request));
    const origin = await fetch(await request.text());
    const length = Number(origin.headers.get("Content-Length"));
    const { readable, writable } = new FixedLengthStream(length);
    const headers = { "Cache-Control": "max-age=86400", "Content-Length": String(length) };
    const stored = caches.default.put(KEY, new Response(readable, { headers }));
    await Promise.all([origin.body.pipeTo(writable), stored]);
    return new Response(String(length));
  },
};
`;

/** Answers everything with one text out of memory. */
export async function startSameBytes(text: string): Promise<BareWorker> {
  return await startBare(SAME_BYTES, { TEXT: text });
}

/** The same, with the header fields of another answer. */
export async function startSameResponse(text: string, like: Headers): Promise<BareWorker> {
  const headers = [...like].filter(([name]) => !["content-length", "date"].includes(name));
  return await startBare(SAME_RESPONSE, { TEXT: text, HEADERS: JSON.stringify(headers) });
}

/** Answers with what it stored whole of a URL, just as the Cache API gives it. */
export async function startWholeFromCache(source: string): Promise<BareWorker> {
  const worker = await startBare(WHOLE_FROM_CACHE, {});
  try {
    const filled = await fetch(worker.url, { method: "POST", body: source });
    if (!filled.ok) throw new Error(`Cannot store ${source} whole: ${await filled.text()}`);
    await filled.text();
    return worker;
  } catch (error) {
    await worker.close();
    throw error;
  }
}

/** Runs one module, with texts as its bindings. */
export async function startBare(script: string, bindings: Record<string, string>): Promise<BareWorker> {
  const { workerOptions } = unstable_getMiniflareWorkerOptions(join(ROOT, "wrangler.toml"));
  const port = await quietPort();
  const options = convertV4MiniflareOptions({
    cf: false,
    host: "127.0.0.1",
    port: 0,
    log: new Log(LogLevel.WARN),
    workers: [
      {
        name: "bare",
        modules: true,
        script,
        bindings,
        compatibilityDate: String(workerOptions["compatibilityDate"]),
        unsafeDirectSockets: [{ host: "127.0.0.1", port }],
      },
    ],
  });
  const miniflare = new Miniflare(options);
  try {
    await miniflare.ready;
  } catch (error) {
    await miniflare.dispose();
    throw error;
  }
  return { url: `http://127.0.0.1:${port}/`, close: () => miniflare.dispose() };
}
