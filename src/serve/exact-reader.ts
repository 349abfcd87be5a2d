import { letGo } from "../core/let-go.ts";
import { Failure } from "../core/problem.ts";
import { withPatience } from "./flights.ts";

/** Reads a stream in pieces of exact length. */
export type ExactReader = {
  /** As many bytes as asked for; into `buffer`, which is spent by it, where one is given. */
  read(bytes: number, buffer?: ArrayBufferLike): Promise<Uint8Array>;
  skip(bytes: number): Promise<void>;
  /** Fails unless the stream ends here. */
  end(): Promise<void>;
  close(): Promise<void>;
};

const SKIP_STEP_BYTES = 1024 * 1024;

/**
 * Reads natively, without touching chunks in between. A stream that ends early or stands still for `stallMs` is broken
 * (`origin_truncated`, `origin_timeout`); one that goes on past its end is not what it was said to be (`origin_changed`).
 */
export function exactReader(body: ReadableStream<Uint8Array>, stallMs: number): ExactReader {
  const reader = body.getReader({ mode: "byob" });

  const read = async (bytes: number, buffer?: ArrayBufferLike): Promise<Uint8Array> => {
    if (bytes === 0) return new Uint8Array(0);
    const view = buffer === undefined ? new Uint8Array(bytes) : new Uint8Array(buffer, 0, bytes);
    const outcome = await withPatience(fillView(reader, view), stallMs);
    if (outcome.kind === "overdue") throw new Failure("origin_timeout");
    if (outcome.value === undefined) throw new Failure("origin_truncated");
    return outcome.value;
  };

  return {
    read,
    skip: skipping(read),
    async end() {
      const outcome = await withPatience(reader.read(new Uint8Array(1)), stallMs).catch(() => undefined);
      if (outcome === undefined) throw new Failure("origin_truncated");
      if (outcome.kind === "overdue") throw new Failure("origin_timeout");
      if (!outcome.value.done) throw new Failure("origin_changed", "Body is longer than its size");
    },
    async close() {
      await letGo(reader);
    },
  };
}

/** Skips by reading into the same memory again and again. */
export function skipping(read: ExactReader["read"]): ExactReader["skip"] {
  return async (bytes) => {
    let buffer: ArrayBufferLike | undefined;
    for (let left = bytes; left > 0; left -= SKIP_STEP_BYTES) {
      buffer = (await read(Math.min(left, SKIP_STEP_BYTES), buffer)).buffer;
    }
  };
}

async function fillView(reader: ReadableStreamBYOBReader, view: Uint8Array): Promise<Uint8Array | undefined> {
  const wanted = view.byteLength;
  try {
    const { value } = await reader.readAtLeast(wanted, view);
    return value !== undefined && value.byteLength === wanted ? value : undefined;
  } catch (error) {
    throw new Failure("origin_truncated", undefined, error);
  }
}

/** All of a stream that has just so many bytes; into `buffer`, which is spent by it. */
export async function readExactly(
  stream: ReadableStream<Uint8Array>,
  bytes: number,
  { stallMs, buffer }: { readonly stallMs: number; readonly buffer: ArrayBufferLike },
): Promise<Uint8Array> {
  const reader = exactReader(stream, stallMs);
  try {
    return await reader.read(bytes, buffer);
  } finally {
    await reader.close();
  }
}
