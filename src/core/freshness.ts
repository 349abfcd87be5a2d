/** Life of a stored fact, in milliseconds of age: usable below `hard`, to be renewed behind the response from `soft`. */
export type Lifetime = { readonly soft: number; readonly hard: number };

/** Of a life of one length, the part after which a hit renews the fact behind the response. */
const REFRESH_SHARE = 2 / 3;

/** The life of a fact that is believed for so many seconds. */
export function ofLength(seconds: number): Lifetime {
  const hard = seconds * 1000;
  return { soft: hard * REFRESH_SHARE, hard };
}

/** How far ahead of ours another isolate's clock may be before its record is disbelieved, in milliseconds. */
const CLOCK_TOLERANCE_MS = 2000;

/** Whether a fact bears a stamp that no clock we trust can have given it: it is neither used nor kept. */
export function isFromFuture(at: number, now: number): boolean {
  return at > now + CLOCK_TOLERANCE_MS;
}

/** Whether a fact learned at `at` may still be used at `now`; one from the future is never used. */
export function judge(at: number, now: number, { soft, hard }: Lifetime): "fresh" | "ageing" | "expired" {
  const age = now - at;
  if (isFromFuture(at, now) || age >= hard) return "expired";
  return age >= soft ? "ageing" : "fresh";
}

/** The same of a fact that may be used for so many milliseconds, and is not renewed ahead of its end. */
export function isAlive(at: number, now: number, hardMs: number): boolean {
  return judge(at, now, { soft: hardMs, hard: hardMs }) !== "expired";
}

/** Within such a stretch of time a fact that is renewed again and again is written to the colo once, in milliseconds. */
const COLO_STRETCH_MS = 10_000;
/** The same for KV, where each write costs as much as ten reads, and a key takes one a second from all the world. */
export const KV_STRETCH_MS = 30_000;

/** Whether a fact learned at `at` is to be written to the far tiers, where it was renewed in memory at `before`. */
export function isWorthWriting(before: number, at: number, stretchMs: number = COLO_STRETCH_MS): boolean {
  return Math.floor(at / stretchMs) !== Math.floor(before / stretchMs);
}

/** Whole seconds a fact has left, for `ttl` (RFC 9211 §2.4). */
export function secondsLeft(at: number, now: number, hard: number): number {
  return Math.max(0, Math.floor((at + hard - now) / 1000));
}

/** Whole seconds since a fact was learned, for `Age` (RFC 9111 §5.1). */
export function ageInSeconds(at: number, now: number): number {
  return Math.max(0, Math.floor((now - at) / 1000));
}
