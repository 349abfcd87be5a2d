import { readEvent } from "../core/events/read-event.ts";
import type { Site } from "../core/site.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { takeEvents } from "./events.ts";
import type { JourneyParts } from "./journey.ts";
import { problemResponse } from "./problem-response.ts";
import { preload } from "./preload.ts";
import type { Visit } from "./visit.ts";

/** After which time one who was not heard may try again, in seconds. */
const AGAIN_S = "1";

type Refused = "malformed" | "unproven" | "too_large" | "busy";

/**
 * Takes a delivery of a forge's webhook or a store's notification. What can be refused by its header fields is, before any of
 * its body is read; the answer is sent when all isolates of the colo can know what it told.
 */
export async function takeHook(
  { isolate, askers }: JourneyParts,
  site: Site,
  request: Request,
  defer: Visit["defer"],
): Promise<Response> {
  const { config, proveHook, telemetry } = isolate.ports;
  if (config.webhookSecret === undefined) return problemResponse("not_found");
  const header = (name: string) => request.headers.get(name);
  const refuse = (outcome: Refused, detail?: string): Response => {
    telemetry.event(outcome);
    return problemResponse(`event_${outcome}`, outcome === "busy" ? { "Retry-After": AGAIN_S } : {}, detail);
  };

  const proof = proveHook(site.kind, header);
  if (proof.kind === "refused") return refuse("unproven");
  const limit = config.limits.HOOK_BYTES;
  if (request.body === null) return refuse("malformed", "There is no body");
  if ((wholeNumber(header("content-length")) ?? 0) > limit) return refuse("too_large");
  const read = await isolate.hookBodies[proof.kind].read(request.body, limit);
  if (read.kind === "malformed") return refuse("malformed", read.detail);
  if (read.kind !== "body") return refuse(read.kind);
  const { bytes: body } = read;
  if (proof.kind === "needs body" && !proof.prove(body)) return refuse("unproven");

  const answer = readEvent(site.kind, header, new TextDecoder().decode(body));
  if (answer.kind === "malformed") return refuse("malformed", answer.detail);
  const events = answer.kind === "events" ? answer.events : [];
  telemetry.event(answer.kind === "events" ? "taken" : "ignored");
  if (events.length > 0) await takeEvents(isolate, site, events, defer);
  if (site.kind !== "s3")
    for (const event of events)
      if (event.kind === "push") defer(preload({ isolate, askers }, site, event, defer));
  return Response.json({ changes: events.length }, { headers: { "Cache-Control": "no-store" } });
}
