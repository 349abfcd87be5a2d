import { ENTRIES, JOBS } from "../../scripts/load/catalogue.ts";
import { zipf } from "../../scripts/load/zipf.ts";
import { askArtifacts } from "./vu/artifacts.ts";
import { between } from "./vu/dice.ts";
import { steadily } from "./vu/options.ts";
import { countFromNothing } from "./vu/tally.ts";

export { handleSummary } from "./vu/summary.ts";

const draw = zipf(ENTRIES);

export const options = steadily("readArtifacts");
export const setup = countFromNothing;

export function readArtifacts(): void {
  askArtifacts(between(0, JOBS), draw(Math.random()));
}
