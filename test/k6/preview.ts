import type { PreviewPlan } from "../../scripts/load/plan.ts";
import { oneOf } from "./vu/dice.ts";
import { steadily } from "./vu/options.ts";
import { askTarget, learn, type Learned } from "./vu/preview.ts";
import { countFromNothing } from "./vu/tally.ts";

export { handleSummary } from "./vu/summary.ts";

const PLAN = JSON.parse(__ENV["PLAN"] ?? "{}") as PreviewPlan;

export const options = steadily("readTargets");

export function setup(): Learned {
  countFromNothing();
  return learn(PLAN);
}

export function readTargets(learned: Learned): void {
  const target = oneOf(PLAN.targets);
  askTarget(target, target.lane === "objects" ? PLAN.storeAskers : PLAN.askers, learned);
}
