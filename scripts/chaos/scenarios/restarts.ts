import { ISOLATES } from "../crew.ts";
import { addColdTarget } from "../cold-target.ts";
import { SITES } from "../sites.ts";
import type { Read, Target } from "../reads.ts";
import type { Scenario } from "../scenario.ts";
import { PAST_GRANTS_MS, type Scene } from "../scene.ts";
import { complain } from "../tally.ts";

const MIB = 1024 * 1024;
const LARGE_BYTES = 32 * MIB;
const SHORT_LARGE_BYTES = 16 * MIB;
const READERS = 4;
/** How far fills have come when the process is killed, in seconds. */
const KILL_AFTER_S = [0.15, 0.4, 0.9, 1.6] as const;

/** Reads of all of it, and of parts of it, all at once, by some. */
function reads({ random }: Scene, target: Target): Read[] {
  const size = target.bytes.length;
  return Array.from({ length: READERS }, (_, index) => {
    const start = random.below(size - MIB);
    const range = index % 2 === 0 ? undefined : { start, end: start + 1 + random.below(size - start) };
    return { target, asker: "reader", ...(range && { range }) };
  });
}

export const RESTARTS: Scenario = {
  name: "restarts",
  title: "The process and its isolates are ended in the midst of fills, on stores that stay",
  async act(scene) {
    const { edge, crew, random, tally, isShort, revoke, forward, stretch, note, clocks } = scene;
    const bytes = isShort ? SHORT_LARGE_BYTES : LARGE_BYTES;
    const kills = isShort ? KILL_AFTER_S.slice(1, 3) : KILL_AFTER_S;
    revoke();
    let broken = 0;
    for (const [index, seconds] of kills.entries()) {
      const targets = await Promise.all(SITES.map((site) => addColdTarget(scene, site, bytes)));
      const all = targets.flatMap((target) => reads(scene, target));
      const reading = Promise.all(all.map((read) => crew.readOnce(read, random.pick(ISOLATES))));
      await stretch(seconds);
      if (index % 2 === 0) await edge.newIsolates(); // those before go on with what they have begun
      await stretch(seconds);
      await edge.killProcess();
      await edge.world({ clocks: clocks.offsets() });
      broken += (await reading).filter(({ kind }) => kind === "failed").length;
      // What half a fill left in the stores is read by all again, and must be right
      await Promise.all(all.map((read) => crew.readOnce(read, random.pick(ISOLATES))));
      if (index === 1) await forward(PAST_GRANTS_MS);
    }
    if (broken === 0) complain(tally, "no fault: not one large read was broken off");
    note(`${kills.length} restarts in the midst of fills, ${broken} large reads visibly broken off`);
  },
};
