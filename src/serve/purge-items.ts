import { believed } from "../core/events/believed.ts";
import { lastPushAt, pipelineChangedAt, type Changes } from "../core/events/changes.ts";
import { makeKey } from "../core/key.ts";
import type { Selection } from "../core/purge.ts";
import type { Revision } from "../core/revision.ts";
import type { Site } from "../core/site.ts";
import type { KeyList, ListKeys, Stamped } from "../core/store.ts";
import { readHeldKey, type HeldKey } from "./held-keys.ts";
import type { Ports } from "./ports.ts";

/** How many keys of KV are looked at. */
const MOST_FAR = 1000;
/** How many items are shown. */
const MOST_SHOWN = 200;

export type Item = {
  readonly kind: "grant" | "denial" | "revision" | "entry" | "list" | "number" | "object";
  readonly name: string;
  readonly where: "memory" | "kv";
};

export type Items = {
  readonly items: readonly Item[];
  /** How many more there are that are not shown. */
  readonly more: number;
  /** False where KV has more keys than were looked at, or could not be asked: then there may be others. */
  readonly complete: boolean;
};

/** What was told of a place before the purge, and what will be after it. */
export type Outlook = {
  readonly project: (name: string) => {
    readonly before: Changes | undefined;
    readonly after: Changes | undefined;
  };
  readonly object: (bucket: string, key: string) => { readonly before: number; readonly after: number };
};

type Held = { readonly key: HeldKey; readonly record: Stamped; readonly item: Item["kind"] };

/** What of memory is believed before the purge and not after it. */
export function itemsOfMemory(ports: Ports, site: Site, outlook: Outlook): readonly Item[] {
  const items: Item[] = [];
  for (const each of heldInMemory(ports, site))
    if (goes(each, outlook)) items.push({ kind: each.item, name: each.key.name, where: "memory" });
  return items;
}

function* heldInMemory(ports: Ports, site: Site): Generator<Held> {
  const { grants, denials, revisions, objects, entries, missing, renderings, standings } = ports;
  for (const store of [grants, denials])
    for (const { key, record } of read(site, store))
      if (record.kind !== "hold") yield { key, record, item: record.kind === "yes" ? "grant" : "denial" };
  for (const { key, record } of read(site, {
    keys: () => missing.keys(),
    hot: (text) => missing.get(text),
  }))
    yield { key, record, item: "denial" };
  for (const { key, record } of read(site, revisions)) yield { key, record, item: "revision" };
  for (const { key, record } of read(site, objects)) yield { key, record, item: "object" };
  for (const { key, record } of read(site, entries)) yield { key, record, item: "entry" };
  for (const { key, record } of read(site, renderings)) yield { key, record, item: "list" };
  for (const { key, record } of read(site, standings))
    if (key.what.kind === "number") yield { key, record, item: "number" };
}

type Store<T> = { keys(): Iterable<string>; hot(key: string): T | undefined };

function* read<T>(site: Site, store: Store<T>): Generator<{ key: HeldKey; record: T }> {
  for (const text of store.keys()) {
    const key = readHeldKey(site, text);
    const record = key && store.hot(text);
    if (key !== undefined && record !== undefined) yield { key, record };
  }
}

/** Of what KV lists, all that may go: what it holds is not read. Projects are found by the very spelling of their names. */
export async function itemsOfKv(
  list: ListKeys,
  site: Site,
  asked: { readonly prefixes: readonly string[]; readonly at: number; readonly outlook: Outlook },
): Promise<{ readonly items: readonly Item[]; readonly isAll: boolean }> {
  const { keys, isAll } = await listAll(list, asked.prefixes);
  const items = keys.flatMap((text): readonly Item[] => {
    const key = readHeldKey(site, text);
    const youngest = key && youngestOf(key, asked.at);
    return key !== undefined && youngest !== undefined && goes(youngest, asked.outlook)
      ? [{ kind: youngest.item, name: key.name, where: "kv" }]
      : [];
  });
  return { items, isAll };
}

