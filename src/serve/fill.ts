import { blockCount, blockLength } from "../core/blocks.ts";
import { Failure } from "../core/problem.ts";
import type { BlockStore } from "../core/store.ts";
import { withPatience } from "./flights.ts";

/** One origin body on its way into the store, block by block, for everyone who waits for it. */
export type Fill = {
  /** Takes part as a reader; blocks that could not be stored are held until every reader has had them. */
  join(): FillReader;
  /** The leader's request is over: what is not read soon will not be read. */
  leaderLeft(): void;
  /** Settles when the body has ended, well or not. */
  readonly done: Promise<void>;
};

export type FillReader = {
  /** The bytes of a block once they are there; `undefined` where the fill does not bring it (any more). */
  block(index: number): Promise<Uint8Array | undefined>;
  leave(): void;
};

/** Fills under way, by body. */
export type Fills = Map<string, Fill>;

export type FillPlan = {
  readonly body: ReadableStream<Uint8Array>;
  /** Where in the representation the body begins, and how long the representation is. */
  readonly offset: number;
  readonly size: number;
  readonly blockBytes: number;
  readonly blockKey: (index: number) => string;
  readonly blocks: BlockStore;
  readonly stallMs: number;
  readonly now: () => number;
  readonly onBytes: (count: number) => void;
};

/** How many blocks a fill may hold that are not stored yet. */
const WINDOW_BLOCKS = 2;
/** The platform ends work behind a response 30 s after it; a fill ends itself before, so that others can tell. */
const ORPHAN_MS = 25_000;

type Waiter = {
  readonly resolve: (bytes: Uint8Array | undefined) => void;
  readonly reject: (error: unknown) => void;
};

/**
 * Reads a body to its end at the pace of the store, not of any client, so that a slow or vanished client holds nobody up.
 * A body that is shorter or longer than its size fails everyone who waits; nothing of a wrong length is stored,
 * and a body that turns out too long takes back what it stored.
 */
export function startFill(plan: FillPlan): Fill {
  const { size, blockBytes, blocks, blockKey } = plan;
  const count = blockCount(size, blockBytes);
  const first = Math.ceil(plan.offset / blockBytes);
  const held = new Map<number, Uint8Array>();
  const waiters = new Map<number, Waiter[]>();
  const readers = new Set<{ next: number }>();
  let next = first;
  let ended: { readonly error: unknown } | undefined;
  let leaderLeftAt: number | undefined;
  let progressAt = plan.now();
  let wake: () => void = () => undefined;

  const deliver = (index: number, bytes: Uint8Array): void => {
    held.set(index, bytes);
    next = index + 1;
    progressAt = plan.now();
    plan.onBytes(bytes.byteLength);
    for (const { resolve } of waiters.get(index) ?? []) resolve(bytes);
    waiters.delete(index);
  };

  const isWanted = (index: number): boolean => [...readers].some((reader) => reader.next <= index);

  const untilUnwanted = async (index: number): Promise<void> => {
    while (isWanted(index)) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  };

  /** Lets a block go once it is stored, or once all who read along have had it. */
  const release = async (index: number, stored: Promise<boolean>): Promise<void> => {
    if (!(await stored)) await untilUnwanted(index);
    held.delete(index);
  };

  const run = async (): Promise<void> => {
    const source = exactReader(plan.body, plan.stallMs);
    const pending: { readonly index: number; readonly stored: Promise<boolean> }[] = [];
    try {
      await source.skip(first * blockBytes - plan.offset);
      for (let index = first; index < count; index++) {
        if (leaderLeftAt !== undefined && plan.now() - leaderLeftAt > ORPHAN_MS) break; // others begin anew
        const bytes = await source.read(blockLength(index, size, blockBytes));
        if (index === count - 1) await source.end();
        deliver(index, bytes);
        pending.push({ index, stored: blocks.write(blockKey(index), bytes) });
        const oldest = pending.length >= WINDOW_BLOCKS ? pending.shift() : undefined;
        if (oldest !== undefined) await release(oldest.index, oldest.stored);
      }
      for (const { index, stored } of pending) await release(index, stored);
    } catch (error) {
      ended = { error };
      if (error instanceof Failure && error.problem === "origin_changed") await takeBack(first, next);
    } finally {
      ended ??= { error: undefined };
      for (const waiting of waiters.values()) for (const waiter of waiting) settle(waiter, ended.error);
      waiters.clear();
      await source.close();
    }
  };

  const takeBack = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++) await blocks.delete(blockKey(index));
  };

  const waitFor = async (index: number): Promise<Uint8Array | undefined> => {
    for (;;) {
      const seen = progressAt;
      const waiting = new Promise<Uint8Array | undefined>((resolve, reject) => {
        waiters.set(index, [...(waiters.get(index) ?? []), { resolve, reject }]);
      });
      const outcome = await withPatience(waiting, plan.stallMs * 2);
      if (outcome.kind === "done") return outcome.value;
      if (progressAt === seen) return undefined; // its request was killed: nothing will ever come
    }
  };

  return {
    done: run(),
    leaderLeft() {
      leaderLeftAt ??= plan.now();
    },
    join() {
      const reader = { next: first };
      readers.add(reader);
      return {
        async block(index) {
          reader.next = index;
          wake();
          const bytes = held.get(index);
          const coming = bytes === undefined && index >= next && ended === undefined;
          if (ended?.error !== undefined && index >= next) throw ended.error;
          const answer = coming ? await waitFor(index) : bytes;
          reader.next = index + 1;
          wake();
          return answer;
        },
        leave() {
          readers.delete(reader);
          wake();
        },
      };
    },
  };
}

function settle({ resolve, reject }: Waiter, error: unknown): void {
  if (error === undefined) resolve(undefined);
  else reject(error);
}

type ExactReader = {
  skip(bytes: number): Promise<void>;
  read(bytes: number): Promise<Uint8Array>;
  end(): Promise<void>;
  close(): Promise<void>;
};

/** Reads exactly as many bytes as asked for, natively; a stream that stands still counts as broken. */
function exactReader(body: ReadableStream<Uint8Array>, stallMs: number): ExactReader {
  const reader = body.getReader({ mode: "byob" });

  const read = async (bytes: number): Promise<Uint8Array> => {
    if (bytes === 0) return new Uint8Array(0);
    const outcome = await withPatience(fillView(reader, new Uint8Array(bytes)), stallMs);
    if (outcome.kind === "overdue") throw new Failure("origin_timeout");
    if (outcome.value === undefined) throw new Failure("origin_truncated");
    return outcome.value;
  };

  return {
    read,
    async skip(bytes) {
      const step = 1024 * 1024;
      for (let left = bytes; left > 0; left -= step) await read(Math.min(left, step));
    },
    async end() {
      const outcome = await withPatience(reader.read(new Uint8Array(1)), stallMs).catch(() => undefined);
      if (outcome === undefined) throw new Failure("origin_truncated");
      if (outcome.kind === "overdue") throw new Failure("origin_timeout");
      if (!outcome.value.done) throw new Failure("origin_changed", "Body is longer than its size");
    },
    async close() {
      await reader.cancel().catch(() => undefined); // broken or at its end: nothing is left to let go
    },
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
