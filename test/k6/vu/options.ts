import type { Options, Scenario } from "k6/options";
import { PLAN } from "./plan.ts";

const GRACE = "15s";

/** Options of a run whose clients ask one question after the other, each by the exported function. */
export function steadily(exec: string): Options {
  return optionsOf({
    steady: {
      executor: "constant-vus",
      exec,
      vus: PLAN.clients,
      duration: `${PLAN.seconds}s`,
      gracefulStop: GRACE,
    },
  });
}

/** What happens at a rate of its own, however long the answers take. */
export function atRate(exec: string, perSecond: number, clients: number): Scenario {
  return {
    executor: "constant-arrival-rate",
    exec,
    rate: Math.max(1, Math.round(perSecond * 60)),
    timeUnit: "1m",
    duration: `${PLAN.seconds}s`,
    preAllocatedVUs: clients,
    maxVUs: clients,
    gracefulStop: GRACE,
  };
}

export function optionsOf(scenarios: Readonly<Record<string, Scenario>>): Options {
  return {
    scenarios: { ...scenarios },
    thresholds: Object.fromEntries(Object.entries(PLAN.thresholds).map(([name, all]) => [name, [...all]])),
    summaryTrendStats: ["med", "p(95)", "p(99)", "max", "count"],
    noUsageReport: true,
  };
}
