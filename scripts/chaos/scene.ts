import { setTimeout as sleep } from "node:timers/promises";
import { newClocks, type Clocks } from "./clocks.ts";
import { ISOLATES, newCrew, type Crew } from "./crew.ts";
import type { ChaosEdge } from "./edge.ts";
import type { Origins } from "./origins.ts";
import type { Random } from "./random.ts";
import { REVOKED, mayHave, type Read, type Target } from "./reads.ts";
import type { Tally } from "./tally.ts";
import type { Leeway } from "./verdict.ts";

/** What a fault run happens in. */
export type Scene = {
  readonly origins: Origins;
  readonly edge: ChaosEdge;
  readonly targets: readonly Target[];
  readonly crew: Crew;
  readonly clocks: Clocks;
  readonly tally: Tally;
  readonly random: Random;
  readonly signal: AbortSignal;
  readonly isShort: boolean;
  /** Seconds of a part of the fault, fewer where the run is short. */
  readonly stretch: (seconds: number) => Promise<void>;
  /** Moves all clocks on, those of the origins too. */
  readonly forward: (ms: number) => Promise<void>;
  /** Sets the clocks of isolates, by name; the origins' stay. */
  readonly setClocks: (offsets: Readonly<Record<string, number>>) => Promise<void>;
  /** The origin refuses one who could read until now. */
  readonly revoke: () => void;
  /** It refuses them no more; returns when, the clocks being moved on so far, nothing remembers that it did. */
  readonly restore: (pastMs: number) => Promise<void>;
  /** What may go wrong from now on. */
  readonly allow: (allowed: Allowed) => void;
  /** Leaves words for the report. */
  readonly note: (text: string) => void;
  readonly notes: string[];
};

/** Whose reads may fail from now on; `until` is when failures must end that a fault has left behind, in milliseconds. */
export type Allowed = "none" | "all" | "of the refused" | { readonly until: number };

export type SceneParts = Pick<
  Scene,
  "origins" | "edge" | "targets" | "tally" | "notes" | "random" | "signal" | "isShort"
> & {
  /** What is no more than a failure where all reads may fail. */
  readonly excused: Omit<Leeway, "failures">;
};

/** Longer than any grant lives. */
export const PAST_GRANTS_MS = 33_000;

/** Short runs take this part of a stretch. */
const SHORT = 0.4;

export function newScene(parts: SceneParts): Scene {
  const { origins, edge, targets, tally, notes, random, signal, isShort, excused } = parts;
  const clocks = newClocks(() => Date.now());
  let allowed: Allowed = "none";

  const leeway = (read: Read): Leeway => {
    const isFault = allowed === "all" || (typeof allowed === "object" && Date.now() < allowed.until);
    if (isFault) return { failures: true, ...excused };
    return { failures: allowed === "of the refused" && isRefused(read), decoys: false, statuses: [] };
  };
  const setClocks = async (offsets: Readonly<Record<string, number>>) => {
    await edge.world({ clocks: offsets }); // first, or answers would be judged by a time that is not yet
    clocks.move(offsets);
  };

  const forward = async (ms: number) => {
    const moved = ISOLATES.map((name) => [name, (clocks.offsets()[name] ?? 0) + ms] as const);
    origins.skew(Math.max(...moved.map(([, offset]) => offset)));
    await setClocks(Object.fromEntries(moved));
  };

  return {
    ...parts,
    clocks,
    crew: newCrew({ edge, targets, clocks, tally, random, signal, leeway }),
    async stretch(seconds) {
      await sleep(seconds * 1000 * (isShort ? SHORT : 1), undefined, { signal });
    },
    forward,
    setClocks,
    revoke() {
      clocks.revoke();
      origins.demo.gitlab.revokeToken(REVOKED.gitlab);
      origins.demo.gitea.revokeToken(REVOKED.gitea);
      origins.store.revokeKey(REVOKED.s3);
    },
    async restore(pastMs) {
      clocks.restoring();
      restoreAtOrigins(origins);
      await forward(pastMs);
      clocks.restored();
    },
    allow: (wanted) => void (allowed = wanted),
    note: (text) => void notes.push(text),
  };
}

/** The origins know all again whom a run has made them forget. */
export function restoreAtOrigins({ demo, store }: Origins): void {
  demo.gitlab.restoreToken(REVOKED.gitlab);
  demo.gitea.restoreToken(REVOKED.gitea);
  store.restoreKey(REVOKED.s3);
}

/** An asker who is refused costs the origin a question when a denial has ended, and may see it fail. */
function isRefused(read: Read): boolean {
  return !mayHave(read) || read.asker === "revoked";
}
