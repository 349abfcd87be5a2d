import type { ObjectPin } from "../core/pin.ts";
import { sliceRuns, type Run } from "../core/zip/runs.ts";
import { windowedArchive } from "./block-window.ts";
import type { Content } from "./content.ts";
import type { Segment } from "./read.ts";
import { sendRuns } from "./send-runs.ts";
import type { Visit } from "./visit.ts";

/** What is made from an archive while it is sent; `runs` makes them anew each time. */
export function runsContent(visit: Visit, pin: ObjectPin, runs: () => Iterable<Run>): Content {
  return {
    all: undefined,
    async gather(segments) {
      const archive = windowedArchive({ visit, pin, entry: pin.entry });
      try {
        const sending = await sendRuns(visit, archive, runsOf(segments, runs));
        return { sending, close: () => archive.close() };
      } catch (error) {
        archive.close();
        throw error;
      }
    },
  };
}

function* runsOf(segments: readonly Segment[], runs: () => Iterable<Run>): Generator<Run> {
  for (const segment of segments) {
    if (segment.kind === "text") yield segment;
    else yield* sliceRuns(runs(), segment.range);
  }
}
