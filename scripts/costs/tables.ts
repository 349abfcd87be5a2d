import { largestFirstRead } from "./bill.ts";
import type { Figure, Figures } from "./figures.ts";
import { SITUATIONS } from "./figures.ts";
import { LANES } from "./lanes.ts";
import { readRequest } from "./options.ts";
import { TEAMS, teamRow } from "./teams.ts";

const MEBIBYTE = 1024 * 1024;

/** What a request takes in each situation, as Markdown. */
export function figuresTable(figures: Figures): string {
  const lanes = LANES.flatMap((lane) =>
    SITUATIONS.map((situation) => figureRow(`${lane}, ${situation}`, figures.lanes[lane][situation])),
  );
  return [
    "| a request | CPU, ms | KV reads | KV writes | cache reads | cache writes | to the origin |",
    "| --- | --- | --- | --- | --- | --- | --- |",
    ...lanes,
    figureRow("pipelines, a list asked for again", figures.relisted),
    figureRow("a page that passes through", figures.passed),
    figureRow(`a \`git clone\`, ${figures.clone.requests} requests`, figures.clone),
    figureRow("a push that a forge tells of", figures.delivery),
  ].join("\n");
}

function figureRow(name: string, figure: Figure): string {
  const { cpuMs, kvReads, kvWrites, cacheMatches, cachePuts, fetches } = figure;
  const counts = [kvReads, kvWrites, cacheMatches, cachePuts, fetches].map((count) =>
    String(Number(count.toFixed(1))),
  );
  return `| ${[name, cpuMs.toFixed(2), ...counts].join(" | ")} |`;
}

/** What the teams take and pay, as Markdown. */
export function teamsTable(figures: Figures): string {
  return [
    "| a month of | requests | CPU ms | KV reads | KV writes | data points | bill | without KV | free plan |",
    "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ...TEAMS.map((team) => {
      const request = readRequest(team.args.split(" "));
      if (request.kind !== "estimate") throw new Error(`${team.args} asks for no estimate`);
      return teamRow(team, request.workload, figures);
    }),
  ].join("\n");
}

/** How the page says what `largestSentence()` makes. */
export const LARGEST = /about \d+ MiB on Workers Free, \d+ GiB on Workers Paid/;

/** How large an object may be so that its first read keeps within a plan's limits. */
export function largestSentence(figures: Figures): string {
  const free = Math.floor(largestFirstRead(figures, "free") / MEBIBYTE);
  const paid = Math.floor(largestFirstRead(figures, "paid") / MEBIBYTE / 1024);
  return `about ${free} MiB on Workers Free, ${paid} GiB on Workers Paid`;
}
