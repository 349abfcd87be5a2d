import type { Revision } from "../core/revision.ts";
import type { Records } from "../core/store.ts";
import type { Visit } from "./visit.ts";

/** Where revisions of a target's lane are kept. Those of objects and artifacts never go to KV: asking there costs more than asking their origin. */
export function revisionsOf({ isolate: { ports }, target }: Visit): Records<Revision> {
  return target.lane === "raw" ? ports.revisions : ports.objects;
}
