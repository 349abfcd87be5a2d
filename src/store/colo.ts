import { letGo } from "../core/let-go.ts";
import type { BlockStore, FarStore } from "../core/store.ts";

/** Called with each failure of a store, which its user sees as a miss. */
export type OnStoreError = (tier: "colo" | "kv", error: unknown) => void;

/** Opens the cache anew for each use: the platform ties the object to the request that opened it. */
export type OpenCache = () => Promise<Cache>;

/** Never fetched: only a name space for keys. */
const KEY_ORIGIN = "https://forgefront.invalid/";
const A_YEAR_S = 31_536_000;

/** Small records as JSON in the colo's Cache API; always a synthetic 200, as nothing else can be stored. */
export function coloRecords<T>(open: OpenCache, onError: OnStoreError): FarStore<T> {
  return {
    async get(key) {
      try {
        const response = await (await open()).match(KEY_ORIGIN + key);
        return response === undefined ? undefined : ((await response.json()) as T);
      } catch (error) {
        onError("colo", error);
        return undefined;
      }
    },
    async put(key, record, seconds) {
      try {
        const response = new Response(JSON.stringify(record), {
          headers: { "Cache-Control": `max-age=${seconds}`, "Content-Type": "application/json" },
        });
        await (await open()).put(KEY_ORIGIN + key, response);
      } catch (error) {
        onError("colo", error);
      }
    },
    delete: (key) => forget(open, key, onError),
  };
}

/** Blocks of bodies in the colo's Cache API, each with its length, so that a part of one is read natively. */
export function coloBlocks(open: OpenCache, onError: OnStoreError): BlockStore {
  return {
    async read(key, { start, end, length }) {
      const whole = start === 0 && end === length;
      try {
        const headers = whole ? {} : { Range: `bytes=${start}-${end - 1}` };
        const response = await (await open()).match(new Request(KEY_ORIGIN + key, { headers }));
        if (response === undefined || response.body === null) return undefined;
        const sound = whole
          ? response.status === 200 && response.headers.get("Content-Length") === String(length)
          : response.headers.get("Content-Range") === `bytes ${start}-${end - 1}/${length}`;
        if (sound) return response.body;
        await letGo(response.body);
        onError("colo", new Error("A stored block has not the length it should have"));
        return undefined;
      } catch (error) {
        onError("colo", error);
        return undefined;
      }
    },
    async write(key, bytes) {
      try {
        const { readable, writable } = new FixedLengthStream(bytes.byteLength);
        const response = new Response(readable, { headers: { "Cache-Control": `max-age=${A_YEAR_S}` } });
        await Promise.all([(await open()).put(KEY_ORIGIN + key, response), writeAll(writable, bytes)]);
        return true;
      } catch (error) {
        onError("colo", error);
        return false;
      }
    },
    delete: (key) => forget(open, key, onError),
  };
}

/**
 * Through a stream, not as the body itself: bytes that a `Response` was made of are held until it is collected as garbage,
 * and the collector does not see how much that is.
 */
async function writeAll(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter();
  await writer.write(bytes);
  await writer.close();
}

async function forget(open: OpenCache, key: string, onError: OnStoreError): Promise<void> {
  try {
    await (await open()).delete(KEY_ORIGIN + key);
  } catch (error) {
    onError("colo", error);
  }
}
