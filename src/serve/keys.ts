import type { Entry } from "../core/entry.ts";
import { makeKey } from "../core/key.ts";
import { revisionName, type Question } from "../core/question.ts";
import type { Pin } from "../core/pin.ts";
import type { ArchiveTarget, ObjectTarget, PipelinesTarget, Target } from "../core/target.ts";
import { changesKey, numberKeyOf, writtenKey } from "./change-keys.ts";
import type { Asker, Visit } from "./visit.ts";

/*
 * Every key of the lane. Making one costs more than looking it up, so each is remembered with the object it is made of.
 * Those objects belong to one site: targets are read, and entries and pins made, for a site of their own.
 */

function perObject<K extends object, T = string>(
  make: (visit: Visit, object: K) => T,
): (visit: Visit, object: K) => T {
  const made = new WeakMap<K, T>();
  return (visit, object) => {
    const known = made.get(object);
    if (known !== undefined) return known;
    const key = make(visit, object);
    made.set(object, key);
    return key;
  };
}

/** The scope of a file: all code of a project, through one door. That of an object is the object itself, and that of a job one of its artifacts. */
function scopeParts({ site, target }: Visit): readonly string[] {
  if (target.lane === "raw") return [site.host, target.channel, target.project];
  if (target.lane === "pipelines") return [site.host, "pipelines", target.project, target.resource.kind]; // a job token counts for jobs alone, and a pipeline has rules of its own
  if (target.lane === "artifact") {
    const { channel, project, job, fileType = "" } = target;
    const name = job.kind === "id" ? [job.kind, job.id] : [job.kind, job.ref, job.job];
    return [site.host, "job", channel, project, ...name, fileType];
  }
  return [site.host, "object", target.bucket, target.key, target.versionId ?? ""];
}

/** For a scope that the origin asked us to leave alone, for all who were let in. */
export function holdKey(visit: Visit): string {
  return grantScope(visit, visit.target);
}

/** For an asker whom the origin asked to leave a scope alone. */
export function ownHoldKey(visit: Visit): string {
  return `${grantKey(visit)}/~hold`;
}

const grantScope = perObject<Target>((visit) => makeKey("grant", ...scopeParts(visit)));

/** An asker's grant; its id is hex and needs no escaping. */
export function grantKey(visit: Visit, asker: Asker = visit.asker): string {
  return `${grantScope(visit, visit.target)}/~${asker.id}`;
}

/** For a "no" that may be about one name only. */
export function nameGrantKey(visit: Visit): string {
  return makeKey("grant", ...scopeParts(visit), visit.asker.id, ...nameParts(visit));
}

/** What an asker was told is missing. */
export function missingKey(visit: Visit): string {
  return makeKey("entry", ...scopeParts(visit), visit.asker.id, ...nameParts(visit));
}

/** The revision that a question brings; `undefined` where it brings none. */
export function revisionKey(visit: Visit, question: Question): string | undefined {
  const key = questionKey(visit, question);
  return key === "" ? undefined : key;
}

const questionKey = perObject<Question>((visit, question) => {
  const { target } = visit;
  if (target.lane === "pipelines") return "";
  const name = target.lane === "raw" ? revisionName(question, target) : objectName(target);
  return name === undefined ? "" : makeKey("revision", ...scopeParts(visit), ...name);
});

/** Where it is remembered that what a target names in full is there; the API's own question brings the same. */
export function thereKey(visit: Visit): string {
  return fullNameKey(visit, visit.target);
}

const fullNameKey = perObject<Target>((visit, target) => {
  if (target.lane !== "raw" || !("oid" in target.name)) throw new TypeError("Not named in full");
  return makeKey("revision", ...scopeParts(visit), "ref", target.name.oid);
});

/** What changes an object's header fields; nothing does an artifact's. */
function objectName(target: ArchiveTarget): readonly string[] {
  if (target.lane === "artifact") return [];
  const { overrides, corsOrigin } = target;
  return [overrides, corsOrigin === undefined ? "" : `for ${corsOrigin}`];
}

