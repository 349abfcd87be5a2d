import type { ObjectTarget, Target } from "../core/target.ts";
import { admit, admitHot } from "./admit.ts";
import { ask } from "./ask.ts";
import { grantKey } from "./keys.ts";
import { questionNow } from "./questions.ts";
import type { Asker, Learned, Visit } from "./visit.ts";
import { findWritten, writtenAt } from "./written.ts";

/**
 * What somebody can ask for: a signature that only the origin can verify is good for the one object that its own path names,
 * and so for nothing inside of another.
 */
export function asNamed(target: Target, { principal }: Asker): Target {
  return principal.kind === "signed" && target.lane === "object" ? (target.literal ?? target) : target;
}

/** What a request is really for: where there may be an object that has the whole path as its key, nothing inside of an archive is meant. */
export async function asMeant(visit: Visit): Promise<Visit> {
  const { target } = visit;
  if (target.lane !== "object" || target.literal === undefined) return visit;
  const asked = asLiteral(visit, target.literal);
  await findWritten(asked);
  const { question } = questionNow(asked);
  const known = await admit(asked, question);
  const isOver = known.kind === "admitted" && known.at <= writtenAt(asked); // it may have been removed since
  return isAbsent(isOver ? await ask(asked, question) : known) ? visit : asked;
}

/** Whether memory tells that there is no such object; true where none is to be looked for. */
export function isLiteralHot(visit: Visit): boolean {
  const { target } = visit;
  if (target.lane !== "object" || target.literal === undefined) return true;
  const asked = asLiteral(visit, target.literal);
  const learned = admitHot(asked, grantKey(asked), questionNow(asked).question);
  return learned !== undefined && isAbsent(learned);
}

function asLiteral(visit: Visit, literal: ObjectTarget): Visit {
  return { ...visit, target: literal, trace: { ...visit.trace } };
}

/** A store says 403 of what is not there to those who may not list it. */
function isAbsent(learned: Learned): boolean {
  return learned.kind === "refused" && (learned.refusal.status === 404 || learned.refusal.status === 403);
}
