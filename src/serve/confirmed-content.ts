import { Failure } from "../core/problem.ts";
import type { Content, Gathered } from "./content.ts";
import type { Segment } from "./read.ts";

/** Bytes whose last one is held back until something has been confirmed; where that fails, what was sent is visibly broken off. */
export function confirmedContent(content: Content, confirm: () => Promise<void>): Content {
  return {
    all: undefined,
    async gather(segments) {
      const { before, last } = withoutLastByte(segments);
      const begun = await content.gather(before);
      return {
        sending: {
          single: undefined,
          write: (into) => writeConfirmed(begun, into, () => endOf(content, last, confirm)),
        },
        close: begun.close,
      };
    },
  };
}

async function endOf(content: Content, last: Segment, confirm: () => Promise<void>): Promise<Gathered> {
  await confirm();
  return await content.gather([last]);
}

async function writeConfirmed(
  { sending }: Gathered,
  into: WritableStream<Uint8Array>,
  end: () => Promise<Gathered>,
): Promise<void> {
  await sending.write(into);
  const last = await end();
  try {
    await last.sending.write(into);
  } finally {
    last.close();
  }
}

function withoutLastByte(segments: readonly Segment[]): {
  readonly before: readonly Segment[];
  readonly last: Segment;
} {
  const final = segments.at(-1);
  if (final?.kind !== "range") throw new Failure("internal");
  const { start, end } = final.range;
  const before: Segment = { kind: "range", range: { start, end: end - 1 } };
  return {
    before: [...segments.slice(0, -1), before],
    last: { kind: "range", range: { start: end - 1, end } },
  };
}
