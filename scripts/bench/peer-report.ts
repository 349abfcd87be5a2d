import { formatMachine, type Machine } from "./machine.ts";
import { figureOf, PEERS, timesAsGood, type Peer, type PeerRow } from "./peers.ts";
import { formatNumber } from "../measuring/table.ts";

/** All that the bench of all lanes found out, and how. */
export type PeerReport = {
  readonly rows: readonly PeerRow[];
  /** Sentences that say what could not be measured here. */
  readonly lacks: readonly string[];
  /** Caches that are not on this machine. */
  readonly absent: ReadonlySet<Peer>;
  readonly notes: readonly string[];
  readonly versions: readonly (readonly [name: string, version: string])[];
  readonly machine: Machine;
  readonly command: string;
  /** When it began. */
  readonly date: Date;
  readonly tookS: number;
};

const EXPLANATIONS = [
  "In parentheses: how many times as good the edge is as that peer, more requests a second or less time. Below 1, in bold, it is behind.",
  "The origin answers all by itself: a small forge in Node with git repositories, and for objects a Ceph RGW. nginx (`auth_request`, `proxy_cache`) and Varnish (authorization by restart) ask it about each request who may read, and keep bodies for all; the edge remembers for 30 s who may read. A bare Worker has nothing to decide: it sends the same bytes from memory, or for objects what the local Cache API gives it. With `GRANT_S=0` the edge asks the origin's git about each request, as a front end without that memory would.",
  "Everything runs on this one machine, the client too: the figures compare, they do not say what a network of machines would do. Each figure is a median of rounds that all peers took in turn. Before it was measured each peer but the bare Worker was seen to give the right bytes to who may read, and none to a stranger.",
] as const;

/** The report as a page of Markdown; `plot` is where the picture is, seen from there. */
export function formatReport(report: PeerReport, plot: string): string {
  const { lacks, notes, versions, machine, command, date, tookS } = report;
  const facts = [
    `Machine: ${formatMachine(machine)}`,
    `Versions: ${versions.map(([name, version]) => `${name} ${version}`).join(", ")}`,
    `Measured: ${date.toISOString().slice(0, 10)} with \`${command}\`, in ${formatMinutes(tookS)}`,
    ...lacks,
    ...notes,
  ];
  return [
    "# The edge beside its peers",
    "Written by `npm run bench`, which measures all of it anew; nothing is copied by hand.",
    `![How many times as good as the origin the edge, nginx and Varnish are](${plot})`,
    formatPeerTable(report),
    ...EXPLANATIONS,
    `${facts.map((fact) => `- ${fact}`).join("\n")}\n`,
  ].join("\n\n");
}

/** One table of all rows; what a peer does not do is empty, and one that is not on this machine says so. */
export function formatPeerTable({ rows, absent }: Pick<PeerReport, "rows" | "absent">): string {
  const peers = Object.keys(PEERS) as Peer[];
  const heading = ["lane", "what", "unit", ...peers.map((peer) => PEERS[peer])];
  const lines = rows.map((row) => [
    row.lane,
    row.what,
    row.unit,
    ...peers.map((peer) => cellOf(row, peer, absent)),
  ]);
  const cells = [heading, ...lines].map((line) => line.map(escapeCell));
  const widths = heading.map((_, column) => Math.max(3, ...cells.map((line) => line[column]?.length ?? 0)));
  const isNumber = (column: number) => column >= 3;
  const written = cells.map((line) =>
    line.map((cell, column) =>
      isNumber(column) ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0),
    ),
  );
  const ruler = widths.map((width, column) =>
    isNumber(column) ? `${"-".repeat(width - 1)}:` : "-".repeat(width),
  );
  return written
    .toSpliced(1, 0, ruler)
    .map((line) => `| ${line.join(" | ")} |`)
    .join("\n");
}

function cellOf(row: PeerRow, peer: Peer, absent: ReadonlySet<Peer>): string {
  if (absent.has(peer)) return "not here";
  const figure = figureOf(row, peer);
  if (figure === undefined) return "";
  const times = peer === "edge" ? undefined : timesAsGood(row, "edge", peer);
  if (times === undefined) return formatNumber(figure);
  const text = formatNumber(times);
  return `${formatNumber(figure)} (${times < 1 ? `**${text}**` : text})`;
}

function escapeCell(cell: string): string {
  return cell.replaceAll("|", "\\|");
}

function formatMinutes(seconds: number): string {
  return seconds < 100 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;
}
