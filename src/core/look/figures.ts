import { OUTCOME_LABELS, type OutcomeLabel } from "../outcome-label.ts";
import { CACHE_NAMES, LANE_NAMES, type OriginAnswer } from "../telemetry.ts";
import { shownCount, shownShare, shownSpan } from "./amounts.ts";
import { paceChart, shareBar } from "./chart.ts";
import type { Look } from "./colo-look.ts";
import type { LaneCounts, OutcomeCounts, RepeatedTrouble } from "./isolate-look.ts";
import { ofLate } from "./of-late.ts";
import { sum } from "./sum.ts";
import { columnsOf, row, table } from "./table.ts";
import { tiles } from "./tiles.ts";

/** What the caches did, as HTML: the part of the page that changes. */
export function figures(look: Look, now: number): string {
  return [
    tiles(look, now),
    `<section><h2>The last five minutes</h2>${legend([
      ["served", "requests"],
      ["asked", "questions to the origin"],
    ])}${paceChart(look.pace, now)}</section>`,
    caches(look),
    lanes(look),
    slowest(ofLate(look.slowest, now), now),
    troubles(ofLate(look.troubles, now), now),
  ].join("\n");
}

const OUTCOME_NAMES: Readonly<Record<OutcomeLabel, string>> = {
  memory: "memory",
  colo: "colo",
  kv: "KV",
  collapsed: "waited along",
  stale: "stale",
  miss: "asked",
  bypass: "bypassed",
};

const CACHE_TITLES = { grant: "Grants: who", revision: "Revisions: which", body: "Bodies: what" };

function caches({ caches: all }: Look): string {
  const rows = CACHE_NAMES.map((cache) => {
    const counts = all[cache];
    const total = sum(OUTCOME_LABELS, (label) => counts[label]);
    const parts = OUTCOME_LABELS.map((kind) => ({ kind, count: counts[kind] }));
    const cells = OUTCOME_LABELS.map(
      (label) =>
        `<td title="${shownCount(counts[label])}">${counts[label] === 0 ? "" : shownShare(counts[label], total)}`,
    );
    const title = CACHE_TITLES[cache];
    return `<tr><th scope="row">${title}<td><b>${shownShare(hits(counts), total)}</b>${shareBar(parts, `${title} by outcome`)}${cells.join("")}`;
  });
  const labels = OUTCOME_LABELS.map(
    (label) => `<th scope="col"><i class="${label}"></i>${OUTCOME_NAMES[label]}`,
  );
  const heads = ['<th scope="col">Cache', '<th scope="col">Hits', ...labels];
  return table({ title: "Hits by cache and tier", heads, rows });
}

function hits({ memory, colo, kv }: OutcomeCounts): number {
  return memory + colo + kv;
}

const LANE_TITLES = {
  raw: "Raw files",
  object: "Objects",
  artifact: "Artifacts",
  pipelines: "Pipelines",
  pass: "Passed through",
};

function lanes({ lanes: all }: Look): string {
  const columns: readonly (readonly [string, (lane: LaneCounts) => number])[] = [
    ["Requests", (lane) => lane.requests],
    ["Origin asked", (lane) => lane.asked],
    ["4xx", (lane) => lane.refused],
    ["5xx", (lane) => lane.failed],
  ];
  const rows = LANE_NAMES.map((lane) => {
    const cells = columns.map(([, count]) => `<td>${shownCount(count(all[lane]))}`);
    return `<tr><th scope="row">${LANE_TITLES[lane]}${cells.join("")}`;
  });
  return table({ title: "Lanes", heads: columnsOf(["Lane", ...columns.map(([name]) => name)]), rows });
}

function slowest(answers: readonly OriginAnswer[], now: number): string {
  const rows = answers.map(({ ms, status, host, lane, method, path, at }) =>
    row([
      `${shownCount(ms)} ms`,
      String(status),
      host,
      lane,
      `${method} ${path ?? "(passed through)"}`,
      `${shownSpan(now - at)} ago`,
    ]),
  );
  const heads = columnsOf(["Took", "Status", "Site", "Lane", "Asked", "When"]);
  return table({ title: "Slowest answers of the origin in 15 minutes", heads, rows, kind: "events" });
}

function troubles(all: readonly RepeatedTrouble[], now: number): string {
  const rows = all.map(({ problem, times, host = "", lane = "", path = "", at }) =>
    row([problem, `${shownCount(times)}\u00d7`, host, lane, path, `${shownSpan(now - at)} ago`]),
  );
  const heads = columnsOf(["Error", "Times", "Site", "Lane", "About", "Last"]);
  return table({ title: "Recent errors", heads, rows, kind: "events" });
}

function legend(entries: readonly (readonly [kind: string, name: string])[]): string {
  return `<p class="more">${entries.map(([kind, name]) => `<i class="${kind}"></i>${name}`).join(" ")}</p>`;
}
