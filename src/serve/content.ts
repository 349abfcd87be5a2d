import { bodyReader, type BodySource } from "./body-reader.ts";
import { bodyKey } from "./keys.ts";
import { gather, isSmall, readSmall, type Segment, type Sending } from "./read.ts";

/** The means to get at the bytes of a representation. */
export type Content = {
  /** All of them, where they are so few that they are kept in memory. */
  readonly all: (() => Promise<Uint8Array>) | undefined;
  /** Begins to send some of them, framed by text of ours. Fails where not even the first can be had. */
  gather(segments: readonly Segment[]): Promise<Gathered>;
};

export type Gathered = {
  readonly sending: Sending;
  /** Lets go of what the bytes come from. */
  readonly close: () => void;
};

/** What is stored in blocks of its own, or is on its way there. */
export function bodyContent(source: BodySource): Content {
  const { visit, entry } = source;
  return {
    all: isSmall(visit, entry) ? () => readSmall(source) : undefined,
    async gather(segments) {
      const reader = bodyReader(source, { isReadOn: isReadOn(source, segments) });
      try {
        const blockBytes = visit.isolate.ports.config.limits.BLOCK_BYTES;
        const sending = await gather(reader, segments, { size: entry.size, blockBytes });
        return { sending, close: () => reader.close() };
      } catch (error) {
        reader.close();
        throw error;
      }
    },
  };
}

/** Whether a client reads on where somebody read before: then more of the object will be wanted soon. */
function isReadOn({ visit, entry }: BodySource, segments: readonly Segment[]): boolean {
  const [only, second] = segments;
  if (visit.target.lane === "raw" || only?.kind !== "range" || second !== undefined) return false;
  const { readUpTo } = visit.isolate;
  const key = bodyKey(visit, entry);
  const isOn = only.range.start > 0 && readUpTo.get(key) === only.range.start;
  readUpTo.set(key, only.range.end);
  return isOn;
}
