import { PEERS, timesAsGood, type Peer, type PeerRow } from "./peers.ts";
import { formatNumber } from "../measuring/table.ts";

/** What is drawn of each row, in this order: how many times as good as the origin. */
const DRAWN = ["edge", "nginx", "varnish"] as const satisfies readonly Peer[];

const WIDTH = 960;
const MARGIN = 16;
const TITLE_HEIGHT = 64;
const AXIS_HEIGHT = 28;
const LABEL_WIDTH = 360;
/** For what is written at the ends of bars. */
const END_WIDTH = 104;
const BAR = 11;
const BAR_STEP = 13;
const GROUP_GAP = 9;
const LANE_HEIGHT = 26;
const LABEL_CHARACTERS = 56;
/** What is in sight on each side of the origin at least, in powers of ten. */
const LEAST_SIDE = 0.3;

/** Spelled out for both, as not everything that draws SVG knows variables. */
const STYLE = `
  text { font: 12px system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; fill: #1f2328; }
  .title { font-size: 16px; font-weight: 600; }
  .lane { font-weight: 600; }
  .small { font-size: 11px; fill: #59636e; }
  .end { font-size: 11px; paint-order: stroke; stroke: #ffffff; stroke-width: 3px; }
  .paper { fill: #ffffff; }
  .line { stroke: #d1d9e0; }
  .one { stroke: #59636e; stroke-width: 1.5; }
  .edge { fill: #bc4c00; }
  .nginx { fill: #1a7f37; }
  .varnish { fill: #0969da; }
  @media (prefers-color-scheme: dark) {
    text { fill: #f0f6fc; }
    .small { fill: #9198a1; }
    .end { stroke: #0d1117; }
    .paper { fill: #0d1117; }
    .line { stroke: #3d444d; }
    .one { stroke: #9198a1; }
    .edge { fill: #ff9b4a; }
    .nginx { fill: #57c26a; }
    .varnish { fill: #6cb6ff; }
  }
`;

type Bar = { readonly peer: (typeof DRAWN)[number]; readonly times: number };
type Group = { readonly row: PeerRow; readonly bars: readonly Bar[] };

/**
 * A picture of the rows that have an origin: bars from the origin's own figure, which is 1, to the right for what is better and
 * to the left for what is worse, each step ten times the one before. It is readable on light and dark pages.
 */
