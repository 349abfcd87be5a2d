import type { PeerConditions } from "./figure.ts";
import { PEERS, type Peer, type PeerRow } from "./peers.ts";
import { takeTurns } from "../measuring/rounds.ts";
import { formatNumber } from "../measuring/table.ts";

/** Each peer's way to do the same, measured once: a number for each row. */
export type Ways = Readonly<Partial<Record<Peer, () => Promise<readonly number[]>>>>;

export type Comparison = {
  /** What the numbers of a round are. */
  readonly rows: readonly Omit<PeerRow, "rounds">[];
  readonly ways: Ways;
  readonly rounds: number;
  /** Whether each does it once before, which does not count. */
  readonly warmsUp: boolean;
};

/** How long and how often something is loaded: as long as was asked for, or as it takes by itself; and shortly, where it is to be quick. */
export function paceOf(
  { isQuick, seconds }: Pick<PeerConditions, "isQuick" | "seconds">,
  usual: Pick<Comparison, "rounds"> & { readonly loadS: number },
): Pick<Comparison, "rounds" | "warmsUp"> & { readonly loadS: number } {
  const rounds = isQuick ? 1 : usual.rounds;
  return { rounds, warmsUp: !isQuick, loadS: seconds ?? (isQuick ? 1 : usual.loadS) };
}

/** Lets all peers do it in turn, and says what each round gave. */
export async function compare(
  { say, signal }: PeerConditions,
  { rows, ways, rounds, warmsUp }: Comparison,
): Promise<PeerRow[]> {
  const peers = Object.keys(ways) as Peer[];
  for (const peer of warmsUp ? peers : []) await ways[peer]?.();
  const measures = peers.map((peer) => async () => {
    signal.throwIfAborted();
    const values = (await ways[peer]?.()) ?? [];
    if (values.length !== rows.length || !values.every(Number.isFinite))
      throw new Error(`${PEERS[peer]} gave ${values.join(", ")} where ${rows.length} numbers were wanted`);
    const said = rows.map(({ what, unit }, index) => `${what}: ${formatNumber(values[index] ?? 0)} ${unit}`);
    say(`${PEERS[peer]}, ${said.join("; ")}`);
    return values;
  });
  const measured = await takeTurns(rounds, measures);
  return rows.map((row, index) => {
    const columns = peers.map((peer, place) => [
      peer,
      (measured[place] ?? []).map((values) => values[index] ?? Number.NaN),
    ]);
    return { ...row, rounds: Object.fromEntries(columns) as PeerRow["rounds"] };
  });
}

/** Something for each peer that is there, made of what each has. */
export function mapPeers<From, To>(
  peers: Readonly<Partial<Record<Peer, From>>>,
  make: (from: From, peer: Peer) => To,
): Readonly<Partial<Record<Peer, To>>> {
  const entries = (Object.entries(peers) as [Peer, From][]).map(([peer, from]) => [peer, make(from, peer)]);
  return Object.fromEntries(entries) as Partial<Record<Peer, To>>;
}