async function listAll(list: ListKeys, prefixes: readonly string[]): Promise<KeyList> {
  const keys: string[] = [];
  let isAll = true;
  for (const prefix of prefixes) {
    if (keys.length >= MOST_FAR) return { keys, isAll: false };
    const found = await list(prefix, MOST_FAR - keys.length);
    keys.push(...found.keys);
    isAll &&= found.isAll;
  }
  return { keys, isAll };
}

/** What a key of KV may hold that was learned last: no denials are kept there. */
function youngestOf(key: HeldKey, at: number): Held | undefined {
  if (key.what.kind === "grant") return { key, record: { at }, item: "grant" };
  if (key.what.kind !== "revision") return undefined;
  return { key, record: youngestRevision(key.what.by, at), item: "revision" };
}

function youngestRevision(by: string, at: number): Revision {
  if (by === "ref") return { at, kind: "commit", oid: "" };
  return by === "refs" ? { at, kind: "refs", refs: [] } : { at, kind: "validator", etag: "" };
}

/** Where KV holds what a selection may be about: grants, and what refs are. */
export function prefixesOf(
  { host }: Site,
  selection: Selection,
  names: readonly string[],
): readonly string[] {
  const doors = [["web"], ["api"]];
  const scopes = [...doors, ["pipelines"], ...doors.map((door) => ["job", ...door])];
  const grants = scopes.map((scope) => ["grant", scope] as const);
  const revisions = doors.map((scope) => ["revision", scope] as const);
  if (selection.kind === "group")
    return [...grants, ...revisions].map(([kind, scope]) =>
      makeKey(kind, host, ...scope, `${selection.group}/`),
    );
  if (selection.kind !== "project" && selection.kind !== "ref") return [];
  const kinds = selection.kind === "ref" ? revisions : [...grants, ...revisions];
  return names.flatMap((name) => kinds.map(([kind, scope]) => `${makeKey(kind, host, ...scope, name)}/`));
}

/** Whether something is believed before the purge and not after it, by the rules that it is served by. */
function goes(held: Held, outlook: Outlook): boolean {
  const { place } = held.key;
  if (place.lane !== "object") {
    const { before, after } = outlook.project(place.project);
    return !isOver(held, before) && isOver(held, after);
  }
  if (held.item === "grant") return false; // a write does not tell who may read
  const { before, after } = outlook.object(place.bucket, place.key);
  return held.record.at > before && held.record.at <= after;
}

function isOver({ key, record, item }: Held, changes: Changes | undefined): boolean {
  return changes !== undefined && (isOfPlace(key, record, changes) || record.at <= endOf(key, item, changes));
}

function isOfPlace({ place, what }: HeldKey, record: Stamped, changes: Changes): boolean {
  if (what.kind !== "revision" || place.lane !== "raw") return false;
  return believed(record as Revision, changes, what.name) === undefined;
}

/** Until when what was learned is over; in milliseconds. */
function endOf({ place, what }: HeldKey, item: Item["kind"], changes: Changes): number {
  const { accessAt, filesAt, listsAt } = changes;
  switch (what.kind) {
    case "grant":
    case "number":
      return accessAt;
    case "entry":
      return item === "denial" ? lastPushAt(changes) : Math.max(accessAt, filesAt);
    case "revision":
      return place.lane === "artifact" && place.isLatest ? Math.max(accessAt, listsAt) : accessAt;
    case "list":
      return Math.max(accessAt, what.id === undefined ? listsAt : pipelineChangedAt(changes, what.id));
  }
}

/** As many items as are shown, and how many more there are. */
export function shownOf(items: readonly Item[], complete: boolean): Items {
  return { items: items.slice(0, MOST_SHOWN), more: Math.max(0, items.length - MOST_SHOWN), complete };
}
