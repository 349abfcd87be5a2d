import type { Scenario } from "../scenario.ts";
import { PAST_GRANTS_MS } from "../scene.ts";

/** Connections are reset and refused, until grants have ended and beyond; then the origin is back. */
export const ORIGIN_KILLED: Scenario = {
  name: "origin-killed",
  title: "The origin is killed, and comes back after all grants have ended",
  async act({ origins, revoke, stretch, forward }) {
    await stretch(1);
    await origins.kill();
    revoke();
    await stretch(5);
    await forward(PAST_GRANTS_MS);
    await stretch(4);
    await origins.revive();
  },
};
