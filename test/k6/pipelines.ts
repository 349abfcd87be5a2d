import { LANE_PROJECTS } from "../../scripts/load/catalogue.ts";
import { zipf } from "../../scripts/load/zipf.ts";
import { between } from "./vu/dice.ts";
import { control } from "./vu/journal.ts";
import { atRate, optionsOf } from "./vu/options.ts";
import { pollList } from "./vu/pipelines.ts";
import { PLAN } from "./vu/plan.ts";
import { countFromNothing } from "./vu/tally.ts";

export { handleSummary } from "./vu/summary.ts";

const CHANGES_PER_S = 2;
const draw = zipf(LANE_PROJECTS);

export const options = optionsOf({
  polls: {
    executor: "constant-vus",
    exec: "poll",
    vus: PLAN.clients,
    duration: `${PLAN.seconds}s`,
  },
  changes: atRate("changePipeline", CHANGES_PER_S, 2),
});
export const setup = countFromNothing;

export function poll(): void {
  pollList(draw(Math.random()));
}

export function changePipeline(): void {
  control(`/pipeline?project=${between(0, LANE_PROJECTS)}`);
}
