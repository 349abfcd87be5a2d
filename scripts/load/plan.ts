import type { Bounds } from "./truth.ts";

export const SCENARIOS = ["raw", "objects", "artifacts", "pipelines", "mixed"] as const;
export type Scenario = (typeof SCENARIOS)[number];

/** Where a credential counts: raw files on the web, the API, the pages of the web. */
export type Door = "web" | "api" | "pages";

/** Somebody who asks a forge. */
export type Asker = {
  /** Without a colon; `ANYBODY` without a credential. */
  readonly who: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Put behind a URL's `?`. */
  readonly query: string;
  readonly doors: readonly Door[];
};

/** Somebody who asks a store; without a key, nobody in particular. */
export type StoreAsker = {
  readonly who: string;
  readonly key: { readonly id: string; readonly secret: string; readonly region: string } | undefined;
};

/** Expressions that k6 holds a metric against, by the metric's name. */
export type Thresholds = Readonly<Record<string, readonly string[]>>;

/** What a scenario in `test/k6` is told, in the variable PLAN. */
export type LoadPlan = {
  readonly kind: "local";
  /** Base URLs, without a slash at the end. */
  readonly forge: string;
  readonly store: string;
  readonly control: string;
  readonly seconds: number;
  /** Clients that ask one question after the other. */
  readonly clients: number;
  /** Questions a second of the mixed scenario. */
  readonly rate: number;
  readonly bounds: Bounds;
  readonly askers: readonly Asker[];
  /** What each project's branch began at. */
  readonly commits: readonly string[];
  readonly storeAskers: readonly StoreAsker[];
  readonly thresholds: Thresholds;
};

/** A URL of an edge that nothing else is known of. */
export type Target = {
  readonly lane: Exclude<Scenario, "mixed">;
  readonly url: string;
  readonly isPrivate: boolean;
  /** In lower-case hex; learned from a first read, where it is left out. */
  readonly sha256: string | undefined;
};

/** Somebody who asks for such a URL. */
export type PreviewAsker = {
  readonly who: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly key: StoreAsker["key"];
  /** Whether they may read what is private. */
  readonly mayRead: boolean;
};

/** What `test/k6/preview.ts` is told. */
export type PreviewPlan = {
  readonly kind: "preview";
  readonly seconds: number;
  readonly clients: number;
  readonly targets: readonly Target[];
  /** The first may read everything. */
  readonly askers: readonly PreviewAsker[];
  /** The same for targets that are signed for. */
  readonly storeAskers: readonly PreviewAsker[];
  readonly thresholds: Thresholds;
};
