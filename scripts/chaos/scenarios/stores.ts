import type { Scenario } from "../scenario.ts";
import { PAST_GRANTS_MS, type Scene } from "../scene.ts";
import { NO_FAULTS, type StoreWorld } from "../store-faults.ts";

/** Half of all uses go well. */
const FAILING: StoreWorld = { throws: 0.2, hangs: 0.05, loses: 0.15, breaks: 0.1, hangMs: 2500 };
/** KV's values have no bodies that could break off. */
const FAILING_KV: StoreWorld = { ...FAILING, throws: 0.3, breaks: 0 };

type Which = { readonly kv?: StoreWorld; readonly cache?: StoreWorld };

/** Isolates begin anew all the time, so that there is something to look up. */
function failing(which: Which): (scene: Scene) => Promise<void> {
  return async ({ edge, revoke, stretch, forward, note }) => {
    await stretch(1);
    await edge.world(which);
    revoke();
    for (let round = 0; round < 8; round += 1) {
      await stretch(1.5);
      await edge.newIsolates();
      if (round === 4) await forward(PAST_GRANTS_MS);
    }
    const { kv, cache } = await edge.world({ kv: NO_FAULTS, cache: NO_FAULTS });
    for (const [name, counts] of Object.entries({ kv, cache })) {
      if (name in which)
        note(
          `${name}: ${Object.entries(counts)
            .map(([fault, times]) => `${fault} ${times}`)
            .join(", ")}`,
        );
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
