import type { Changes } from "../core/events/changes.ts";
import { believed } from "../core/events/believed.ts";
import { pinBy, pinOf, UNKNOWN, type Pin } from "../core/pin.ts";
import type { Revision } from "../core/revision.ts";
import type { RawTarget, Target } from "../core/target.ts";
import { changesOf } from "./changes.ts";
import type { Visit } from "./visit.ts";

/** Pins are remembered with what they were read from, as keys are remembered with targets. */
const namePins = new WeakMap<Target, { readonly pin: Pin | undefined }>();
const recordPins = new WeakMap<Target, RecordPin>();

type RecordPin = {
  readonly record: Revision;
  readonly changes: Changes | undefined;
  readonly pin: Pin | undefined;
};

/** What a name that says it all stands for: a full commit or blob id, for ever. */
export function pinOfName(target: Target): Pin | undefined {
  if (target.lane !== "raw") return undefined;
  const known = namePins.get(target) ?? { pin: pinOf(target.name) };
  namePins.set(target, known);
  return known.pin;
}

/** The ref that a name says apart from its path, or what any ref begins like that it may say. */
export function refOf({ name }: RawTarget): string | undefined {
  if (name.kind === "joined") return name.text.split("/", 1)[0];
  return name.kind === "ref" ? name.ref : undefined;
}

/** What a target's name stands for by a revision, and by what was told since; `undefined` where it stands for nothing. */
export function pinOfRecord(visit: Visit, record: Revision): Pin | undefined {
  const { site, target } = visit;
  const last = recordPins.get(target);
  const changes = changesOf(visit);
  if (last?.record === record && last.changes === changes) return last.pin;
  const now = target.lane === "raw" ? believed(record, changes, refOf(target)) : record;
  const pin = now && (target.lane === "raw" ? pinBy(site.kind, target.name, now) : pinOfObject(now));
  recordPins.set(target, { record, changes, pin });
  return pin;
}

/** An object is known in full by its revision; what may not be cached is the origin's to serve. */
function pinOfObject(record: Revision): Pin | undefined {
  return record.kind === "object" ? { kind: "object", entry: record.entry } : UNKNOWN;
}
