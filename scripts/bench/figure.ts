import type { Cache, PeerRow } from "./peers.ts";

/** One measured thing, alone or beside what it is compared with. */
export type Figure = {
  /** Unique, by which it is found in the report. */
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly ours: number;
  /** What ours is divided by. */
  readonly theirs?: number;
  readonly target?: Target;
  /** Every round, in the order they were run. */
  readonly rounds?: { readonly ours: readonly number[]; readonly theirs: readonly number[] };
  /** Shown in a table of its own, and left out of the one of all figures. */
  readonly isListedApart?: boolean;
  readonly details?: Readonly<Record<string, number | string>>;
};

/** What is judged: the ratio where there is one to compare with, else the figure itself. */
export type Target = { readonly least: number } | { readonly most: number };

export type Conditions = {
  readonly signal: AbortSignal;
  /** The length asked for of each load; absent where each may take its own. */
  readonly seconds: number | undefined;
  /** Small sizes and few rounds will do: the figures are looked at for being there. */
  readonly isQuick: boolean;
  /** What is put here lasts until all points are measured. */
  readonly run: AsyncDisposableStack;
  /** Tells how things go on the terminal. */
  readonly say: (text: string) => void;
  /** Leaves a line for below the table. */
  readonly note: (text: string) => void;
};

export type PeerConditions = Conditions & {
  /** The caches that this machine has. */
  readonly caches: ReadonlySet<Cache>;
};

/** What of a point is done by the origin and by other caches as well, in shorter rounds. */
export type BesidePeers = {
  /** What the machine wants for it, in a sentence, be it there with all caches or none; `undefined` where nothing is wanting. */
  lacks(signal: AbortSignal): Promise<string | undefined>;
  compare(conditions: PeerConditions): Promise<PeerRow[]>;
};

export type Point = {
  readonly title: string;
  measure(conditions: Conditions): Promise<Figure[]>;
  /** For the points that are part of the bench of all lanes. */
  readonly besidePeers?: BesidePeers;
};

export type Lane = {
  readonly points: Readonly<Record<number, Point>>;
  readonly notes: readonly string[];
  /** Whether it measures less where it is to be quick. */
  readonly hasQuick?: true;
  /** What the machine wants for this lane, in a sentence; `undefined` where nothing is wanting. */
  lacks(signal: AbortSignal): Promise<string | undefined>;
};

export function ratioOf({ ours, theirs }: Figure): number | undefined {
  return theirs === undefined ? undefined : ours / theirs;
}

/** Whether a figure has a target and does not reach it; what is no number reaches none. */
export function missed(figure: Figure): boolean {
  const { target } = figure;
  if (target === undefined) return false;
  const judged = ratioOf(figure) ?? figure.ours;
  return "least" in target ? !(judged >= target.least) : !(judged <= target.most);
}
