import { median } from "../measuring/rounds.ts";

/** Everything that is compared, the edge first, in the order of the columns. */
export const PEERS = {
  edge: "edge",
  origin: "origin",
  nginx: "nginx",
  varnish: "Varnish",
  bare: "bare Worker",
  ungranted: "edge, GRANT_S=0",
} as const;

export type Peer = keyof typeof PEERS;

/** Caches that may be missing on a machine, and the programs that they are. */
export const CACHES = { nginx: "nginx", varnish: "varnishd" } as const;

export type Cache = keyof typeof CACHES;

/** Rates are the better the higher they are, times the lower. */
export type PeerUnit = "requests/s" | "ms";

/** The same thing done by the edge and by its peers, of which some do not do it. */
export type PeerRow = {
  readonly lane: string;
  readonly what: string;
  readonly unit: PeerUnit;
  /** What each round gave, in the order they were run. */
  readonly rounds: Readonly<Partial<Record<Peer, readonly number[]>>>;
};

/** The median of a peer's rounds; `undefined` where it was not measured. */
export function figureOf({ rounds }: PeerRow, peer: Peer): number | undefined {
  const measured = rounds[peer];
  return measured === undefined ? undefined : median(measured);
}

/** How many times as good one is as another, whatever the unit: above 1 it is ahead. */
export function timesAsGood(row: PeerRow, one: Peer, other: Peer): number | undefined {
  const [ours, theirs] = [figureOf(row, one), figureOf(row, other)];
  if (ours === undefined || theirs === undefined) return undefined;
  return row.unit === "ms" ? theirs / ours : ours / theirs;
}
