import { isAlive, judge, ofLength, type Lifetime } from "../core/freshness.ts";
import { believed } from "../core/events/believed.ts";
import { isImmutable } from "../core/pin.ts";
import type { Revision } from "../core/revision.ts";
import type { ArtifactTarget } from "../core/target.ts";
import { changesOf } from "./changes.ts";
import { isOfGranted } from "./granted.ts";
import { pinOfRecord, refOf } from "./known-pins.ts";
import type { Visit } from "./visit.ts";
import { writtenAt } from "./written.ts";

/** How long a beginning of refs is believed to be too crowded: it says only how to ask, never what a name stands for. */
const CROWDED_MS = 3_600_000;

/** That a name is missing is believed for a shorter time than what it stands for. */
export function revisionLifetime(visit: Visit, record: Revision): Lifetime {
  const { REF_S, MISSING_S, OBJECT_FRESH_S } = visit.isolate.ports.config.limits;
  if (record.kind === "crowded") return { soft: CROWDED_MS, hard: CROWDED_MS };
  if (record.kind === "object" && visit.target.lane === "artifact")
    return ofLength(artifactSeconds(visit, visit.target));
  if (record.kind === "object") return ofLength(Math.min(OBJECT_FRESH_S, record.freshS ?? Infinity));
  if (isImmutable(visit.target)) return ofLength(REF_S);
  if (record.kind === "uncacheable") return ofLength(Math.max(OBJECT_FRESH_S, MISSING_S));
  return ofLength(pinOfRecord(visit, record) === undefined ? MISSING_S : REF_S);
}

/** A job's archive is made once; that it is still there is asked with each grant. */
function artifactSeconds({ isolate }: Visit, { job }: ArtifactTarget): number {
  const { ENTRY_S, REF_S } = isolate.ports.config.limits;
  return job.kind === "id" ? ENTRY_S : REF_S;
}

/** Whether a revision still says what its name stands for. */
export function isRevisionUsable(visit: Visit, record: Revision): boolean {
  if (isOver(visit, record)) return false;
  if (visit.target.lane !== "raw" && record.at >= visit.trace.startedAt) return true; // asked for this very request
  return judge(record.at, visit.isolate.ports.now(), revisionLifetime(visit, record)) !== "expired";
}

/** The same, and that it need not be asked for again yet. */
export function isRevisionFresh(visit: Visit, record: Revision): boolean {
  const { now } = visit.isolate.ports;
  return (
    isRevisionUsable(visit, record) && judge(record.at, now(), revisionLifetime(visit, record)) === "fresh"
  );
}

/** Whether it was told since that a name may stand for something else, and not what for; or it may be of something else than what the asker was let into. */
function isOver(visit: Visit, record: Revision): boolean {
  if (record.at <= writtenAt(visit) || !isOfGranted(visit, record)) return true;
  const { target } = visit;
  const changes = changesOf(visit);
  if (changes === undefined || target.lane === "object") return false;
  if (isImmutable(target)) return record.at <= Math.max(changes.accessAt, changes.filesAt);
  if (target.lane === "raw") return believed(record, changes, refOf(target)) === undefined;
  const isMoving = target.lane === "artifact" && target.job.kind === "latest";
  return record.at <= (isMoving ? Math.max(changes.accessAt, changes.listsAt) : changes.accessAt);
}

/** Whether a revision may stand in for an origin that fails (RFC 5861 §4). */
export function isTolerable(visit: Visit, record: Revision): boolean {
  const { now, config } = visit.isolate.ports;
  if (isOver(visit, record)) return false;
  const hard = revisionLifetime(visit, record).hard + config.limits.STALE_IF_ERROR_S * 1000;
  return isAlive(record.at, now(), hard);
}
