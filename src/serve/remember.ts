import { LIMITS } from "../core/config.ts";
import { isWorthWriting, KV_STRETCH_MS } from "../core/freshness.ts";
import type { Grant } from "../core/grant.ts";
import { isImmutable } from "../core/pin.ts";
import { saySame, seenIn, type Revision } from "../core/revision.ts";
import type { FarTiers } from "../core/store.ts";
import { NOBODY } from "./asker.ts";
import { isReadableByAnyone } from "./granted.ts";
import { grantKey, nameGrantKey } from "./keys.ts";
import { pinOfRecord } from "./known-pins.ts";
import { revisionsOf } from "./revisions.ts";
import type { Visit } from "./visit.ts";

/** A "no" is kept past its life, so that no older "yes" is found further out while one could still be there. */
const TOMBSTONE_S = LIMITS.GRANT_S.max;

type Yes = Extract<Grant, { readonly kind: "yes" }>;

/**
 * Remembers what a name stands for. Every asker's renewal tells it again: where it is the same, the far tiers are told now and then, but
 * the colo each time where only the time shows for whose grant it counts (`isOfGranted`).
 */
export function rememberRevision(visit: Visit, key: string, revision: Revision): void {
  const revisions = revisionsOf(visit);
  const before = revisions.hot(key);
  const tiers = revisionTiers(visit, revision);
  if (before === undefined || revision.at < before.at || !saySame(before, revision)) {
    visit.defer(revisions.put(key, revision, tiers));
  } else if (seenIn(revision) !== undefined && !isWorthWriting(before.at, revision.at))
    revisions.hold(key, revision);
  else {
    const isForAll = isWorthWriting(before.at, revision.at, KV_STRETCH_MS);
    visit.defer(revisions.put(key, revision, isForAll ? tiers : { coloS: tiers.coloS }));
  }
}

/** Remembers a "yes". */
export function rememberGrant(visit: Visit, grant: Yes): void {
  const { grants, config } = visit.isolate.ports;
  const { GRANT_S } = config.limits;
  if (GRANT_S === 0) return;
  const key = grantKey(visit);
  const before = grants.hot(key);
  const isSame = before?.kind === "yes" && before.seen === grant.seen;
  if (isSame && grant.at >= before.at && !isWorthWriting(before.at, grant.at)) {
    grants.hold(key, grant); // lists are asked for every few seconds
    return;
  }
  const isRenewed = before?.kind === "yes" && grant.at - before.at < GRANT_S * 1000;
  const far = isWorthKv(visit, isRenewed) ? { coloS: GRANT_S, kvS: GRANT_S } : { coloS: GRANT_S };
  visit.defer(grants.put(key, grant, far));
}

/**
 * Other colos are told of a grant once it is renewed, and not where anybody may read the same: whoever makes up credentials that an
 * origin takes for nobody's does not run up a bill. They are never told of one for an object, as what is known of the object itself
 * is not theirs either, and to look so far costs more than to ask.
 */
function isWorthKv(visit: Visit, isRenewed: boolean): boolean {
  if (!isRenewed || visit.target.lane === "object") return false;
  return visit.asker === NOBODY || !isReadableByAnyone(visit);
}

/**
 * How long a revision is kept: its life, and the time it may stand in for an unreachable origin. In KV only refs that are there, as
 * anybody can make up names that are not.
 */
function revisionTiers(visit: Visit, revision: Revision): FarTiers {
  const { target, isolate } = visit;
  const { REF_S, OBJECT_FRESH_S, STALE_IF_ERROR_S } = isolate.ports.config.limits;
  if (target.lane === "artifact") return { coloS: REF_S + STALE_IF_ERROR_S };
  if (target.lane === "object") return { coloS: OBJECT_FRESH_S + STALE_IF_ERROR_S };
  const coloS = REF_S + STALE_IF_ERROR_S;
  const isThere = revision.kind !== "validator" && pinOfRecord(visit, revision) !== undefined;
  return isThere && !isImmutable(target) ? { coloS, kvS: coloS } : { coloS };
}

/** Remembers a "no": never in KV, where a stranger with random tokens could run up a bill. */
export function refuse(visit: Visit, denial: Extract<Grant, { kind: "no" }>, about: "scope" | "name"): void {
  const { grants, denials } = visit.isolate.ports;
  const far = { coloS: TOMBSTONE_S };
  visit.defer(
    about === "scope"
      ? grants.put(grantKey(visit), denial, far)
      : denials.put(nameGrantKey(visit), denial, far),
  );
}
