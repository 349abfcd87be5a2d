import { SITES } from "../sites.ts";
import { garbage } from "../garbage.ts";
import type { ProxyFault } from "../proxy.ts";
import type { Random } from "../random.ts";
import type { Scenario } from "../scenario.ts";
import { PAST_GRANTS_MS, type Scene } from "../scene.ts";
import { silence } from "../silence.ts";
import { slowness } from "../slowness.ts";
import { complain } from "../tally.ts";

/** Short, so that runs are. */
const PATIENCE = { ORIGIN_TIMEOUT_S: 4, ORIGIN_STALL_S: 5 };

/** For a while under grants that live, and for a while with none left and all memory gone, so that everything has to be asked for. */
function under(fault: (random: Random) => ProxyFault): (scene: Scene) => Promise<void> {
  return async ({ origins, edge, crew, targets, random, tally, revoke, stretch, forward }) => {
    await stretch(1);
    const before = SITES.map((site) => origins[site].requests());
    origins.setFault(fault(random));
    revoke();
    await stretch(4);
    await forward(PAST_GRANTS_MS);
    await stretch(6);
    await edge.newIsolates();
    const ofEach = SITES.flatMap((site) => targets.find((target) => target.site === site) ?? []);
    const reads = ofEach.map((target) => crew.readOnce({ target, asker: "reader" }, ""));
    await Promise.all([stretch(6), ...reads]); // few others may come to it, as each waits for its turn to fail
    origins.setFault(undefined);
    for (const [index, site] of SITES.entries())
      if (origins[site].requests() === before[index])
        complain(tally, `no fault: ${site} was not asked in it`);
  };
}

export const ORIGIN_SLOW: Scenario = {
  name: "origin-slow",
  title: "The origin is slow: late headers, bodies that trickle and stand still",
  limits: PATIENCE,
  act: under(slowness),
};

export const ORIGIN_HALF_OPEN: Scenario = {
  name: "origin-half-open",
  title: "The origin's connections stand and say nothing more",
  limits: PATIENCE,
  act: under(silence),
};

export const ORIGIN_GARBAGE: Scenario = {
  name: "origin-garbage",
  title: "The origin answers garbage",
  // What the origin says itself is passed on, and archives that are none are refused
  statuses: [204, 422],
  hasDecoys: true,
  // An object that was said to be none to cache is believed to be so for its freshness, like anything else that is said of it
  limits: { ...PATIENCE, OBJECT_FRESH_S: 3, MISSING_S: 3 },
  act: under(garbage),
};
