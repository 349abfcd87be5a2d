import { concatenate } from "./concatenate.ts";

/** All of a body that is no longer than `limit` bytes; `undefined` for a longer one, which is let go. Throws what reading throws. */
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
    await reader.cancel().catch(() => undefined); // a broken body cannot be cancelled, and need not be
  }
  return concatenate(pieces);
}
