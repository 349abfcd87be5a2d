import { parseArgs } from "node:util";
import { LANES, type Lane } from "./lanes.ts";
import type { Workload } from "./model.ts";

/** What was asked for, and is not understood. */
export class UsageError extends Error {}

export type CostsRequest =
  | { readonly kind: "help" }
  | { readonly kind: "measure" }
  | { readonly kind: "tables" }
  | { readonly kind: "estimate"; readonly workload: Workload };

/** Eight hours of thirty days: when people work, and what they have set up to ask runs all the time. */
const DEFAULTS = {
  lane: "raw",
  requests: "10M",
  hours: "240",
  hit: "0.9",
  denied: "0.001",
  passed: "0",
  askers: "50",
  projects: "2",
  colos: "1",
  isolates: "4",
  deliveries: "0",
} as const;

export const USAGE = `Usage: npm run costs -- [options]      what a month costs, by figures that were measured
       npm run costs -- --measure      measures them anew, into scripts/costs/figures.json (two to three minutes)
       npm run costs -- --tables       writes the tables of docs/operating.md by them
  --lane LANE        ${LANES.join(", ")} (${DEFAULTS.lane})
  --requests N       in a month; 250k, 10M and 1G are numbers too (${DEFAULTS.requests})
  --hours N          hours of the month in which they come (${DEFAULTS.hours})
  --hit SHARE        of what may be read, how much was read before (${DEFAULTS.hit})
  --denied SHARE     refused by the origin, each with another credential (${DEFAULTS.denied})
  --passed SHARE     passed through: pages, clones, uploads (${DEFAULTS.passed})
  --askers N         tokens, keys, people: those who ask within the same half minute (${DEFAULTS.askers})
  --projects N       how many projects (objects, jobs) each of them reads in it (${DEFAULTS.projects})
  --colos N          data centres of Cloudflare's to which the requests come (${DEFAULTS.colos})
  --isolates N       of the Worker, in all colos, that share the requests (${DEFAULTS.isolates})
  --deliveries N     pushes that webhooks tell of, in a month; implies that isolates look for them (${DEFAULTS.deliveries})
  --watched          isolates look for what others were told, though nobody tells: CONTROL_TOKEN alone is set
  --help`;

/** Reads the arguments of `npm run costs`. */
export function readRequest(args: readonly string[]): CostsRequest {
  const values = parse(args);
  if (values.help === true) return { kind: "help" };
  if (values.measure === true) return { kind: "measure" };
  if (values.tables === true) return { kind: "tables" };
  const text = { ...DEFAULTS, ...values };
  const deliveries = amount("deliveries", text.deliveries);
  return {
    kind: "estimate",
    workload: {
      lane: laneOf(text.lane),
      requests: amount("requests", text.requests, 1),
      hours: amount("hours", text.hours, 1),
      hit: share("hit", text.hit),
      denied: share("denied", text.denied),
      passed: share("passed", text.passed),
      askers: amount("askers", text.askers, 1),
      projects: amount("projects", text.projects, 1),
      colos: amount("colos", text.colos, 1),
      isolates: amount("isolates", text.isolates, 1),
      isWatched: values.watched === true || deliveries > 0,
      deliveries,
    },
  };
}

function parse(args: readonly string[]) {
  const string = { type: "string" } as const;
  const boolean = { type: "boolean" } as const;
  try {
    const names = Object.keys(DEFAULTS) as (keyof typeof DEFAULTS)[];
    const options = Object.fromEntries(names.map((name) => [name, string])) as Record<
      keyof typeof DEFAULTS,
      typeof string
    >;
    const all = { ...options, watched: boolean, measure: boolean, tables: boolean, help: boolean };
    return parseArgs({ args: [...args], options: all }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function laneOf(text: string): Lane {
  const lane = LANES.find((known) => known === text);
  if (lane === undefined)
    throw new UsageError(`--lane must be one of ${LANES.join(", ")}, not ${JSON.stringify(text)}`);
  return lane;
}

const FACTORS: Readonly<Record<string, number>> = { "": 1, k: 1e3, M: 1e6, G: 1e9 };

function amount(name: string, text: string, least = 0): number {
  const [, digits, unit] = /^(\d+(?:\.\d+)?)([kMG]?)$/.exec(text) ?? [];
  const value = Number(digits) * (FACTORS[unit ?? ""] ?? Number.NaN);
  if (!(value >= least))
    throw new UsageError(
      `--${name} must be a number from ${least}, such as 250k or 10M, not ${JSON.stringify(text)}`,
    );
  return value;
}

function share(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0 && value <= 1))
    throw new UsageError(`--${name} must be a share from 0 to 1, not ${JSON.stringify(text)}`);
  return value;
}