/** Where a target's own writes are remembered, and those of its bucket as a whole. */
export const writtenKeys = perObject<ObjectTarget, { readonly object: string; readonly bucket: string }>(
  ({ site }, { bucket, key }) => ({
    object: writtenKey(site, bucket, key),
    bucket: writtenKey(site, bucket, ""),
  }),
);

/** Where it is told what changed of a target's own project. */
export const changesKeyOf = perObject<Exclude<Target, ObjectTarget>>(({ site }, { project }) =>
  changesKey(site, project),
);

/** Where the number of a target's own project is remembered. */
export const numberKey = perObject<PipelinesTarget>(({ site }, { project }) => numberKeyOf(site, project));

/** A list of pipelines in the scope of its project; what is known of it is kept under this. */
const listKey = perObject<PipelinesTarget>((visit, target) =>
  makeKey("list", ...scopeParts(visit), target.scheme, ...listName(target)),
);

function listName({ resource, query }: PipelinesTarget): readonly string[] {
  if (resource.kind === "pipeline") return [resource.kind, resource.id, query];
  return resource.kind === "jobs" ? [resource.kind, resource.pipeline, query] : [resource.kind, query];
}

/** One rendering of a list; its tag is hex and dashes. */
export function renderingKey(visit: Visit, target: PipelinesTarget, tag: string): string {
  return `${listKey(visit, target)}/~rendering/~${tag}`;
}

/** What the asker was told. */
export function standingKey(visit: Visit, target: PipelinesTarget): string {
  return `${listKey(visit, target)}/~told/~${visit.asker.id}`;
}

/** The newest rendering that anybody was told, or that was made of the database. */
export function newestKey(visit: Visit, target: PipelinesTarget, by: "origin" | "database"): string {
  return `${listKey(visit, target)}/~newest/~${by}`;
}

/** A pin that files are remembered under. */
export type KnownPin = Exclude<Pin, { readonly kind: "unknown" | "object" }>;

/** What is known of a pinned file. */
export const entryKey = perObject<KnownPin>((visit, pin) => {
  const scope = [...scopeParts(visit), variantOf(visit), pin.kind];
  if (pin.kind === "commit") return makeKey("entry", ...scope, pin.oid, pin.path);
  if (pin.kind === "blob") return makeKey("entry", ...scope, pin.oid);
  return makeKey("entry", ...scope, pin.etag, ...nameParts(visit));
});

/** Where the last known state of a path is remembered, whatever the ref: for asking whether it is still so. */
export function latestKey(visit: Visit, path: string): string {
  return makeKey("latest", ...scopeParts(visit), variantOf(visit), path);
}

/** All bytes of one identity within a project, or of one object; never the asker's. */
export const bodyKey = perObject<Entry>(({ site, target }, { identity }) => {
  if (target.lane === "raw") return makeKey("body", site.host, target.project, identity);
  if (target.lane === "artifact") return makeKey("body", site.host, "job", target.project, identity);
  if (target.lane === "pipelines") return makeKey("body", site.host, "pipelines", target.project, identity);
  return makeKey("body", site.host, "object", target.bucket, target.key, identity);
});

/** The directory of an archive. */
export const directoryKey = perObject<Entry>((visit, archive) => `${bodyKey(visit, archive)}/directory`);

export function blockKey(visit: Visit, entry: Entry, index: number): string {
  const { BLOCK_BYTES } = visit.isolate.ports.config.limits;
  return `${bodyKey(visit, entry)}/~${BLOCK_BYTES}/~${index}`;
}

/** The name as it was asked, with all that tells it from others. */
function nameParts({ target }: Visit): readonly string[] {
  if (target.lane === "pipelines") return listName(target);
  if (target.lane !== "raw") return objectName(target);
  const { name, variant } = target;
  if (name.kind === "joined") return [variant, name.kind, name.refs, name.text];
  if (name.kind === "ref") return [variant, name.kind, name.ref, name.path];
  return name.kind === "commit" ? [variant, name.kind, name.oid, name.path] : [variant, name.kind, name.oid];
}

function variantOf({ target }: Visit): string {
  return target.lane === "raw" ? target.variant : "";
}
