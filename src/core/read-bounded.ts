import { concatenate } from "./concatenate.ts";
import { letGo } from "./let-go.ts";

/**
 * All of a body that is no longer than `limit` bytes; `undefined` for a longer one, which is let go. Throws what reading throws. It
 * reads what it is given, and has no I/O of its own.
 */
export async function readBounded(
  body: ReadableStream<Uint8Array>,
  limit: number,
): Promise<Uint8Array | undefined> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      length += value.byteLength;
      if (length > limit) return undefined;
      pieces.push(value);
    }
  } finally {
    await letGo(reader);
  }
  return concatenate(pieces);
}
