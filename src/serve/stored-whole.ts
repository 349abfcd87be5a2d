import { readExactly } from "./exact-reader.ts";
import type { Ports } from "./ports.ts";
import { stallMsOf } from "./stall.ts";

/** All of a block of ours of so many bytes, in memory; `undefined` where it is not stored, or breaks off. */
export async function readStored(
  { blocks, config }: Pick<Ports, "blocks" | "config">,
  key: string,
  length: number,
): Promise<Uint8Array | undefined> {
  const stream = await blocks.read(key, { start: 0, end: length, length });
  if (stream === undefined) return undefined;
  const stallMs = stallMsOf({ config });
  return await readExactly(stream, length, { stallMs, buffer: new ArrayBuffer(length) }).catch(
    () => undefined,
  );
}
