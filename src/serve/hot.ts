import type { Entry } from "../core/entry.ts";
import { isImmutable, type Pin } from "../core/pin.ts";
import { admitHot } from "./admit.ts";
import type { Arrival } from "./arrival.ts";
import { noteAsked } from "./asked-files.ts";
import { isProjectUpToDate } from "./changes.ts";
import { counted } from "./counted.ts";
import { bodyKey, changesKeyOf, entryKey, grantKey } from "./keys.ts";
import { isInside } from "./inside-target.ts";
import { findInsideHot } from "./inside.ts";
import { isMoving } from "./latest.ts";
import { isLiteralHot } from "./literal.ts";
import { isKnown, renewThere } from "./open.ts";
import { isListVisit } from "./pipelines/list-visit.ts";
import { serveListHot } from "./pipelines/serve-list.ts";
import { questionNow } from "./questions.ts";
import { rememberReady } from "./ready.ts";
import { isPlain } from "./plain.ts";
import { replyFromBytes, replyWithoutBody, wantedOf } from "./reply.ts";
import { resolveHot } from "./resolve.ts";
import { respond } from "./respond.ts";
import { headersFor } from "./response-headers.ts";
import type { Visit } from "./visit.ts";
import { isThereHot } from "./there.ts";
import { isObjectUpToDate } from "./written.ts";

function hotEntry(visit: Visit, pin: Exclude<Pin, { readonly kind: "unknown" }>): Entry | undefined {
  const { target, isolate } = visit;
  if (pin.kind !== "object") return isolate.ports.entries.hot(entryKey(visit, pin));
  return isInside(target) ? findInsideHot(visit, target, pin) : pin.entry;
}

/** Answers from memory alone: no I/O, no hashing, no waiting. */
export function serveHot(visit: Visit, arrival: Arrival): Response | undefined {
  if (isListVisit(visit)) return serveListHot(visit, arrival);
  const { ports } = visit.isolate;
  if (!isProjectUpToDate(visit) || !isObjectUpToDate(visit)) return undefined;
  if (admitHot(visit, grantKey(visit), questionNow(visit).question)?.kind !== "admitted") return undefined;
  if (isMoving(visit.target) || !isLiteralHot(visit)) return undefined;
  const pin = resolveHot(visit);
  if (pin === undefined || pin.kind === "unknown") return undefined;
  const entry = hotEntry(visit, pin);
  const bytes = entry && ports.hot.get(bodyKey(visit, entry));
  if (entry === undefined || bytes === undefined) return undefined;
  if (pin.kind !== "object" && !isKnown(visit, entry)) return undefined;
  const there = isThereHot(visit);
  if (there === "unknown") return undefined;
  if (there === "ageing") renewThere(visit, pin);
  visit.trace.body = { kind: "hit", tier: "memory", ttl: undefined };
  if (visit.target.lane === "raw" && ports.config.limits.PRELOAD_FILES > 0)
    noteAsked(visit.isolate.askedFiles, changesKeyOf(visit, visit.target), visit.target, ports.now());
  if (isImmutable(visit.target)) visit.trace.validatedAt = entry.at;
  const answerable = { visit, arrival, entry };
  if (arrival.method === "GET" && isPlain(arrival.headers)) {
    const headers = headersFor(visit, entry);
    visit.trace.hotBytes = bytes.byteLength;
    rememberReady(visit, entry, { headers, counted: counted(visit, 200) });
    return respond(bytes, { headers });
  }
  return replyWithoutBody(answerable) ?? replyFromBytes(answerable, bytes, wantedOf(answerable));
}
