/// <reference types="@cloudflare/workers-types" />
import type { Counted } from "./counts.ts";

export type Count = (name: Counted) => void;

type Stored = { readonly headers: Headers; readonly bytes: ArrayBuffer };

/**
 * As much of the Cache API as the Worker uses, in memory: the local one is a Worker of its own with a database, and takes more time
 * than what is measured. Nothing ends by age, as the Worker judges that itself.
 */
export function memoryCache(count: Count): () => Promise<Cache> {
  const entries = new Map<string, Stored>();
  const cache = {
    async match(request: Request | string) {
      count("cacheMatches");
      const { url, headers } = new Request(request);
      const stored = entries.get(url);
      return stored && answer(stored, headers.get("range"));
    },
    async put(request: Request | string, response: Response) {
      count("cachePuts");
      const { headers } = response;
      const bytes = await response.arrayBuffer();
      headers.set("content-length", String(bytes.byteLength));
      entries.set(new Request(request).url, { headers: new Headers(headers), bytes });
    },
    async delete(request: Request | string) {
      count("cacheDeletes");
      return entries.delete(new Request(request).url);
    },
  };
  return async () => cache;
}

function answer({ headers, bytes }: Stored, range: string | null): Response {
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? "") ?? [];
  if (first === undefined || last === undefined) return new Response(bytes, { headers });
  const part = new Headers(headers);
  part.set("content-range", `bytes ${first}-${last}/${bytes.byteLength}`);
  part.delete("content-length");
  return new Response(bytes.slice(Number(first), Number(last) + 1), { status: 206, headers: part });
}

/** As much of Workers KV as the Worker uses, in memory. */
export function memoryKv(count: Count): KVNamespace {
  const values = new Map<string, string>();
  const namespace = {
    async get(key: string) {
      count("kvReads");
      const value = values.get(key);
      return value === undefined ? null : (JSON.parse(value) as unknown);
    },
    async put(key: string, value: string) {
      count("kvWrites");
      values.set(key, value);
    },
    async delete(key: string) {
      count("kvDeletes");
      values.delete(key);
    },
    async list({ prefix }: KVNamespaceListOptions = {}) {
      count("kvLists");
      const keys = [...values.keys()]
        .filter((name) => name.startsWith(prefix ?? ""))
        .map((name) => ({ name }));
      return { keys, list_complete: true };
    },
  };
  return namespace as unknown as KVNamespace;
}
