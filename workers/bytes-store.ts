import type { MemoryStore } from "../src/core/store.ts";
import { memoryStore } from "../src/store/memory.ts";

/** What any record takes beside its key and what hangs on it. */
const RECORD_BYTES = 256;

/**
 * A store in memory for so many bytes, roughly. A record weighs what `weigh` says beside the few numbers that it is, and its key,
 * which names what was asked for and may be kilobytes long.
 */
export function bytesStore<T>(
  maxBytes: number,
  weigh: (value: T, key: string) => number = () => 0,
): MemoryStore<T> {
  return memoryStore(maxBytes, (value, key) => RECORD_BYTES + key.length + weigh(value, key));
}
