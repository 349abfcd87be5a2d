import type { Defer } from "./defer.ts";

/** The tiers a record can be found in, nearest first. */
export type Tier = "memory" | "colo" | "kv";

/** A record says itself when it was learned, in milliseconds. */
export type Stamped = { readonly at: number };

export type Found<T> = { readonly record: T; readonly tier: Tier };

/** A far store of records. A failure inside is a miss, counted where it happens; nothing is ever thrown. */
export interface FarStore<T> {
  get(key: string): Promise<T | undefined>;
  put(key: string, record: T, seconds: number): Promise<void>;
  delete(key: string): Promise<void>;
}

/** Records in tiers: memory, then the colo's cache, then KV. */
export interface Records<T extends Stamped> {
  /** What memory holds, however old. */
  hot(key: string): T | undefined;
  /** The keys of all that memory holds. */
  keys(): Iterable<string>;
  /** The newest record of any tier that `usable` accepts; of two, an older one never counts. */
  find(key: string, usable: (record: T) => boolean): Promise<Found<T> | undefined>;
  /** The same, of memory and the colo alone. */
  findNear(key: string, usable: (record: T) => boolean): Promise<Found<T> | undefined>;
  /** Remembers at once; the promise is for the far tiers, to be awaited behind the response. */
  put(key: string, record: T, far: FarTiers): Promise<void>;
  /** Remembers in memory alone, until it is known to be worth keeping. */
  hold(key: string, record: T): void;
  /** Forgets in memory at once, and behind the promise in the colo. */
  drop(key: string): Promise<void>;
}

/** How long the far tiers keep a record, in seconds; `kv` absent: never written there. */
export type FarTiers = { readonly coloS: number; readonly kvS?: number };

/** Bodies in blocks. A failure inside is a miss, counted where it happens; nothing is ever thrown. */
export interface BlockStore {
  /** The bytes `start` to `end` of a block of `length` bytes, or `undefined` where it is not whole and at hand. */
  read(key: string, part: BlockPart): Promise<ReadableStream<Uint8Array> | undefined>;
  /** Whether the block is stored now; false where it could not be. */
  write(key: string, bytes: Uint8Array): Promise<boolean>;
  delete(key: string): Promise<void>;
}

export type BlockPart = { readonly start: number; readonly end: number; readonly length: number };

/** A bounded store in the isolate's memory. */
export interface MemoryStore<T> {
  get(key: string): T | undefined;
  set(key: string, value: T): void;
  delete(key: string): void;
  keys(): Iterable<string>;
  readonly count: number;
  readonly weight: number;
}

/** What was told of things, told on: accounts of one thing from several isolates are made one, and nothing is lost. */
export interface Log<T> {
  /** What this isolate knows. */
  hot(key: string): T | undefined;
  /** The keys of all that this isolate knows. */
  keys(): Iterable<string>;
  /** Learns what others were told: those of the colo, and (`isFar`) of every colo. */
  look(key: string, isFar: boolean): Promise<void>;
  /** Knows at once; behind the promise those of the colo can know too. What is for other colos goes to `defer`. */
  note(key: string, change: (before: T | undefined) => T, defer: Defer): Promise<void>;
}

/** Keys of a far store that begin in one way; `isAll` where there are no more of them. */
export type KeyList = { readonly keys: readonly string[]; readonly isAll: boolean };

/** Lists keys of a far store, at most so many. A failure inside is counted where it happens; nothing is ever thrown. */
export type ListKeys = (prefix: string, most: number) => Promise<KeyList>;