export function plotPeers(rows: readonly PeerRow[]): string {
  const groups = rows.map((row) => ({ row, bars: barsOf(row) })).filter(({ bars }) => bars.length > 0);
  const all = groups.flatMap(({ bars }) => bars.map(({ times }) => times));
  const scale = scaleOf(all);
  const placed = placeGroups(groups);
  const height = placed.endY + AXIS_HEIGHT + MARGIN;
  const parts = [
    `<rect class="paper" width="${WIDTH}" height="${height}" rx="6"/>`,
    ...headingParts(),
    ...axisParts(scale, placed.endY),
    ...placed.lanes.map(({ lane, y }) => text({ x: MARGIN, y: y + 17, css: "lane" }, lane)),
    ...placed.groups.flatMap(({ group, y }) => groupParts(group, y, scale)),
  ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img">`,
    "<title>How many times as good as the origin the edge, nginx and Varnish are</title>",
    `<style>${STYLE}</style>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}

function barsOf(row: PeerRow): Bar[] {
  return DRAWN.flatMap((peer) => {
    const times = timesAsGood(row, peer, "origin");
    return times === undefined ? [] : [{ peer, times }];
  });
}

/** From a factor to where it is drawn, and the powers of ten that are in sight. */
type Scale = { readonly powers: readonly number[]; readonly x: (times: number) => number };

function scaleOf(all: readonly number[]): Scale {
  const logs = all.map(Math.log10);
  const low = Math.min(-LEAST_SIDE, ...logs);
  const high = Math.max(LEAST_SIDE, ...logs);
  const left = MARGIN + LABEL_WIDTH;
  const width = WIDTH - MARGIN - END_WIDTH - left;
  const first = Math.ceil(low);
  return {
    powers: Array.from({ length: Math.floor(high) - first + 1 }, (_, index) => first + index),
    x: (times) => left + ((Math.log10(times) - low) / (high - low)) * width,
  };
}

type Placed = {
  readonly lanes: readonly { readonly lane: string; readonly y: number }[];
  readonly groups: readonly { readonly group: Group; readonly y: number }[];
  readonly endY: number;
};

/** One below the other, each lane with its name above. */
function placeGroups(groups: readonly Group[]): Placed {
  const lanes: { lane: string; y: number }[] = [];
  const placed: { group: Group; y: number }[] = [];
  let y = TITLE_HEIGHT;
  for (const group of groups) {
    const { lane } = group.row;
    if (lanes.at(-1)?.lane !== lane) {
      lanes.push({ lane, y });
      y += LANE_HEIGHT;
    }
    placed.push({ group, y });
    y += Math.max(group.bars.length * BAR_STEP, 2 * BAR_STEP) + GROUP_GAP;
  }
  return { lanes, groups: placed, endY: y };
}

function headingParts(): string[] {
  const title = "How many times as good as the origin: more requests a second, or less time";
  return [
    text({ x: MARGIN, y: 28, css: "title" }, title),
    text(
      { x: MARGIN, y: 48, css: "small" },
      "1 is the origin itself; bars to the left are worse. Each line is ten times the one before.",
    ),
  ];
}

function axisParts({ powers, x }: Scale, endY: number): string[] {
  return powers.flatMap((power) => {
    const at = round(x(10 ** power));
    const css = power === 0 ? "one" : "line";
    const label = power === 0 ? "1 (origin)" : `${power < 0 ? 10 ** power : formatNumber(10 ** power)}`;
    return [
      `<line class="${css}" x1="${at}" y1="${TITLE_HEIGHT}" x2="${at}" y2="${endY}"/>`,
      text({ x: at, y: endY + 16, css: "small", anchor: "middle" }, label),
    ];
  });
}

function groupParts({ row, bars }: Group, y: number, scale: Scale): string[] {
  const labels = wrap(row.what, LABEL_CHARACTERS).map((line, index) =>
    text({ x: MARGIN, y: y + 10 + index * 14 }, line),
  );
  return [...labels, ...bars.flatMap((bar, index) => barParts(bar, y + index * BAR_STEP, scale))];
}

function barParts({ peer, times }: Bar, y: number, { x }: Scale): string[] {
  const [from, to] = [Math.min(x(1), x(times)), Math.max(x(1), x(times))];
  const width = Math.max(1, to - from);
  return [
    `<rect class="${peer}" x="${round(from)}" y="${y}" width="${round(width)}" height="${BAR}" rx="1.5"/>`,
    text({ x: to + 5, y: y + 9.5, css: "end" }, `${PEERS[peer]} ${formatNumber(times)}`),
  ];
}

type TextPlace = {
  readonly x: number;
  readonly y: number;
  readonly css?: string;
  readonly anchor?: "middle";
};

function text({ x, y, css, anchor }: TextPlace, content: string): string {
  const attributes = [
    css === undefined ? "" : ` class="${css}"`,
    anchor === undefined ? "" : ` text-anchor="${anchor}"`,
  ];
  return `<text x="${round(x)}" y="${round(y)}"${attributes.join("")}>${escapeXml(content)}</text>`;
}

/** Lines of so many characters at most, broken between words. */
function wrap(content: string, most: number): string[] {
  const lines: string[] = [];
  for (const word of content.split(" ")) {
    const longer = `${lines.at(-1) ?? ""} ${word}`.trim();
    if (lines.length > 0 && longer.length <= most) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}

function escapeXml(content: string): string {
  return content.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
}
