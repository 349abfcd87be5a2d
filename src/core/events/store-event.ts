import { formDecode } from "../form-decode.ts";
import type { ChangeEvent, EventAnswer } from "./event.ts";
import { allTold, IGNORED, isMembers, malformed, type Members, membersOf, textOf } from "./payload.ts";

/**
 * The types of events after which an object may not be what it was: its content, its metadata, or who may read it
 * (S3: "Event notification types and destinations"; `ObjectLifecycle` and `ObjectSynced` are Ceph's). Reading one, its
 * replication elsewhere, locks and whatever is of a bucket are not among them.
 */
const CHANGING: ReadonlySet<string> = new Set([
  "ObjectCreated",
  "ObjectRemoved",
  "ObjectRestore",
  "ObjectTransition",
  "ObjectTagging",
  "ObjectAcl",
  "LifecycleExpiration",
  "LifecycleTransition",
  "ObjectLifecycle",
  "ObjectSynced",
  "ReducedRedundancyLostObject",
]);

/** What an S3 bucket notification over HTTP says has changed (S3: "Event message structure"). */
export function readStoreEvent(payload: unknown): EventAnswer {
  if (!isMembers(payload)) return malformed("The payload", "an object");
  if (payload["Event"] === "s3:TestEvent") return IGNORED;
  const records = payload["Records"];
  if (!Array.isArray(records)) return malformed("Records", "a list");
  const events: ChangeEvent[] = [];
  for (const [index, value] of records.entries()) {
    const where = `Records[${index}]`;
    const record = membersOf(value);
    const name = textOf(record["eventName"]);
    if (name === undefined) return malformed(`${where}.eventName`, "a text");
    if (!CHANGING.has(eventType(name))) continue;
    const store = membersOf(record["s3"]);
    const bucket = textOf(membersOf(store["bucket"])["name"]);
    if (bucket === undefined) return malformed(`${where}.s3.bucket.name`, "a text");
    const key = keyOf(record, textOf(membersOf(store["object"])["key"]));
    if (key === undefined) return malformed(`${where}.s3.object.key`, "the key of an object");
    events.push({ kind: "object", bucket, key });
  }
  return allTold(events);
}

/** `ObjectCreated` of both `ObjectCreated:Put` and `s3:ObjectCreated:Put`: MinIO writes the second. */
function eventType(name: string): string {
  return name.replace(/^s3:/, "").split(":", 1)[0] ?? "";
}

/**
 * The key itself. S3 and MinIO encode it as forms are (a space as `+`; MinIO slashes, too). RGW writes it as it is,
 * whatever is in it, in all releases (rgw_notify.cc, `populate_event`; rgw_pubsub.cc, `rgw_pubsub_s3_event::dump`).
 */
function keyOf(record: Members, key: string | undefined): string | undefined {
  if (key === undefined || record["eventSource"] === "ceph:s3") return key;
  return textOf(formDecode(key));
}
