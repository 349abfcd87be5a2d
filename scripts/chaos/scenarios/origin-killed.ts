import { everyRead, ISOLATES } from "../crew.ts";
import type { Scenario } from "../scenario.ts";
import { PAST_GRANTS_MS, type Scene } from "../scene.ts";
import { complain } from "../tally.ts";

/** Connections are reset and refused, until grants have ended and beyond; then the origin is back. */
export const ORIGIN_KILLED: Scenario = {
  name: "origin-killed",
  title: "The origin is killed, and comes back after all grants have ended",
  async act(scene) {
    const { origins, revoke, stretch, forward } = scene;
    await stretch(1);
    await origins.kill();
    revoke();
    await stretch(5);
    await forward(PAST_GRANTS_MS);
    await insistOnNothing(scene);
    await stretch(4);
    await origins.revive();
  },
};

/** Without a grant and without an origin nobody reads anything. */
async function insistOnNothing({ crew, targets, random, tally }: Scene): Promise<void> {
  const reads = everyRead(targets, random).filter(({ asker }) => asker === "reader");
  for (const isolate of ISOLATES) {
    const verdicts = await Promise.all(reads.map((read) => crew.readOnce(read, isolate)));
    const right = reads
      .filter((_, index) => verdicts[index]?.kind !== "failed")
      .map(({ target }) => target.name);
    if (right.length > 0) complain(tally, `read without an origin or a grant: ${right.join(", ")}`);
  }
}
