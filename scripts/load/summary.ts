import { formatColumns, formatNumber } from "../measuring/table.ts";
import { CACHES } from "./cache-status.ts";
import type { Metric, Metrics } from "./k6-run.ts";
import type { Thresholds } from "./plan.ts";

/** One threshold, and whether it holds. */
export type Held = {
  readonly metric: string;
  readonly expression: string;
  readonly value: string;
  readonly isOk: boolean;
};

/** Each threshold that was asked for; one of what was never measured does not hold, whatever k6 says of it. */
export function heldThresholds(metrics: Metrics, thresholds: Thresholds): Held[] {
  return Object.entries(thresholds).flatMap(([name, expressions]) =>
    expressions.map((expression) => {
      const metric = metrics[name];
      const value = metric && measured(metric);
      return {
        metric: name,
        expression,
        value: value === undefined ? "not measured" : formatNumber(value),
        isOk: value !== undefined && metric?.thresholds?.[expression]?.ok === true,
      };
    }),
  );
}

function measured({ type, values }: Metric): number | undefined {
  if (type === "counter") return values["count"];
  if (type === "rate")
    return (values["passes"] ?? 0) + (values["fails"] ?? 0) > 0 ? values["rate"] : undefined;
  return (values["count"] ?? 0) > 0 ? values["p(95)"] : undefined;
}

/** The figures of a scenario, in one row under `HEADING`. */
export function figuresRow(
  scenario: string,
  metrics: Metrics,
  { seconds, originQuestions }: { readonly seconds: number; readonly originQuestions: number | undefined },
): string[] {
  const value = (metric: string, statistic: string) => metrics[metric]?.values[statistic];
  const shown = (number: number | undefined) => (number === undefined ? "-" : formatNumber(number));
  const judged = value("judged", "count");
  return [
    scenario,
    shown(judged === undefined ? undefined : judged / seconds),
    ...["med", "p(95)", "p(99)"].map((statistic) => shown(value("took", statistic))),
    ...CACHES.map((cache) => percent(value(`${cache}_hit`, "rate"))),
    ...["refused", "aborted", "withdrawn_asked"].map((metric) => shown(value(metric, "count"))),
    shown(value("errors", "passes")),
    shown(value("wrong_bytes", "count")),
    shown(value("leaks", "count")),
    shown(originQuestions),
  ];
}

const HEADING = [
  "scenario",
  "requests/s",
  "p50 ms",
  "p95 ms",
  "p99 ms",
  "grant hit",
  "revision hit",
  "body hit",
  "refused",
  "gone away",
  "withdrawn",
  "errors",
  "wrong",
  "leaks",
  "at origin",
];

export function formatFigures(rows: readonly (readonly string[])[]): string {
  return formatColumns([HEADING, ...rows]);
}

function percent(ratio: number | undefined): string {
  return ratio === undefined ? "-" : `${(ratio * 100).toFixed(1)} %`;
}
