import { LANE_PROJECTS, PROJECTS } from "../../scripts/load/catalogue.ts";
import { zipf } from "../../scripts/load/zipf.ts";
import { steadily } from "./vu/options.ts";
import { askFile } from "./vu/raw.ts";
import { countFromNothing } from "./vu/tally.ts";

export { handleSummary } from "./vu/summary.ts";

/** Files that are asked for all the time. */
const HOT_FILES = 16;
const draw = zipf(HOT_FILES);

export const options = steadily("readFiles");
export const setup = countFromNothing;

export function readFiles(): void {
  const hot = draw(Math.random());
  askFile((hot % LANE_PROJECTS) + PROJECTS * Math.floor(hot / LANE_PROJECTS));
}
