import { coloBlocks, coloRecords } from "../../src/store/colo.ts";
import { kvRecords } from "../../src/store/kv.ts";
import type { BlockPart } from "../../src/core/store.ts";

/** One call of a store inside workerd, as the tests send it over. */
export type Call =
  | { readonly store: "colo" | "kv"; readonly method: "get" | "delete"; readonly key: string }
  | {
      readonly store: "colo" | "kv";
      readonly method: "put";
      readonly key: string;
      readonly record: unknown;
      readonly seconds: number;
    }
  | {
      readonly store: "blocks";
      readonly method: "read";
      readonly key: string;
      readonly part: BlockPart;
    }
  | {
      readonly store: "blocks";
      readonly method: "write";
      readonly key: string;
      readonly bytes: readonly number[];
    }
  | { readonly store: "blocks"; readonly method: "delete"; readonly key: string };

/** What came of it; bytes as a list, and each failure as the tier that counted it. */
export type Outcome = { readonly value?: unknown; readonly errors: readonly string[] };

const open = async (): Promise<Cache> => await caches.open("test");

async function perform(call: Call, namespace: KVNamespace): Promise<Outcome> {
  const errors: string[] = [];
  const onError = (tier: string): void => void errors.push(tier);
  if (call.store === "blocks") {
    const blocks = coloBlocks(open, onError);
    if (call.method === "write")
      return { value: await blocks.write(call.key, Uint8Array.from(call.bytes)), errors };
    if (call.method === "delete") return { value: await blocks.delete(call.key), errors };
    const stream = await blocks.read(call.key, call.part);
    return {
      value: stream && [...new Uint8Array(await new Response(stream).arrayBuffer())],
      errors,
    };
  }
  const records = call.store === "kv" ? kvRecords(namespace, onError) : coloRecords(open, onError);
  if (call.method === "put") return { value: await records.put(call.key, call.record, call.seconds), errors };
  return { value: await records[call.method](call.key), errors };
}

export default {
  fetch: async (request, { KV }) => Response.json(await perform(await request.json<Call>(), KV)),
} satisfies ExportedHandler<{ KV: KVNamespace }>;
