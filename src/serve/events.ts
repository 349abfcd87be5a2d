import type { Defer } from "../core/defer.ts";
import {
  NO_CHANGES,
  withEverything,
  withGroup,
  withPipeline,
  withPush,
  type Changes,
} from "../core/events/changes.ts";
import type { ChangeEvent } from "../core/events/event.ts";
import type { Site } from "../core/site.ts";
import { changesKey, groupsKey } from "./change-keys.ts";
import type { Isolate } from "./visit.ts";
import { beat } from "./watch.ts";
import { noteWritten } from "./written.ts";

/** So many objects of one event are told apart; what is more counts for their whole bucket. */
const MOST_OBJECTS = 100;

/**
 * Takes what events tell: known here at once, and to others of the colo before the promise is fulfilled. Where an event says
 * what a name stands for now, that is believed; else what was known before is not.
 */
export async function takeEvents(
  isolate: Isolate,
  site: Site,
  events: readonly ChangeEvent[],
  defer: Defer,
): Promise<void> {
  const at = isolate.ports.now();
  const objects = fewer(events.filter((event) => event.kind === "object"));
  const others = events.filter((event) => event.kind !== "object");
  await Promise.all([
    ...objects.map((name) => noteWritten(isolate.ports, site, name, defer)),
    ...others.flatMap((event) =>
      event.project.map((name) => takeOf(isolate, site, { name, event, at }, defer)),
    ),
  ]);
  await beat(isolate, site, defer);
}

type OfProject = {
  readonly name: string;
  readonly event: Exclude<ChangeEvent, { readonly kind: "object" }>;
  readonly at: number;
};

async function takeOf(
  { ports }: Isolate,
  site: Site,
  { name, event, at }: OfProject,
  defer: Defer,
): Promise<void> {
  if (name.endsWith("/")) {
    await ports.groups.note(groupsKey(site), (before) => withGroup(before, name, at), defer);
    return;
  }
  await ports.changes.note(changesKey(site, name), (before = NO_CHANGES) => after(before, event, at), defer);
}

function after(before: Changes, event: OfProject["event"], at: number): Changes {
  if (event.kind === "push") return withPush(before, event, at);
  return event.kind === "pipeline" ? withPipeline(before, event.pipeline, at) : withEverything(before, at);
}

type ObjectEvent = Extract<ChangeEvent, { readonly kind: "object" }>;

function fewer(events: readonly ObjectEvent[]): readonly Pick<ObjectEvent, "bucket" | "key">[] {
  if (events.length <= MOST_OBJECTS) return events;
  return [...new Set(events.map(({ bucket }) => bucket))].map((bucket) => ({ bucket, key: "" }));
}
