import { makeKey } from "../core/key.ts";
import { mergedLooks, type ColoLook } from "../core/look/colo-look.ts";
import type { IsolateLook } from "../core/look/isolate-look.ts";
import type { FarStore } from "../core/store.ts";

export type LookoutParts = {
  /** Where the isolates of a colo leave what they have seen. */
  readonly looks: FarStore<ColoLook>;
  /** What this one has seen. */
  readonly see: (now: number) => IsolateLook;
  readonly now: () => number;
};

/** Shows the isolates of a colo as one to whoever looks inside. */
export type Lookout = {
  /** Whether it is time to tell the others again; to be called for each request. */
  isDue(): boolean;
  /** Leaves what this isolate has seen, if somebody is looking. */
  tell(): Promise<void>;
  /** What all have seen. */
  look(): Promise<ColoLook>;
};

const KEY = makeKey("look", "colo");
/** How often an isolate that is asked for something finds out whether somebody looks. */
const TELL_MS = 5000;
/** For how long after a look the isolates tell. */
const WATCHED_MS = 60_000;
/** How often it is written that somebody looks: the page asks every other second. */
const LOOKED_MS = 10_000;
const KEPT_S = 600;

const NOBODY: ColoLook = { lookedAt: 0, isolates: [] };

/** While nobody looks, it costs an isolate one read of the colo's cache in five seconds. */
export function lookout({ looks, see, now }: LookoutParts): Lookout {
  let toldAt = -Infinity;

  const merged = (before: ColoLook, lookedAt: number): ColoLook =>
    mergedLooks(before, { lookedAt, isolates: [see(now())] });

  return {
    isDue: () => now() - toldAt >= TELL_MS,
    async tell() {
      toldAt = now();
      const before = await looks.get(KEY);
      if (before === undefined || now() - before.lookedAt > WATCHED_MS) return;
      await looks.put(KEY, merged(before, before.lookedAt), KEPT_S);
    },
    async look() {
      const before = (await looks.get(KEY)) ?? NOBODY;
      const isNews = now() - before.lookedAt > LOOKED_MS;
      const after = merged(before, isNews ? now() : before.lookedAt);
      if (isNews) await looks.put(KEY, after, KEPT_S);
      return after;
    },
  };
}
