/*
 * A list is rendered once and served to everyone who sees the same. Who does is found by comparing what askers were told:
 * each asker stands at the rendering that the origin last gave to that very asker, and may be shown
 *
 * - that one, as long as nobody was told another;
 * - one that two other askers who stood at the same rendering were both given after it.
 *
 * So those whose answers differ stand at different renderings from the first one that differs, and neither is ever shown what
 * follows the other's.
 */

/** What an asker was itself told last; `at` is when the question was sent, in milliseconds. */
export type Standing = { readonly at: number; readonly tag: string };

/** What came after a rendering. */
export type Successor = {
  readonly tag: string;
  /** When it was first told, in milliseconds. */
  readonly at: number;
  /** The asker (by its hash) who was first told it. */
  readonly by: string;
  /** Whether another asker was told the same. */
  readonly isConfirmed: boolean;
};

/** A list as it was rendered, without its bytes; the same for everyone who stands at it. */
export type Rendering = {
  /** When it was last told to be so, in milliseconds. */
  readonly at: number;
  /** Made of its bytes and header fields: equal tag, equal answer. */
  readonly tag: string;
  /** Names its bytes. */
  readonly identity: string;
  readonly size: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly origin: OriginTag | undefined;
  /** Whether it says that everything is over, so that it changes by somebody's doing alone. */
  readonly isFinished: boolean;
  /** The number of the project it is of, where it tells that. */
  readonly projectNumber: string | undefined;
  readonly next: Successor | undefined;
};

/** The origin's own validator. */
export type OriginTag = {
  readonly etag: string;
  /** Whether it was seen to be a digest of the bytes: only then a 304 to it tells one asker of what another was given. */
  readonly isDigest: boolean;
};

/** Why a chain of renderings is not followed for ever: each step of it took a change that two askers were told of. */
const LONGEST_CHAIN = 64;

/**
 * The rendering that one who stands at `tag` may be shown; `isLast` is false where somebody was told another one
 * that nobody else has confirmed yet.
 */
export function furthest(
  tag: string,
  find: (tag: string) => Rendering | undefined,
): { readonly rendering: Rendering; readonly isLast: boolean } | undefined {
  let rendering = find(tag);
  for (let step = 0; step < LONGEST_CHAIN && rendering?.next?.isConfirmed === true; step++) {
    const next = find(rendering.next.tag);
    if (next === undefined) return undefined; // known to be over, and what came after it is not at hand
    rendering = next;
  }
  return rendering && { rendering, isLast: rendering.next === undefined };
}

/** A rendering after `by`, who stood at it, was told another one at `at`. */
export function succeeded(before: Rendering, { tag, at, by }: Omit<Successor, "isConfirmed">): Rendering {
  const { next } = before;
  if (next !== undefined && next.tag === tag)
    return { ...before, next: { ...next, isConfirmed: next.isConfirmed || next.by !== by } };
  if (next !== undefined && next.at > at) return before; // a slow answer does not undo a newer one
  return { ...before, next: { tag, at, by, isConfirmed: false } };
}

/**
 * Two accounts of one rendering made one. What came after it is over where it was told again later; and two first tellers of
 * one successor confirm each other.
 */
export function mergedRendering(one: Rendering, other: Rendering): Rendering {
  const newer = other.at >= one.at ? other : one;
  const next = mergedNext(one.next, other.next);
  return { ...newer, next: next !== undefined && next.at > newer.at ? next : undefined };
}

function mergedNext(one: Successor | undefined, other: Successor | undefined): Successor | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [first, last] = other.at >= one.at ? [one, other] : [other, one];
  if (one.tag !== other.tag) return last;
  return { ...first, isConfirmed: one.isConfirmed || other.isConfirmed || one.by !== other.by };
}
