import { blockCount, blockLength } from "../core/blocks.ts";
import { Failure } from "../core/problem.ts";
import type { BlockStore } from "../core/store.ts";
import type { ExactReader } from "./exact-reader.ts";
import type { SpareBlocks } from "./spare-memory.ts";
import { withPatience } from "./flights.ts";

/** One origin body on its way into the store, block by block, for everyone who waits for it. */
export type Fill = {
  /** Takes part as a reader; blocks that could not be stored are held until every reader has had them. */
  join(): FillReader;
  /** The block it ends before. */
  readonly end: number;
  /** Whether a block is among those it brings or has brought. */
  covers(index: number): boolean;
  /** Whether it has brought a block, and so will not bring it again. */
  hasPassed(index: number): boolean;
  /** The leader's request is over: what is not read soon will not be read. */
  leaderLeft(): void;
  /** Whether nothing will come of it any more: its request was ended by the platform, which nobody is told. */
  isDead(): boolean;
  /** Settles when the body has ended: whether all that came of it was sound. */
  readonly done: Promise<boolean>;
};

export type FillReader = {
  /** A block once it is there; `undefined` where the fill does not bring it (any more). */
  block(index: number): Promise<Lease | undefined>;
  leave(): void;
};

/** A block on loan: once everyone has said that they are done with it, its memory is used for another. */
export type Lease = { readonly bytes: Uint8Array; done(): void };

export type FillPlan = {
  readonly source: ExactReader;
  /** Where in the representation the body begins, and how long the representation is. */
  readonly offset: number;
  /** Where it ends: with a block, or with the representation. */
  readonly until: number;
  readonly size: number;
  readonly blockBytes: number;
  readonly blockKey: (index: number) => string;
  readonly blocks: BlockStore;
  readonly spare: SpareBlocks;
  readonly stallMs: number;
  /**
   * How fast it goes: as fast as the store; only as fast as its one reader, with whom it ends; or as far ahead of its
   * furthest reader as so many blocks, and no further once none is left.
   */
  readonly pace: "store" | "reader" | { readonly aheadBlocks: number };
  readonly now: () => number;
  readonly onBytes: (count: number) => void;
  /** Told why a body did not come to its end. */
  readonly onBroken: (error: unknown) => void;
};

/** How many blocks a fill may hold that are not stored yet. */
const WINDOW_BLOCKS = 2;
/** The platform ends work behind a response 30 s after it; a fill ends itself before, so that others can tell, if it comes to that. */
const ORPHAN_MS = 25_000;
const KILLED_MS = 31_000;

/** How long a block that could not be stored waits for slow readers; who comes later reads alone. */
const LAGGARD_MS = 250;
/** How often it is looked whether readers have had a block that could not be stored. */
const LOOK_AGAIN_MS = 5;

type Held = { readonly bytes: Uint8Array; lent: number; isReleased: boolean };

type Waiter = {
  readonly resolve: (lease: Lease | undefined) => void;
  readonly reject: (error: unknown) => void;
};

type Pending = { readonly index: number; readonly stored: Promise<boolean> };

/**
 * Reads a body to its end at the pace of the store, not of any client, so that a slow or vanished client holds nobody up.
 * A body that is shorter or longer than its size fails everyone who waits; nothing of a wrong length is stored,
 * and a body that turns out too long takes back what it stored.
 */
