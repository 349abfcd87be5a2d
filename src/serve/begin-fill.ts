import type { Entry } from "../core/entry.ts";
import { startFill, type Fill, type FillPlan } from "./fill.ts";
import type { ContentCheck } from "./content-check.ts";
import { blockKey, bodyKey } from "./keys.ts";
import { isReadToEnd } from "./stretch.ts";
import type { Visit } from "./visit.ts";

/** A body of the origin's: the bytes of an entry from `offset` up to, but not including, `until`. */
export type Source = {
  readonly body: ReadableStream<Uint8Array>;
  readonly offset: number;
  readonly until: number;
  /** How the content is checked, where it is made here out of an archive; it is made only as far as it is read. */
  readonly check?: ContentCheck;
};

/** Begins to store a body, for everyone who wants it. */
export function beginFill(visit: Visit, entry: Entry, source: Source): Promise<boolean> {
  const { fills } = visit.isolate;
  const key = bodyKey(visit, entry);
  if (entry.size === 0) {
    return source.body.cancel().then(() => true);
  }
  const fill = startFill(fillPlan(visit, entry, source));
  fills.add(key, fill);
  visit.led.push(fill);
  const done = fill.done.finally(() => fills.remove(key, fill));
  visit.defer(done);
  return done;
}

/** Begins to read a body for one reader alone, at that reader's pace. */
export function beginOwnFill(visit: Visit, entry: Entry, source: Source): Fill {
  const fill = startFill({ ...fillPlan(visit, entry, source), pace: "reader" });
  visit.defer(fill.done);
  return fill;
}

function fillPlan(visit: Visit, entry: Entry, { body, offset, until, check }: Source): FillPlan {
  const { ports } = visit.isolate;
  const { BLOCK_BYTES, ORIGIN_STALL_S, READ_AHEAD_BLOCKS } = ports.config.limits;
  return {
    body,
    offset,
    until,
    size: entry.size,
    blockBytes: BLOCK_BYTES,
    blockKey: (index) => blockKey(visit, entry, index),
    blocks: ports.blocks,
    stallMs: ORIGIN_STALL_S * 1000,
    pace: isReadToEnd(visit, entry) && check === undefined ? "store" : { aheadBlocks: READ_AHEAD_BLOCKS },
    check,
    now: ports.now,
    onBytes: (count) => ports.telemetry.bytes("origin", count),
  };
}
