/** What was told of writes to an object, or (of a bucket) to some of its objects; times are in milliseconds. */
export type Written = {
  /** Of the object itself, or of any object of the bucket. */
  readonly at: number;
  /** Of objects whose keys begin like this. */
  readonly prefixes?: readonly PrefixWritten[];
};

type PrefixWritten = { readonly prefix: string; readonly at: number };

/** How many prefixes are told apart; what is more counts for the whole bucket. */
const MOST_PREFIXES = 64;

/** Told of all keys that begin in one way. */
export function withPrefix(before: Written | undefined, prefix: string, at: number): Written {
  return mergedWritten(before ?? { at: 0 }, { at: 0, prefixes: [{ prefix, at }] });
}

/** Two accounts made one. */
export function mergedWritten(one: Written, other: Written): Written {
  const at = Math.max(one.at, other.at);
  const byPrefix = new Map<string, number>();
  for (const each of [...(one.prefixes ?? []), ...(other.prefixes ?? [])])
    if (each.at > at) byPrefix.set(each.prefix, Math.max(byPrefix.get(each.prefix) ?? 0, each.at));
  if (byPrefix.size === 0) return { at };
  if (byPrefix.size > MOST_PREFIXES) return { at: Math.max(...byPrefix.values()) };
  return { at, prefixes: [...byPrefix].map(([prefix, last]) => ({ prefix, at: last })) };
}

/** When an object was last written, as the accounts of itself and of its bucket tell; -Infinity for never. */
export function lastWritten(key: string, object: Written | undefined, bucket: Written | undefined): number {
  let last = Math.max(object?.at ?? -Infinity, bucket?.at ?? -Infinity);
  for (const { prefix, at } of bucket?.prefixes ?? []) if (key.startsWith(prefix)) last = Math.max(last, at);
  return last;
}