export function startFill(plan: FillPlan): Fill {
  const { size, blockBytes, blocks, blockKey } = plan;
  const count = blockCount(plan.until, blockBytes);
  const first = Math.ceil(plan.offset / blockBytes);
  const held = new Map<number, Held>();
  const waiters = new Map<number, Waiter[]>();
  const readers = new Set<{ next: number }>();
  let next = first;
  let ended: { readonly error: unknown } | undefined;
  let hasBeenJoined = false;
  /** The furthest block that anybody has asked for. */
  let furthest = first;
  let leaderLeftAt: number | undefined;
  let progressAt = plan.now();
  let isGivenUp = false;

  const recycle = (block: Held): void => {
    if (block.isReleased && block.lent === 0) plan.spare.give(block.bytes.buffer);
  };

  const lend = (block: Held): Lease => {
    block.lent++;
    let isDone = false;
    return {
      bytes: block.bytes,
      done() {
        if (isDone) return;
        isDone = true;
        block.lent--;
        recycle(block);
      },
    };
  };

  const deliver = (index: number, bytes: Uint8Array): void => {
    const block: Held = { bytes, lent: 0, isReleased: false };
    held.set(index, block);
    next = index + 1;
    progressAt = plan.now();
    plan.onBytes(bytes.byteLength);
    for (const { resolve } of waiters.get(index) ?? []) resolve(lend(block));
    waiters.delete(index);
  };

  const isWanted = (index: number): boolean => [...readers].some((reader) => reader.next <= index);

  /** Looks again and again: a promise that another request settles would not keep this one's context alive. */
  const untilUnwanted = async (index: number, patienceMs: number): Promise<void> => {
    const until = plan.now() + patienceMs;
    while (isWanted(index) && plan.now() < until) await sleep(LOOK_AGAIN_MS);
  };

  /** Lets a block go once it is stored, or else once those who read along have had it or a moment has passed. */
  const release = async ({ index, stored }: Pending): Promise<void> => {
    const isStored = await stored;
    if (plan.pace === "reader") await untilUnwanted(index, Infinity);
    else if (!isStored) {
      await untilUnwanted(index, LAGGARD_MS);
      for (const reader of readers) if (reader.next <= index) readers.delete(reader); // they read on alone
    }
    const block = held.get(index);
    if (block === undefined) return;
    held.delete(index);
    block.isReleased = true;
    recycle(block);
  };

  const isForsaken = (): boolean => {
    if (plan.pace === "reader") return hasBeenJoined && readers.size === 0;
    return leaderLeftAt !== undefined && plan.now() - leaderLeftAt > ORPHAN_MS;
  };

  const isDead = (): boolean => {
    if (ended !== undefined) return false;
    return isGivenUp || (leaderLeftAt !== undefined && plan.now() - leaderLeftAt > KILLED_MS);
  };

  /** Waits until a block is not too far ahead of everyone; false where nobody is left to read it. */
  const untilNear = async (index: number): Promise<boolean> => {
    if (typeof plan.pace === "string") return !isForsaken();
    while (index > furthest + plan.pace.aheadBlocks) {
      if (isForsaken() || (hasBeenJoined && readers.size === 0)) return false;
      await sleep(LOOK_AGAIN_MS);
    }
    return true;
  };

  /** A shorter block gets just the room it needs: a small body may be kept for good. */
  const roomFor = (length: number): ArrayBufferLike =>
    (length === blockBytes ? plan.spare.take() : undefined) ?? new ArrayBuffer(length);

  const run = async (): Promise<boolean> => {
    const { source } = plan;
    const pending: Pending[] = [];
    try {
      await source.skip(first * blockBytes - plan.offset);
      for (let index = first; index < count; index++) {
        if (!(await untilNear(index))) break; // whoever comes later begins anew
        const length = blockLength(index, size, blockBytes);
        const bytes = await source.read(length, roomFor(length));
        if (index === count - 1) await source.end();
        deliver(index, bytes);
        pending.push({ index, stored: blocks.write(blockKey(index), bytes) });
        const oldest = pending.length >= WINDOW_BLOCKS ? pending.shift() : undefined;
        if (oldest !== undefined) await release(oldest);
      }
      for (const each of pending) await release(each);
    } catch (error) {
      ended = { error };
      plan.onBroken(error);
      await Promise.all(pending.map(({ stored }) => stored));
      if (isWrongBody(error)) await takeBack(first, next);
    } finally {
      ended ??= { error: undefined };
      for (const waiting of waiters.values()) for (const waiter of waiting) settle(waiter, ended.error);
      waiters.clear();
      await source.close();
    }
    return ended.error === undefined;
  };

  const takeBack = async (from: number, to: number): Promise<void> => {
    for (let index = from; index < to; index++) await blocks.delete(blockKey(index));
  };

  const waitFor = async (index: number): Promise<Lease | undefined> => {
    for (;;) {
      const seen = progressAt;
      const waiting = new Promise<Lease | undefined>((resolve, reject) => {
        waiters.set(index, [...(waiters.get(index) ?? []), { resolve, reject }]);
      });
      const outcome = await withPatience(waiting, plan.stallMs * 2);
      if (outcome.kind === "done") return outcome.value;
      if (progressAt === seen) {
        isGivenUp = true; // its request was killed: nothing will ever come
        return undefined;
      }
    }
  };

  const take = async (index: number): Promise<Lease | undefined> => {
    const block = held.get(index);
    if (block !== undefined) return lend(block);
    if (index < next || isDead()) return undefined;
    if (ended === undefined) return await waitFor(index);
    if (ended.error === undefined) return undefined;
    throw ended.error;
  };

  const covers = (index: number): boolean => index >= first && index < count;

  return {
    done: run(),
    end: count,
    covers,
    hasPassed: (index) => covers(index) && index < next,
    isDead,
    leaderLeft() {
      leaderLeftAt ??= plan.now();
    },
    join() {
      const reader = { next: first };
      readers.add(reader);
      hasBeenJoined = true;
      return {
        async block(index) {
          if (!covers(index)) return undefined;
          reader.next = index;
          furthest = Math.max(furthest, index);
          const lease = await take(index);
          reader.next = index + 1;
          return lease;
        },
        leave() {
          readers.delete(reader);
        },
      };
    },
  };
}

/** Whether what came before was wrong as well. */
function isWrongBody(error: unknown): boolean {
  return (
    error instanceof Failure && (error.problem === "origin_changed" || error.problem === "entry_corrupt")
  );
}

function settle({ resolve, reject }: Waiter, error: unknown): void {
  if (error === undefined) resolve(undefined);
  else reject(error);
}

async function sleep(ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}
