import type { Scenario } from "../scenario.ts";
import { PAST_GRANTS_MS, type Scene } from "../scene.ts";
import { NO_FAULTS, type StoreWorld } from "../store-faults.ts";
import { complain } from "../tally.ts";

/** Half of all uses go well. */
const FAILING: StoreWorld = { throws: 0.2, hangs: 0.05, loses: 0.15, breaks: 0.1, hangMs: 2500 };
/** KV's values have no bodies that could break off. */
const FAILING_KV: StoreWorld = { ...FAILING, throws: 0.3, breaks: 0 };

type Which = { readonly kv?: StoreWorld; readonly cache?: StoreWorld };

/** Isolates begin anew all the time, so that there is something to look up. */
function failing(which: Which): (scene: Scene) => Promise<void> {
  return async ({ edge, tally, revoke, stretch, forward, note }) => {
    await stretch(1);
    await edge.world(which);
    revoke();
    for (let round = 0; round < 8; round += 1) {
      await stretch(1.5);
      await edge.newIsolates();
      if (round === 4) await forward(PAST_GRANTS_MS);
    }
    const counts = await edge.world({ kv: NO_FAULTS, cache: NO_FAULTS });
    for (const store of ["kv", "cache"] as const) {
      if (which[store] === undefined) continue;
      const { none, ...faults } = counts[store];
      const told = Object.entries(faults).map(([fault, times]) => `${fault} ${times}`);
      note(`${store}: ${told.join(", ")}, and ${none} uses went well`);
      if (Object.values(faults).every((times) => times === 0))
        complain(tally, `no fault: ${store} never failed`);
    }
  };
}

export const KV_FAILING: Scenario = {
  name: "kv",
  title: "KV fails, hangs and forgets at random",
  isInvisible: true,
  act: failing({ kv: FAILING_KV }),
};

export const CACHE_FAILING: Scenario = {
  name: "cache",
  title: "The Cache API fails, hangs, forgets, and breaks off bodies at random",
  act: failing({ cache: FAILING }),
};

export const STORES_FAILING: Scenario = {
  name: "both-stores",
  title: "KV and the Cache API fail at once",
  act: failing({ kv: FAILING_KV, cache: FAILING }),
};
