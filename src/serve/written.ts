import type { Site } from "../core/site.ts";
import { writtenKey, writtenKeys } from "./keys.ts";
import type { Ports } from "./ports.ts";
import type { Visit } from "./visit.ts";

/** For how long a write is remembered past the life of what it ends: answers under way may come that late. */
const MARGIN_S = 60;

/**
 * Remembers that an object was written through the edge, or (with an empty key) some objects of a bucket. What was learned
 * of them before is not believed any more: in this isolate at once, in others of the colo where they look there.
 */
export function noteWritten(ports: Ports, site: Site, bucket: string, key: string): Promise<void> {
  const { OBJECT_FRESH_S, STALE_IF_ERROR_S } = ports.config.limits;
  const coloS = OBJECT_FRESH_S + STALE_IF_ERROR_S + MARGIN_S;
  return ports.objects.put(writtenKey(site, bucket, key), { at: ports.now(), kind: "written" }, { coloS });
}

/** When a target was last written, as far as this isolate knows; what was asked no later is over. In milliseconds. */
export function writtenAt(visit: Visit): number {
  if (visit.target.lane !== "object") return -Infinity;
  const { objects } = visit.isolate.ports;
  let last = -Infinity;
  for (const key of writtenKeys(visit, visit.target))
    last = Math.max(last, objects.hot(key)?.at ?? -Infinity);
  return last;
}

/** Looks in the colo for writes that other isolates took, before anything is believed that they left there. */
export async function findWritten(visit: Visit): Promise<void> {
  if (visit.target.lane !== "object") return;
  const { objects } = visit.isolate.ports;
  await Promise.all(writtenKeys(visit, visit.target).map((key) => objects.find(key, () => true)));
}
