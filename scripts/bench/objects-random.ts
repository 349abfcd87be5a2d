import { pseudoRandomBytes } from "../demo/pseudo-random.ts";

/** Bytes from `start` up to, but not including, `end`. */
export type ByteRange = { readonly start: number; readonly end: number };

type Plan = {
  /** How long the object is. */
  readonly size: number;
  readonly length: number;
  readonly count: number;
};

const NUMBER_BYTES = 6;

/**
 * Ranges all over an object, the same for every run: each begins at a multiple of its length, all differ, and none begins
 * where the one before it ends, as that would be reading on.
 */
export function randomRanges(seed: string, { size, length, count }: Plan): ByteRange[] {
  const places = Math.floor(size / length);
  if (places < 2 * count) throw new RangeError("The object is too small for so many ranges");
  const starts = new Set<number>();
  let last = -1;
  for (const place of randomNumbers(seed, places)) {
    if (starts.size === count) break;
    if (place === last + 1 || starts.has(place)) continue;
    starts.add(place);
    last = place;
  }
  return [...starts].map((place) => ({ start: place * length, end: (place + 1) * length }));
}

/** Whole numbers below a limit, without an end. */
function* randomNumbers(seed: string, limit: number): Generator<number, void> {
  for (const chunk of pseudoRandomBytes(seed, Number.MAX_SAFE_INTEGER)) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    for (let at = 0; at + NUMBER_BYTES <= bytes.length; at += NUMBER_BYTES) {
      yield bytes.readUIntBE(at, NUMBER_BYTES) % limit;
    }
  }
}
