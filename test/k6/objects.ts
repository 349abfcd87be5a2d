import { zipf } from "../../scripts/load/zipf.ts";
import { askObject } from "./vu/objects.ts";
import { steadily } from "./vu/options.ts";
import { countFromNothing } from "./vu/tally.ts";

export { handleSummary } from "./vu/summary.ts";

/** Objects that are asked for all the time. */
const HOT_OBJECTS = 12;
const draw = zipf(HOT_OBJECTS);

export const options = steadily("readObjects");
export const setup = countFromNothing;

export function readObjects(): void {
  askObject(draw(Math.random()));
}
