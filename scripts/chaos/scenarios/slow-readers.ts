import { addColdTarget } from "../cold-target.ts";
import { SITES } from "../sites.ts";
import { requestFor, type Target } from "../reads.ts";
import type { Scenario } from "../scenario.ts";
import { readSlowly, type SlowAnswer } from "../slow-reader.ts";
import { complain } from "../tally.ts";

const MIB = 1024 * 1024;
/** More than the buffers of a connection take, or nobody would notice how slow the readers are. */
const LARGE_BYTES = 64 * MIB;
const READERS = 300;
const SHORT_READERS = 100;
const BYTES_PER_SECOND = 1024;

export const SLOW_READERS: Scenario = {
  name: "slow-readers",
  title: "Hundreds read 1 KiB/s of a large file, and leave",
  // Each connection takes about 1 MiB of a block, which the process uses again, but does not give back
  mostGrowthBytes: READERS * 1.5 * MIB,
  isInvisible: true,
  async act(scene) {
    const { edge, crew, tally, signal, isShort, stretch, note, clocks } = scene;
    const targets = await Promise.all(SITES.map((site) => addColdTarget(scene, site, LARGE_BYTES)));
    const leave = new AbortController();
    const until = AbortSignal.any([signal, leave.signal]);
    const readers = Array.from({ length: isShort ? SHORT_READERS : READERS }, (_, index) => {
      const target = targets[index % targets.length] as Target;
      const sent = requestFor({ target, asker: "reader" }, clocks.at(""));
      return readSlowly({
        ...sent,
        port: edge.port(),
        whole: target.bytes,
        bytesPerSecond: BYTES_PER_SECOND,
        until,
      });
    });
    await stretch(4);
    const hurried: string[] = [];
    for (const target of targets) {
      const begun = performance.now();
      await crew.readOnce({ target, asker: "reader" }, ""); // who is held up by the slow ones is stuck at the deadline
      hurried.push(((performance.now() - begun) / 1000).toFixed(1));
    }
    await stretch(10);
    leave.abort();
    const answers = await Promise.all(readers);
    const wrong = answers.filter(isWrong);
    const bytes = answers.reduce((sum, answer) => sum + answer.bytes, 0);
    note(
      `${readers.length} slow readers took ${Math.round(bytes / 1024)} KiB; those in a hurry took ${hurried.join(", ")} s for ${LARGE_BYTES / MIB} MiB`,
    );
    if (wrong.length > 0)
      complain(tally, `${wrong.length} slow readers got something else: ${JSON.stringify(wrong[0])}`);
  },
};

function isWrong({ status, bytes, wrongAt }: SlowAnswer): boolean {
  return status !== 200 || bytes === 0 || wrongAt !== undefined;
}
