import type { Scenario } from "../scenario.ts";

const S = 1000;
/** Across the ends of a grant and of a revision, an hour, and back. */
const JUMPS_S = [29, 2, 30, 1, 31, 61, 3600, -3600, -61, -5, 3] as const;

/** From after the jumps to a time that no clock has had yet. */
const PAST_ALL_S = 4000;

export const CLOCK_JUMPING: Scenario = {
  name: "clock",
  title: "The clock jumps on and back, and isolates have different ones",
  isInvisible: true,
  async act({ edge, clocks, revoke, restore, stretch, forward, setClocks }) {
    for (const seconds of JUMPS_S) {
      await stretch(0.7);
      await forward(seconds * S);
      if (seconds === 31) revoke();
    }
    await restore(PAST_ALL_S * S); // or a denial lives again that was given before the clock went back

    for (const ahead of [1.5, 20, -20, -45]) {
      const { "": own = 0 } = clocks.offsets();
      await setClocks({ "": own, other: own + ahead * S });
      await stretch(1.2);
      await edge.newIsolates();
      await stretch(0.8);
    }
    revoke();
    const { "": own = 0 } = clocks.offsets();
    await setClocks({ "": own, other: own });
    await forward(95 * S);
    await stretch(1);
  },
};
