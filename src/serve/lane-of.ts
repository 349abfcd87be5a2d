import type { Target } from "../core/target.ts";
import type { LaneName } from "../core/telemetry.ts";
import { isInside } from "./inside-target.ts";

/** As what a request is counted: what is inside of an object is an artifact. */
export function laneOf(target: Target): LaneName {
  return isInside(target) ? "artifact" : target.lane;
}
