import { billOf, excessOf } from "./bill.ts";
import type { Figures } from "./figures.ts";
import { usageOf, withoutKv, type Workload } from "./model.ts";

/** A team as the documentation speaks of it, with the arguments of `npm run costs` that mean the same. */
export type Team = { readonly name: string; readonly args: string };

/** Three that are typical, by what they do most. */
export const TEAMS: readonly Team[] = [
  {
    name: "20 people and their CI, raw files",
    args: "--lane raw --requests 2M --askers 10 --projects 2 --isolates 2 --deliveries 5k",
  },
  {
    name: "500 people, dashboards and bots that poll pipelines",
    args: "--lane pipelines --requests 100M --askers 150 --projects 2 --hit 0.999 --deliveries 100k",
  },
  {
    name: "a data team, small objects signed with 20 keys",
    args: "--lane object --requests 300M --hours 720 --askers 20 --projects 500 --hit 0.95",
  },
];

/** One line of the documentation's table: what a team takes a month, and what it pays. */
export function teamRow({ name, args }: Team, workload: Workload, figures: Figures): string {
  const usage = usageOf(workload, figures);
  const { total } = billOf(usage);
  const million = (value: number) => `${(value / 1_000_000).toFixed(1)} M`;
  const cells = [
    `${name}<br>\`${args}\``,
    million(usage.requests),
    million(usage.cpuMs),
    million(usage.kvReads),
    million(usage.kvWrites),
    million(usage.dataPoints),
    `$${total.toFixed(2)}`,
    `$${billOf(withoutKv(usage)).total.toFixed(2)}`,
    excessOf(usage).length === 0 ? "yes" : excessOf(withoutKv(usage)).length === 0 ? "without KV" : "no",
  ];
  return `| ${cells.join(" | ")} |`;
}
