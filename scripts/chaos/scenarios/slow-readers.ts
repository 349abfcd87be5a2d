import { addColdFiles, addColdObject } from "../cold-files.ts";
import { requestFor, type Read } from "../reads.ts";
import type { Scenario } from "../scenario.ts";
import { readSlowly } from "../slow-reader.ts";
import { complain } from "../tally.ts";

const MIB = 1024 * 1024;
/** More than the buffers of a connection take, or nobody would notice how slow the readers are. */
const LARGE_BYTES = 64 * MIB;
const READERS = 300;
const SHORT_READERS = 100;
const BYTES_PER_SECOND = 1024;
/** A reader in a hurry is not held up by them. */
const MOST_HURRIED_MS = 15_000;

export const SLOW_READERS: Scenario = {
  name: "slow-readers",
  title: "Hundreds read 1 KiB/s of a large file, and leave",
  // What hundreds of connections took at once is used again, but not given back
  mostGrowthBytes: 256 * MIB,
  isInvisible: true,
  async act({ origins, edge, crew, random, tally, signal, isShort, stretch, note, clocks }) {
    const [file] = await addColdFiles(origins, { seed: random.below(2 ** 31), count: 1, bytes: LARGE_BYTES });
    if (file === undefined) throw new Error("There is no cold file");
    const object = addColdObject(origins, random.below(2 ** 31), LARGE_BYTES);
    const leave = new AbortController();
    const until = AbortSignal.any([signal, leave.signal]);
    const readers = Array.from({ length: isShort ? SHORT_READERS : READERS }, async (_, index) => {
      const target = index % 2 === 0 ? file : object;
      const { path, headers } = requestFor({ target, asker: "reader" }, clocks.at(""));
      const whole = Buffer.from(target.bytes.buffer, target.bytes.byteOffset, target.bytes.byteLength);
      return await readSlowly({
        port: edge.port(),
        path,
        headers,
        whole,
        bytesPerSecond: BYTES_PER_SECOND,
        until,
      });
    });
    await stretch(4);
    const hurried: number[] = [];
    for (const target of [file, object]) {
      const read: Read = { target, asker: "reader" };
      const begun = performance.now();
      await crew.readOnce(read, "");
      hurried.push(performance.now() - begun);
    }
    await stretch(10);
    leave.abort();
    const answers = await Promise.all(readers);
    const wrong = answers.filter(({ status, wrongAt }) => status !== 200 || wrongAt !== undefined);
    const bytes = answers.reduce((sum, answer) => sum + answer.bytes, 0);
    note(
      `${readers.length} slow readers took ${Math.round(bytes / 1024)} KiB; two in a hurry took ${hurried.map((ms) => (ms / 1000).toFixed(1)).join(" and ")} s for ${LARGE_BYTES / MIB} MiB`,
    );
    if (wrong.length > 0)
      complain(tally, `${wrong.length} slow readers got something else: ${JSON.stringify(wrong[0])}`);
    if (Math.max(...hurried) > MOST_HURRIED_MS) complain(tally, "a reader in a hurry was held up");
  },
};
