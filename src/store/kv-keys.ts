import type { ListKeys } from "../core/store.ts";
import type { OnStoreError } from "./colo.ts";
import { LONGEST_KEY_BYTES } from "./kv.ts";

/** The most that one list of Workers KV has ("List keys"). */
const LONGEST_LIST = 1000;

/** Lists keys of Workers KV; what was written within the last minute may not be among them. */
export function kvKeys(namespace: KVNamespace, onError: OnStoreError): ListKeys {
  return async (prefix, most) => {
    if (prefix.length > LONGEST_KEY_BYTES) return { keys: [], isAll: true };
    try {
      const list = await namespace.list({ prefix, limit: Math.min(most, LONGEST_LIST) });
      return { keys: list.keys.map(({ name }) => name), isAll: list.list_complete };
    } catch (error) {
      onError("kv", error);
      return { keys: [], isAll: false };
    }
  };
}
