import type { Entry } from "../core/entry.ts";
import { letGo } from "../core/let-go.ts";
import { startFill, type Fill, type FillPlan } from "./fill.ts";
import { exactReader, type ExactReader } from "./exact-reader.ts";
import { blockKey, bodyKey } from "./keys.ts";
import { noteTrouble } from "./trouble.ts";
import { spareBlocks } from "./spare-memory.ts";
import { stallMsOf } from "./stall.ts";
import { isReadToEnd } from "./stretch.ts";
import type { Visit } from "./visit.ts";

/** A body of the origin's: the bytes of an entry from `offset` up to, but not including, `until`. */
export type Source = {
  /** As the origin sends it; or as it is made here out of an archive, from the start and only as far as it is read. */
  readonly body: ReadableStream<Uint8Array> | ExactReader;
  readonly offset: number;
  readonly until: number;
};

/** Begins to store a body, for everyone who wants it. */
export function beginFill(visit: Visit, entry: Entry, source: Source): Promise<boolean> {
  const { fills } = visit.isolate;
  const key = bodyKey(visit, entry);
  if (entry.size === 0) {
    return closeSource(source).then(() => true);
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

function fillPlan(visit: Visit, entry: Entry, { body, offset, until }: Source): FillPlan {
  const { ports } = visit.isolate;
  const { BLOCK_BYTES, READ_AHEAD_BLOCKS } = ports.config.limits;
  const stallMs = stallMsOf(ports);
  const isMade = !(body instanceof ReadableStream);
  return {
    source: isMade ? body : exactReader(body, stallMs),
    offset,
    until,
    size: entry.size,
    blockBytes: BLOCK_BYTES,
    blockKey: (index) => blockKey(visit, entry, index),
    blocks: ports.blocks,
    spare: spareBlocks(visit.isolate.spare, bodyKey(visit, entry)),
    stallMs,
    pace: isReadToEnd(visit, entry) && !isMade ? "store" : { aheadBlocks: READ_AHEAD_BLOCKS },
    now: ports.now,
    onBytes: (count) => ports.telemetry.bytes(visit.site.host, "origin", count),
    onBroken: (error) => noteTrouble(visit, error),
  };
}

async function closeSource({ body }: Source): Promise<void> {
  if (body instanceof ReadableStream) await letGo(body);
  else await body.close();
}
