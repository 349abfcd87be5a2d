import type { Entry } from "../core/entry.ts";
import { letGo } from "../core/let-go.ts";
import { isImmutable, type Pin } from "../core/pin.ts";
import { Failure } from "../core/problem.ts";
import { admit, admitHot, isStillAdmitted } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import { BodyRefused } from "./body-reader.ts";
import { findChanges } from "./changes.ts";
import { bodyContent } from "./content.ts";
import { isInside } from "./inside-target.ts";
import { openInside } from "./inside.ts";
import { grantKey } from "./keys.ts";
import { redirectToJob } from "./latest.ts";
import { findMissing, openFile } from "./open.ts";
import { isListVisit } from "./pipelines/list-visit.ts";
import { serveListCold } from "./pipelines/serve-list.ts";
import { questionNow } from "./questions.ts";
import { refusalResponse } from "./refusal-response.ts";
import { reply } from "./reply.ts";
import type { Representation } from "./representation.ts";
import { resolve, resolveHot } from "./resolve.ts";
import { endVisit, type Visit } from "./visit.ts";
import { findWritten, isObjectUpToDate } from "./written.ts";

/** How often an object that changes while it is read is begun with anew, before the origin is left to serve it. */
const OBJECT_ATTEMPTS = 2;

/** Answers with whatever waiting it takes; `undefined` for what only the origin itself can answer. */
export async function serveCold(visit: Visit, arrival: Arrival): Promise<Response | undefined> {
  if (isListVisit(visit)) return await serveListCold(visit, arrival);
  if (visit.target.lane === "raw") return await serveOnce(visit, arrival);
  for (let attempt = 0; attempt < OBJECT_ATTEMPTS; attempt++) {
    try {
      return await serveOnce(visit, arrival);
    } catch (error) {
      // Nothing was sent yet, and what was known is forgotten
      if (!(error instanceof Failure) || error.problem !== "origin_changed") throw error;
    }
  }
  return undefined;
}

async function serveOnce(visit: Visit, arrival: Arrival): Promise<Response | undefined> {
  const { ports } = visit.isolate;
  const { trace } = visit;
  await findChanges(visit);
  if (visit.target.lane === "object" && !(isKnownHere(visit) && isObjectUpToDate(visit)))
    await findWritten(visit);
  const admitted = await admit(visit, questionNow(visit).question);
  if (admitted.kind === "unclear") return undefined;
  if (admitted.kind === "refused") return refusalResponse(visit, arrival, admitted.refusal);

  const missing = findMissing(visit);
  if (missing !== undefined) return refusalResponse(visit, arrival, missing);

  const resolving = ports.now();
  const resolved = await resolve(visit);
  trace.revisionMs = ports.now() - resolving;
  if (resolved.kind === "unclear") return undefined;
  if (resolved.kind === "refused") return refusalResponse(visit, arrival, resolved.refusal);
  if (resolved.pin.kind === "unknown" && visit.target.lane !== "raw") return undefined;

  const opening = ports.now();
  const file = await openFile(visit, resolved.pin, arrival.method === "HEAD" ? "HEAD" : "GET");
  trace.bodyMs = ports.now() - opening;
  if (file.kind === "unclear") return undefined;
  if (file.kind === "refused") return refusalResponse(visit, arrival, file.refusal);
  if (isImmutable(visit.target)) trace.validatedAt = file.entry.at;
  const { pin } = resolved;
  const moved = redirectToJob(visit, file.entry);
  const response = moved ?? (await answerUnlessRefused(visit, arrival, pin, file.entry));
  if (!visit.isSending) endVisit(visit);
  return isStillAdmitted(visit) ? response : await admitAgain(visit, arrival, response);
}

/** Whether memory alone tells who may read and what there is. */
function isKnownHere(visit: Visit): boolean {
  return (
    admitHot(visit, grantKey(visit), questionNow(visit).question)?.kind === "admitted" &&
    resolveHot(visit) !== undefined
  );
}

async function answerUnlessRefused(
  visit: Visit,
  arrival: Arrival,
  pin: Pin,
  entry: Entry,
): Promise<Response> {
  try {
    return await reply({ visit, arrival, ...(await represent(visit, arrival, pin, entry)) });
  } catch (error) {
    if (!(error instanceof BodyRefused)) throw error;
    return refusalResponse(visit, arrival, error.refusal);
  }
}

/** A file, object or archive as it is, or what is asked for of an archive. */
async function represent(visit: Visit, arrival: Arrival, pin: Pin, entry: Entry): Promise<Representation> {
  const { target } = visit;
  if (isInside(target) && pin.kind === "object") return await openInside(visit, arrival, target, pin);
  return { entry, content: bodyContent({ visit, pin, entry }) };
}

/** A response was made ready under a grant that has ended meanwhile: it is sent only under a new one. */
async function admitAgain(visit: Visit, arrival: Arrival, response: Response): Promise<Response | undefined> {
  let isAdmitted = false;
  try {
    const admitted = await admit(visit, questionNow(visit).question);
    isAdmitted = admitted.kind === "admitted";
    if (admitted.kind === "refused") return refusalResponse(visit, arrival, admitted.refusal);
    return isAdmitted ? response : undefined;
  } finally {
    if (!isAdmitted) await letGo(response.body);
  }
}
