/** The clocks of a run's isolates, which the run moves, and what a revocation means by them. */
export type Clocks = {
  /** What an isolate takes for the time, in milliseconds. */
  at(isolate: string): number;
  offsets(): Readonly<Record<string, number>>;
  move(offsets: Readonly<Record<string, number>>): void;
  /** From here on an asker's credential is refused by the origin. */
  revoke(): void;
  /** It is refused no more, but what is remembered of its refusal may live. */
  restoring(): void;
  /** And now it does not. */
  restored(): void;
  /** Whether that was so long ago, by the clock of an isolate, that no grant from before may live any more. */
  revocation(isolate: string): "none" | "grants may live" | "over";
};

/** A grant lives for 30 s, and isolates' clocks are trusted to 2 s. */
const LONGEST_GRANT_MS = 32_000;

export function newClocks(now: () => number): Clocks {
  let offsets: Readonly<Record<string, number>> = {};
  /** The latest time that any isolate had when a grant could still be given. */
  let latest = -Infinity;
  let state: "none" | "revoked" | "restoring" = "none";

  const at = (isolate: string): number => now() + (offsets[isolate] ?? 0);
  const mark = (): void => {
    if (state !== "revoked") latest = Math.max(latest, ...["", ...Object.keys(offsets)].map(at));
  };

  return {
    at,
    offsets: () => offsets,
    move(moved) {
      mark();
      offsets = moved;
      mark();
    },
    revoke() {
      mark();
      state = "revoked";
    },
    restoring: () => void (state = "restoring"),
    restored() {
      state = "none";
      latest = -Infinity;
    },
    revocation(isolate) {
      if (state === "none") return "none";
      if (state === "restoring") return "grants may live";
      return at(isolate) > latest + LONGEST_GRANT_MS ? "over" : "grants may live";
    },
  };
}
