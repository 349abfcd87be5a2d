import type { LoadPlan } from "../../../scripts/load/plan.ts";

/** What this run is to do. */
export const PLAN = JSON.parse(__ENV["PLAN"] ?? "{}") as LoadPlan;
