import type { Wanted } from "../core/dialect.ts";
import type { Target } from "../core/target.ts";
import { wantedOf } from "../core/wanted.ts";
import type { Arrival } from "./arrival.ts";
import { isPlain } from "./plain.ts";
import { newTrace } from "./trace.ts";
import type { Asker, Isolate, Visit } from "./visit.ts";

/** A request at the start of its way. */
export function newVisit(isolate: Isolate, arrival: Arrival, asked: { target: Target; asker: Asker }): Visit {
  const { site, defer } = arrival;
  const { target, asker } = asked;
  return {
    isolate,
    site,
    dialect: isolate.ports.dialect(site),
    target,
    wanted: isPlainObject(target) ? wantedOfObject(isolate, arrival) : undefined,
    asker,
    trace: newTrace(isolate.ports.now()),
    defer,
    admittedAt: 0,
    seen: undefined,
    led: [],
    isSending: false,
  };
}

/** Whether a request is for the bytes of an object as they are: of an archive that is looked into, others come first. */
function isPlainObject(target: Target): boolean {
  return target.lane === "object" && target.inside === undefined;
}

/** Bytes to ask for at once; none where the answer may well do without any. */
function wantedOfObject({ ports }: Isolate, { method, headers }: Arrival): Wanted | undefined {
  const { BLOCK_BYTES, READ_AHEAD_BLOCKS } = ports.config.limits;
  const range = headers.get("range");
  const isConditional = range === null && !isPlain(headers);
  if (method !== "GET" || isConditional) return undefined;
  return wantedOf(range, { blockBytes: BLOCK_BYTES, mostBlocks: READ_AHEAD_BLOCKS });
}
