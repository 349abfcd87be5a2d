import { formatColumns } from "../measuring/table.ts";
import { billOf, excessOf } from "./bill.ts";
import type { Figures } from "./figures.ts";
import { eventsOf, usageOf, withoutKv, type Workload } from "./model.ts";
import { BILLED, PAID_MONTHLY, PRICES_AS_OF, type Billed } from "./prices.ts";

const NAMES: Readonly<Record<Billed, string>> = {
  requests: "requests",
  cpuMs: "CPU, ms",
  kvReads: "KV reads",
  kvWrites: "KV writes",
  kvDeletes: "KV deletes",
  kvLists: "KV lists",
  dataPoints: "data points",
};

const MILLION = 1_000_000;

/** What a month takes and costs, as a table with what it rests on. */
export function reportOf(workload: Workload, figures: Figures): string {
  const usage = usageOf(workload, figures);
  const bill = billOf(usage);
  const rows = BILLED.filter((name) => usage[name] > 0).map((name) => [
    NAMES[name],
    whole((usage[name] / workload.requests) * MILLION),
    whole(usage[name]),
    dollars(bill.lines[name]),
  ]);
  const table = formatColumns([
    ["", "per million requests", "per month", "dollars"],
    ...rows,
    ["Workers Paid", "", "", dollars(PAID_MONTHLY)],
    ["in all", "", "", dollars(bill.total)],
  ]);
  return [titleOf(workload), "", table, "", ...notes(workload, figures)].join("\n");
}

/** A workload in words. */
export function titleOf({ lane, requests, hours, hit, askers, projects, colos, isolates }: Workload): string {
  const share = `${Number((hit * 100).toFixed(2))} % of them read before`;
  return `${lane}: ${whole(requests)} requests in ${hours} hours, ${share}, by ${askers} askers of ${projects} each, in ${isolates} isolates of ${colos} colo${colos === 1 ? "" : "s"}`;
}

function notes(workload: Workload, figures: Figures): string[] {
  const events = eventsOf(workload);
  const parts = Object.entries(events)
    .filter(([, count]) => count >= 1)
    .map(([name, count]) => `${name} ${whole(count)}`);
  const usage = usageOf(workload, figures);
  const excess = excessOf(usage);
  const free =
    excess.length === 0
      ? "On an average day the free plan would do."
      : `Not on the free plan: ${excess.map(({ name, daily, allowed }) => `${whole(daily)} ${NAMES[name]} a day, where ${whole(allowed)} are allowed`).join("; ")}.`;
  return [
    `Beyond hits: ${parts.join(", ")}.`,
    `Without the namespace in KV: ${dollars(billOf(withoutKv(usage)).total)} dollars; each colo then asks the origin for itself.`,
    free,
    `Measured ${figures.measured} on ${figures.on["processor"]}, workerd ${figures.on["workerd"]}; prices as of ${PRICES_AS_OF}. Data points are not billed yet.`,
  ];
}

function whole(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

function dollars(value: number): string {
  return value.toFixed(2);
}
