import type { FarStore } from "../core/store.ts";
import type { OnStoreError } from "./colo.ts";

/** Workers KV: "Limits". */
export const LONGEST_KEY_BYTES = 512;
/** The least that KV takes, both as `expirationTtl` (60 s) and as `cacheTtl` (30 s). */
const SHORTEST_TTL_S = 60;
const CACHE_TTL_S = 30;

/**
 * Small records in Workers KV, which all colos share. It is eventual and keeps everything for at least a minute,
 * so a record's life is judged by its own stamp, never by its presence here. A key too long for KV is not stored, nor what `mayWrite`
 * does not allow.
 */
export function kvRecords<T>(
  namespace: KVNamespace,
  onError: OnStoreError,
  mayWrite: () => boolean = () => true,
): FarStore<T> {
  return {
    async get(key) {
      if (!fits(key)) return undefined;
      try {
        return (await namespace.get<T>(key, { type: "json", cacheTtl: CACHE_TTL_S })) ?? undefined;
      } catch (error) {
        onError("kv", error);
        return undefined;
      }
    },
    async put(key, record, seconds) {
      if (!fits(key) || !mayWrite()) return;
      try {
        await namespace.put(key, JSON.stringify(record), {
          expirationTtl: Math.max(seconds, SHORTEST_TTL_S),
        });
      } catch (error) {
        onError("kv", error);
      }
    },
    async delete(key) {
      if (!fits(key)) return;
      try {
        await namespace.delete(key);
      } catch (error) {
        onError("kv", error);
      }
    },
  };
}

/** Keys are ASCII, by construction (`core/key.ts`). */
function fits(key: string): boolean {
  return key.length <= LONGEST_KEY_BYTES;
}
