import { readEvent } from "../core/events/read-event.ts";
import type { Site } from "../core/site.ts";
import { wholeNumber } from "../core/whole-number.ts";
import { takeEvents } from "./events.ts";
import { hookBodies, type HookBodies } from "./hook-bodies.ts";
import type { JourneyParts } from "./journey.ts";
import { problemResponse } from "./problem-response.ts";
import { preload } from "./preload.ts";
import type { Isolate, Visit } from "./visit.ts";

/** What bodies may take of an isolate's memory at once, and once more those of deliveries that have proven themselves before. */
const BODIES_BYTES = 8 * 1024 * 1024;

/** How long a body may take to come; forges give up after 10 s themselves. */
const BODY_MS = 10_000;

/** After which time one who was not heard may try again, in seconds. */
const AGAIN_S = "1";

type Bodies = { readonly proven: HookBodies; readonly "needs body": HookBodies };

const bodiesOf = new WeakMap<Isolate, Bodies>();

/** A stranger, of whom only the body tells that it is one, takes no room from who is none. */
function bodiesIn(isolate: Isolate): Bodies {
  const known = bodiesOf.get(isolate);
  if (known !== undefined) return known;
  const { config, now } = isolate.ports;
  const bounds = { mostBytes: Math.max(BODIES_BYTES, config.limits.HOOK_BYTES), mostMs: BODY_MS, now };
  const bodies = { proven: hookBodies(bounds), "needs body": hookBodies(bounds) };
  bodiesOf.set(isolate, bodies);
  return bodies;
}

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
  const read = await bodiesIn(isolate)[proof.kind].read(request.body, limit);
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
