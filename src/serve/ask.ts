import { MISS } from "../core/cache-status.ts";
import { LIMITS } from "../core/config.ts";
import { isWorthWriting, KV_STRETCH_MS } from "../core/freshness.ts";
import type { Grant } from "../core/grant.ts";
import type { Question } from "../core/question.ts";
import type { Refusal } from "../core/refusal.ts";
import { sameRefs, type Revision } from "../core/revision.ts";
import type { FarTiers } from "../core/store.ts";
import { beginFill } from "./begin-fill.ts";
import { grantKey, holdKey, nameGrantKey, revisionKey } from "./keys.ts";
import { isListVisit } from "./pipelines/list-visit.ts";
import { conditionFor, rememberTold } from "./pipelines/told.ts";
import { revisionsOf } from "./revisions.ts";
import type { Learned, Visit } from "./visit.ts";
import { writtenAt } from "./written.ts";

/** A "no" is kept past its life, so that no older "yes" is found further out while one could still be there. */
const TOMBSTONE_S = LIMITS.GRANT_S.max;

/**
 * Puts one question to the origin and remembers all it taught: the verdict on the asker, and what the name stands for.
 * The stamp is the time the question was sent, so that no fact outlives its origin's word.
 */
export async function ask(visit: Visit, question: Question): Promise<Learned> {
  const { isolate, dialect, target, asker } = visit;
  const { now } = isolate.ports;
  const key = revisionKey(visit, question);
  const [held, before] = await Promise.all([
    findHold(visit),
    key === undefined ? undefined : lastKnown(visit, key),
  ]);
  if (held !== undefined) return { kind: "refused", at: now(), refusal: held, about: "scope" };
  const condition =
    isListVisit(visit) && question.via === "poll" && !question.isInFull
      ? await conditionFor(visit)
      : undefined;
  const etag = condition?.etag ?? (before?.kind === "validator" ? before.etag : undefined);
  const known = before?.kind === "object" ? before.entry : undefined;
  const isNews = before === undefined || before.at <= writtenAt(visit);
  const wanted = isNews ? visit.wanted : undefined;
  const at = now();
  const answer = await dialect.ask({ question, target, principal: asker.principal, etag, known, wanted });
  visit.trace.originMs = (visit.trace.originMs ?? 0) + (now() - at);
  switch (answer.kind) {
    case "admitted": {
      rememberGrant(visit, { at, kind: "yes" });
      if (key !== undefined && answer.revision !== undefined) rememberRevision(visit, key, answer.revision);
      if (answer.list !== undefined && isListVisit(visit)) {
        const kept = await rememberTold(visit, condition, answer.list, at);
        if (kept !== visit) rememberGrant(kept, { at, kind: "yes" });
      }
      if (answer.body !== undefined) {
        const { entry, stream: body, offset, until } = answer.body;
        visit.trace.body = MISS;
        visit.defer(beginFill(visit, entry, { body, offset, until }));
      }
      return { kind: "admitted", at };
    }
    case "refused":
      refuse(visit, { at, kind: "no", refusal: answer.refusal }, answer.about);
      return { kind: "refused", at, refusal: answer.refusal, about: answer.about };
    case "busy":
      holdScope(visit, answer.refusal, answer.seconds);
      return { kind: "refused", at, refusal: answer.refusal, about: "scope" };
    case "unclear":
      return { kind: "unclear" };
  }
}

/** Every asker's renewal lists the refs again: where they are the same, the far tiers are told now and then. */
function rememberRevision(visit: Visit, key: string, revision: Revision): void {
  const revisions = revisionsOf(visit);
  const before = revisions.hot(key);
  const tiers = revisionTiers(visit);
  if (before === undefined || revision.at < before.at || !sameRefs(before, revision)) {
    visit.defer(revisions.put(key, revision, tiers));
  } else if (!isWorthWriting(before.at, revision.at)) revisions.hold(key, revision);
  else {
    const isForAll = isWorthWriting(before.at, revision.at, KV_STRETCH_MS);
    visit.defer(revisions.put(key, revision, isForAll ? tiers : { coloS: tiers.coloS }));
  }
}

function rememberGrant(visit: Visit, grant: Grant): void {
  const { grants, config } = visit.isolate.ports;
  const { GRANT_S } = config.limits;
  if (GRANT_S === 0) return;
  const key = grantKey(visit);
  const before = grants.hot(key);
  if (before?.kind === "yes" && grant.at >= before.at && !isWorthWriting(before.at, grant.at)) {
    grants.hold(key, grant); // lists are asked for every few seconds
    return;
  }
  const isRenewed = before?.kind === "yes" && grant.at - before.at < GRANT_S * 1000;
  const far = isWorthKv(visit, isRenewed) ? { coloS: GRANT_S, kvS: GRANT_S } : { coloS: GRANT_S };
  visit.defer(grants.put(key, grant, far));
}

/**
 * A grant for a whole project is. One for a single object is written to KV only when it is renewed, as a write there costs more
 * than a read of the object; one for a single signature never is.
 */
function isWorthKv({ target, asker }: Visit, isRenewed: boolean): boolean {
  const isOfProject = target.lane === "raw" || target.lane === "pipelines";
  return isOfProject || (isRenewed && asker.principal.kind !== "signed");
}

/** What was last learned of a name. Of an object or artifact it matters as well if it is too old to be used: it may still be the same. */
async function lastKnown(visit: Visit, key: string): Promise<Revision | undefined> {
  const revisions = revisionsOf(visit);
  return (
    revisions.hot(key) ??
    (visit.target.lane !== "raw" ? (await revisions.find(key, () => true))?.record : undefined)
  );
}

/** How long a revision is kept: its life, and the time it may stand in for an unreachable origin. */
function revisionTiers({ target, isolate }: Visit): FarTiers {
  const { REF_S, OBJECT_FRESH_S, STALE_IF_ERROR_S } = isolate.ports.config.limits;
  if (target.lane === "artifact") return { coloS: REF_S + STALE_IF_ERROR_S };
  if (target.lane === "object") return { coloS: OBJECT_FRESH_S + STALE_IF_ERROR_S };
  return { coloS: REF_S + STALE_IF_ERROR_S, kvS: REF_S + STALE_IF_ERROR_S };
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

/** Leaves a scope alone for as long as the origin asked (RFC 9110 §10.2.3, RFC 6585 §4). */
export function holdScope(visit: Visit, refusal: Refusal, seconds: number): void {
  const { denials, now } = visit.isolate.ports;
  const at = now();
  visit.defer(
    denials.put(
      holdKey(visit),
      { at, kind: "hold", until: at + seconds * 1000, refusal },
      { coloS: seconds },
    ),
  );
}

/** The 429 of a scope that is still to be left alone, with the time that is left. */
export async function findHold(visit: Visit): Promise<Refusal | undefined> {
  const { denials, now } = visit.isolate.ports;
  const held = await denials.find(holdKey(visit), (record) => record.kind === "hold" && record.until > now());
  return held?.record.kind === "hold"
    ? withRetryAfter(held.record.refusal, held.record.until - now())
    : undefined;
}

function withRetryAfter(refusal: Refusal, ms: number): Refusal {
  const others = refusal.headers.filter(([name]) => name !== "retry-after");
  return { ...refusal, headers: [...others, ["retry-after", String(Math.ceil(ms / 1000))]] };
}
