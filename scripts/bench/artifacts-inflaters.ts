import { build } from "esbuild";
import type { KnownEntry } from "./artifacts-archives.ts";
import { startBare } from "./bare-workers.ts";
import { withItsWorkerd } from "../measuring/memory.ts";

/** A Worker that does nothing but fetch a deflated entry by its range and send what it unpacks to; caches nothing. */
export type Inflater = { readonly url: string; readonly pid: number; close(): Promise<void> };

const FETCH = `
async function fetchPacked({ SOURCE, RANGE }) {
  const packed = await fetch(SOURCE, { headers: { Range: RANGE } });
  if (packed.status !== 206) throw new Error("The origin has no such range");
  return packed.body;
}
`;

const NATIVE = `
${FETCH}
export default {
  async fetch(_request, env) {
    return new Response((await fetchPacked(env)).pipeThrough(new DecompressionStream("deflate-raw")));
  },
};
`;

// Large pieces, as each push costs, and none is copied that need not be: as fast as it gets.
const BY_FFLATE = `
import { Inflate } from "fflate";
${FETCH}
const PIECE_BYTES = 512 * 1024;
async function inflate(body, writable) {
  const reader = body.getReader({ mode: "byob" });
  const writer = writable.getWriter();
  const unpacked = [];
  const inflater = new Inflate((bytes) => void unpacked.push(bytes));
  for (;;) {
    const { value, done } = await reader.readAtLeast(PIECE_BYTES, new Uint8Array(PIECE_BYTES));
    const isLast = done || value.byteLength < PIECE_BYTES;
    inflater.push(value ?? new Uint8Array(0), isLast);
    for (const bytes of unpacked.splice(0)) if (bytes.byteLength > 0) await writer.write(bytes);
    if (isLast) return await writer.close();
  }
}
export default {
  async fetch(_request, env, context) {
    const { readable, writable } = new IdentityTransformStream();
    context.waitUntil(inflate(await fetchPacked(env), writable));
    return new Response(readable);
  },
};
`;

type Packed = { readonly source: string; readonly entry: KnownEntry };

/** Unpacks by the platform's own stream. */
export async function startNativeInflater(packed: Packed): Promise<Inflater> {
  return await startInflater(NATIVE, packed);
}

/** Unpacks in JavaScript. */
export async function startFflateInflater(packed: Packed): Promise<Inflater> {
  const { outputFiles } = await build({
    stdin: { contents: BY_FFLATE, resolveDir: import.meta.dirname, loader: "js" },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    target: "esnext",
    conditions: ["workerd", "worker", "browser"],
  });
  const [file] = outputFiles;
  if (file === undefined) throw new Error("esbuild made nothing");
  return await startInflater(file.text, packed);
}

async function startInflater(script: string, { source, entry }: Packed): Promise<Inflater> {
  const { dataOffset, packedBytes } = entry;
  const bindings = { SOURCE: source, RANGE: `bytes=${dataOffset}-${dataOffset + packedBytes - 1}` };
  const { started, pid } = await withItsWorkerd(() => startBare(script, bindings));
  return { ...started, pid };
}
