import type { Scenario } from "./scenario.ts";
import { CLOCK_JUMPING } from "./scenarios/clock.ts";
import { CROWD } from "./scenarios/crowd.ts";
import { ORIGIN_GARBAGE, ORIGIN_HALF_OPEN, ORIGIN_SLOW } from "./scenarios/origin-faults.ts";
import { ORIGIN_KILLED } from "./scenarios/origin-killed.ts";
import { RESTARTS } from "./scenarios/restarts.ts";
import { SLOW_READERS } from "./scenarios/slow-readers.ts";
import { CACHE_FAILING, KV_FAILING, STORES_FAILING } from "./scenarios/stores.ts";

/** Every fault, in the order it is run. */
export const SCENARIOS: readonly Scenario[] = [
  ORIGIN_KILLED,
  ORIGIN_SLOW,
  ORIGIN_HALF_OPEN,
  ORIGIN_GARBAGE,
  KV_FAILING,
  CACHE_FAILING,
  STORES_FAILING,
  CLOCK_JUMPING,
  RESTARTS,
  CROWD,
  SLOW_READERS,
];
