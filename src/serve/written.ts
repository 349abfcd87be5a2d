import type { Defer } from "../core/defer.ts";
import { lastWritten, mergedWritten, withPrefix } from "../core/events/written.ts";
import type { Site } from "../core/site.ts";
import { writtenKey } from "./change-keys.ts";
import { writtenKeys } from "./keys.ts";
import type { Ports } from "./ports.ts";
import type { Visit } from "./visit.ts";
import { bringUpToDate, isUpToDate, isWatched } from "./watch.ts";

/** One object, or with an empty key all of its bucket. */
export type WrittenName = { readonly bucket: string; readonly key: string };

/**
 * Remembers that an object was written, or (with an empty key) some objects of a bucket. What was learned of them before is not
 * believed any more: in this isolate at once, in others of the colo where they look there.
 */
export async function noteWritten(
  ports: Ports,
  site: Site,
  { bucket, key }: WrittenName,
  defer: Defer,
): Promise<void> {
  const at = ports.now();
  await ports.writes.note(
    writtenKey(site, bucket, key),
    (before) => mergedWritten(before ?? { at }, { at }),
    defer,
  );
}

/** The same of all objects of a bucket whose keys begin in one way. */
export async function notePrefixWritten(
  ports: Ports,
  site: Site,
  { bucket, key: prefix }: WrittenName,
  defer: Defer,
): Promise<void> {
  const at = ports.now();
  await ports.writes.note(writtenKey(site, bucket, ""), (before) => withPrefix(before, prefix, at), defer);
}

/** When a target was last written, as far as this isolate knows; what was asked no later is over. In milliseconds. */
export function writtenAt(visit: Visit): number {
  if (visit.target.lane !== "object") return -Infinity;
  const { writes } = visit.isolate.ports;
  const { object, bucket } = writtenKeys(visit, visit.target);
  return lastWritten(visit.target.key, writes.hot(object), writes.hot(bucket));
}

/** Looks in the colo for writes that other isolates took, before anything is believed that they left there. */
export async function findWritten(visit: Visit): Promise<void> {
  const { target, isolate, site } = visit;
  if (target.lane !== "object") return;
  const log = isolate.ports.writes;
  const look = (key: string) =>
    isWatched(isolate.ports) ? bringUpToDate(isolate, site, { log, key }) : log.look(key, false);
  await Promise.all(Object.values(writtenKeys(visit, target)).map(look));
}

/** Whether this isolate knows all that was told of writes to the target. */
export function isObjectUpToDate(visit: Visit): boolean {
  const { target, isolate, site } = visit;
  if (target.lane !== "object") return true;
  return Object.values(writtenKeys(visit, target)).every((key) => isUpToDate(isolate, site, key));
}
