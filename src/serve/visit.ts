import type { Defer } from "../core/defer.ts";
import type { Dialect, Wanted } from "../core/dialect.ts";
import type { Entry } from "../core/entry.ts";
import type { Refusal } from "../core/refusal.ts";
import type { Site } from "../core/site.ts";
import type { MemoryStore } from "../core/store.ts";
import type { AnyPrincipal } from "../core/store-principal.ts";
import type { Target } from "../core/target.ts";
import type { Links } from "../core/zip/links.ts";
import type { AskedFiles } from "./asked-files.ts";
import type { KnownDirectory } from "./known-directory.ts";
import type { Fills } from "./fills.ts";
import type { Fill } from "./fill.ts";
import type { Flights } from "./flights.ts";
import type { HookReading } from "./hook-bodies.ts";
import type { Ports } from "./ports.ts";
import type { SpareMemory } from "./spare-memory.ts";
import type { Trace } from "./trace.ts";
import type { Turns } from "./turns.ts";
import type { Watch } from "./watch.ts";

/** What the requests of an isolate share. */
export type Isolate = {
  readonly ports: Ports;
  /** Questions under way. */
  readonly asked: Flights<Learned>;
  /** Files being opened. */
  readonly opened: Flights<OpenedFile>;
  readonly fills: Fills;
  readonly spare: SpareMemory;
  /** Stored members of archives that were read whole and found right, by archive and place. */
  readonly checked: MemoryStore<true>;
  /** Directories of archives being read. */
  readonly directories: Flights<KnownDirectory>;
  /** By what they weigh in bytes: one of many entries takes several times that for a moment. */
  readonly turns: Turns;
  readonly hookBodies: HookReading;
  /** Links of archives being read. */
  readonly links: Flights<Links>;
  /** Where the last read of a part ended, by body. */
  readonly readUpTo: MemoryStore<number>;
  readonly watch: Watch;
  /** Files that were asked for lately, by project. */
  readonly askedFiles: MemoryStore<AskedFiles>;
  /** Spreads refreshes over isolates, in milliseconds. */
  readonly jitterMs: number;
};

/** Who asks, with the hash that stands for it in keys. */
export type Asker = { readonly principal: AnyPrincipal; readonly id: string };

/** One request on its way. */
export type Visit = {
  readonly isolate: Isolate;
  readonly site: Site;
  readonly dialect: Dialect;
  readonly target: Target;
  /** Which bytes of an object to ask for along with everything else, where nothing is known of it. */
  readonly wanted: Wanted | undefined;
  readonly asker: Asker;
  readonly trace: Trace;
  /** Keeps work going behind the response. */
  readonly defer: Defer;
  /** When the origin was asked for the verdict that lets this request in, in milliseconds. */
  admittedAt: number;
  /** What the grant that lets this request in has seen. */
  seen: string | undefined;
  /** The fills that this request began. */
  readonly led: Fill[];
  /** Whether the response's body is still being written. */
  isSending: boolean;
};

/** Tells the fills of a request that it is over. */
export function endVisit({ led }: Visit): void {
  for (const fill of led) fill.leaderLeft();
}

/**
 * What a question taught: `about` is what a "no" was said of for certain, `at` is when it was sent.
 * Revisions are not here, as they are remembered for everyone.
 */
export type Learned =
  | { readonly kind: "admitted"; readonly at: number; readonly seen?: string | undefined }
  | {
      readonly kind: "refused";
      readonly at: number;
      readonly refusal: Refusal;
      readonly about: "scope" | "name";
    }
  | { readonly kind: "unclear" };

/** What opening a file came to; the entry is everyone's, a refusal only the leader's. */
export type OpenedFile =
  | { readonly kind: "entry"; readonly entry: Entry }
  | { readonly kind: "refused"; readonly refusal: Refusal }
  | { readonly kind: "unclear" };
