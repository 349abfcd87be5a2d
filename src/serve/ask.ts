import { MISS } from "../core/cache-status.ts";
import type { Question } from "../core/question.ts";
import { seenIn, type Revision } from "../core/revision.ts";
import { beginFill } from "./begin-fill.ts";
import { findHold, hold } from "./holds.ts";
import { revisionKey } from "./keys.ts";
import { isListVisit } from "./pipelines/list-visit.ts";
import { conditionFor, rememberTold } from "./pipelines/told.ts";
import { refuse, rememberGrant, rememberRevision } from "./remember.ts";
import { revisionsOf } from "./revisions.ts";
import { noteThere } from "./there.ts";
import type { Learned, Visit } from "./visit.ts";
import { writtenAt } from "./written.ts";

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
      const seen = answer.seen ?? (answer.revision && seenIn(answer.revision));
      rememberGrant(visit, { at, kind: "yes", seen });
      if (key !== undefined && answer.revision !== undefined) rememberRevision(visit, key, answer.revision);
      if (question.via === "replay" && answer.revision !== undefined) noteThere(visit, at);
      if (answer.list !== undefined && isListVisit(visit)) {
        const kept = await rememberTold(visit, condition, answer.list, at);
        if (kept !== visit) rememberGrant(kept, { at, kind: "yes" });
      }
      if (answer.body !== undefined) {
        const { entry, stream: body, offset, until } = answer.body;
        visit.trace.body = MISS;
        visit.defer(beginFill(visit, entry, { body, offset, until }));
      }
      return { kind: "admitted", at, seen };
    }
    case "refused":
      refuse(visit, { at, kind: "no", refusal: answer.refusal }, answer.about);
      return { kind: "refused", at, refusal: answer.refusal, about: answer.about };
    case "busy":
      hold(visit, answer.refusal, answer.seconds);
      return { kind: "refused", at, refusal: answer.refusal, about: "scope" };
    case "unclear":
      return { kind: "unclear" };
  }
}

/** What was last learned of a name. Of an object or artifact it matters as well if it is too old to be used: it may still be the same. */
async function lastKnown(visit: Visit, key: string): Promise<Revision | undefined> {
  const revisions = revisionsOf(visit);
  return (
    revisions.hot(key) ??
    (visit.target.lane !== "raw" ? (await revisions.find(key, () => true))?.record : undefined)
  );
}
