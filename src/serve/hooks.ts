import { readEvent } from "../core/events/read-event.ts";
import { readBounded } from "../core/read-bounded.ts";
import type { Site } from "../core/site.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { takeEvents } from "./events.ts";
import { problemResponse } from "./problem-response.ts";
import type { Isolate, Visit } from "./visit.ts";

/**
 * Takes a delivery of a forge's webhook or a store's notification. What can be refused by its header fields is, before any of
 * its body is read; the answer is sent when all isolates of the colo can know what it told.
 */
export async function takeHook(
  isolate: Isolate,
  site: Site,
  request: Request,
  defer: Visit["defer"],
): Promise<Response> {
  const { config, proveHook } = isolate.ports;
  if (config.webhookSecret === undefined) return problemResponse("not_found");
  const header = (name: string) => request.headers.get(name);
  const proof = proveHook(site.kind, header);
  if (proof.kind === "refused") return problemResponse("event_unproven");
  const limit = config.limits.HOOK_BYTES;
  if ((wholeNumber(header("content-length")) ?? 0) > limit || request.body === null)
    return problemResponse(request.body === null ? "event_malformed" : "event_too_large");
  const body = await readBounded(request.body, limit);
  if (body === undefined) return problemResponse("event_too_large");
  if (proof.kind === "needs body" && !proof.prove(body)) return problemResponse("event_unproven");
  const answer = readEvent(site.kind, header, new TextDecoder().decode(body));
  if (answer.kind === "malformed") return problemResponse("event_malformed", {}, answer.detail);
  if (answer.kind === "ignored") return told(0);
  await takeEvents(isolate, site, answer.events, defer);
  return told(answer.events.length);
}

function told(changes: number): Response {
  return Response.json({ changes }, { headers: { "Cache-Control": "no-store" } });
}
