import { garbage } from "../garbage.ts";
import type { ProxyFault } from "../proxy.ts";
import type { Random } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import { PAST_GRANTS_MS, type Scene } from "../scene.ts";
import { silence } from "../silence.ts";
import { slowness } from "../slowness.ts";

/** For a while under grants that live, and for a while with none left and all memory gone, so that everything has to be asked for. */
function under(fault: (random: Random) => ProxyFault): (scene: Scene) => Promise<void> {
  return async ({ origins, edge, random, revoke, stretch, forward }) => {
    await stretch(1);
    origins.setFault(fault(random));
    revoke();
    await stretch(4);
    await forward(PAST_GRANTS_MS);
    await stretch(6);
    await edge.newIsolates();
    await stretch(6);
    origins.setFault(undefined);
  };
}

export const ORIGIN_SLOW: Scenario = {
  name: "origin-slow",
  title: "The origin is slow: late headers, bodies that trickle and stand still",
  act: under(slowness),
};

export const ORIGIN_HALF_OPEN: Scenario = {
  name: "origin-half-open",
  title: "The origin's connections stand and say nothing more",
  act: under(silence),
};

export const ORIGIN_GARBAGE: Scenario = {
  name: "origin-garbage",
  title: "The origin answers garbage",
  // What the origin says itself is passed on, and archives that are none are refused
  statuses: [204, 422],
  hasDecoys: true,
  // An object that was said to be none to cache is believed to be so for its freshness, like anything else that is said of it
  limits: { OBJECT_FRESH_S: 3, MISSING_S: 3 },
  act: under(garbage),
};
