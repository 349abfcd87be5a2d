import type { ToldList } from "../../core/dialect.ts";
import type { Entry } from "../../core/entry.ts";
import {
  furthest,
  mergedRendering,
  succeeded,
  type Rendering,
  type Standing,
} from "../../core/pipelines/rendering.ts";
import { bodyKey, newestKey, numberKey, renderingKey, standingKey } from "../keys.ts";
import type { ListVisit } from "./list-visit.ts";

/** Facts of an asker are written to the colo no more often than this: younger ones tell others nothing that they need. */
const BETWEEN_WRITES_MS = 10_000;

/** A rendering that the origin can be asked about: whether the asker's would be another one. */
export type Condition = { readonly rendering: Rendering; readonly etag: string };

/**
 * The condition to ask under. To the validator of what the asker was told itself, any; else only to one that is a digest of the
 * bytes: to another, a 304 would not say that this asker sees the same.
 */
export async function conditionFor(visit: ListVisit): Promise<Condition | undefined> {
  const { isolate, target } = visit;
  const { standings, renderings } = isolate.ports;
  const find = (tag: string) => renderings.hot(renderingKey(visit, target, tag));
  const own = (await standings.find(standingKey(visit, target), () => true))?.record;
  const newest = (await standings.find(newestKey(visit, target, "origin"), () => true))?.record;
  for (const tag of [own?.tag, newest?.tag])
    if (tag !== undefined && find(tag) === undefined) await lookAt(visit, tag);
  const last = own === undefined ? undefined : furthest(own.tag, find)?.rendering;
  for (const rendering of [last, newest && find(newest.tag)])
    if (rendering?.origin?.isDigest === true) return { rendering, etag: rendering.origin.etag };
  const told = own && find(own.tag);
  return told?.origin === undefined ? undefined : { rendering: told, etag: told.origin.etag };
}

/** Learns what other isolates know of a rendering. */
export async function lookAt(visit: ListVisit, tag: string): Promise<void> {
  await visit.isolate.ports.renderings.look(renderingKey(visit, visit.target, tag), false);
}

/** Remembers what an asker was told of a list, at `at`; who stands where it stood may then be shown it too. */
export async function rememberTold(
  visit: ListVisit,
  condition: Condition | undefined,
  list: ToldList,
  at: number,
): Promise<void> {
  const { isolate, target, asker } = visit;
  const { standings, renderings } = isolate.ports;
  const rendering = await renderingOf(visit, condition?.rendering, list, at);
  if (rendering === undefined) return;
  const key = standingKey(visit, target);
  const before = standings.hot(key);
  await keepRendering(visit, rendering);
  if (before !== undefined && before.tag !== rendering.tag) {
    const change = { tag: rendering.tag, at, by: asker.id };
    const prior = renderings.hot(renderingKey(visit, target, before.tag));
    if (prior !== undefined) putRendering(visit, succeeded(prior, change));
  }
  keep(visit, key, { at, tag: rendering.tag });
  keep(visit, newestKey(visit, target, "origin"), { at, tag: rendering.tag });
  if (rendering.projectNumber !== undefined && rendering.projectNumber !== target.project) {
    const number = { at, tag: rendering.projectNumber };
    visit.defer(
      standings.put(numberKey(visit, target), number, { coloS: isolate.ports.config.limits.REF_S }),
    );
  }
}

/** Remembers a rendering and its bytes. */
export async function rememberMade(visit: ListVisit, list: ToldList, at: number): Promise<void> {
  const rendering = await renderingOf(visit, undefined, list, at);
  if (rendering === undefined) return;
  await keepRendering(visit, rendering);
  keep(visit, newestKey(visit, visit.target, "database"), { at, tag: rendering.tag });
}

/** The rendering that an answer is; `undefined` where it is said to be one that is not known. */
async function renderingOf(
  visit: ListVisit,
  known: Rendering | undefined,
  list: ToldList,
  at: number,
): Promise<Rendering | undefined> {
  const { codec, hot, blocks } = visit.isolate.ports;
  if (list.kind === "same") {
    if (known === undefined) return undefined;
    const headers = updated(known.headers, list.headers);
    return { ...known, at, tag: await tagOf(visit, known.identity, headers), headers, next: undefined };
  }
  const { bytes, headers, ...told } = list;
  const identity = await codec.sha256(bytes);
  const size = bytes.byteLength;
  const tag = await tagOf(visit, identity, headers);
  const { origin, isFinished, projectNumber } = told;
  const kept = { headers, origin, isFinished, projectNumber };
  const rendering: Rendering = { at, tag, identity, size, ...kept, next: undefined };
  const key = bodyKey(visit, entryOf(rendering));
  hot.set(key, bytes);
  const stored = blocks.write(key, bytes);
  if (hot.get(key) === undefined) await stored; // memory has no room for it
  else visit.defer(stored);
  return rendering;
}

/** What a 304 says of header fields counts (RFC 9111 §3.2). */
function updated(before: Rendering["headers"], told: Rendering["headers"]): Rendering["headers"] {
  return [...new Map([...before, ...told])];
}

/** Header fields are part of it: two who are told other totals are not told the same. */
async function tagOf(visit: ListVisit, identity: string, headers: Rendering["headers"]): Promise<string> {
  const digest = await visit.isolate.ports.codec.sha256(new TextEncoder().encode(JSON.stringify(headers)));
  return `${identity.slice(0, 32)}-${digest.slice(0, 16)}`;
}

async function keepRendering(visit: ListVisit, rendering: Rendering): Promise<void> {
  const key = renderingKey(visit, visit.target, rendering.tag);
  if (visit.isolate.ports.renderings.hot(key) === undefined) await lookAt(visit, rendering.tag);
  putRendering(visit, rendering);
}

function putRendering(visit: ListVisit, rendering: Rendering): void {
  const { renderings } = visit.isolate.ports;
  const key = renderingKey(visit, visit.target, rendering.tag);
  const change = (before: Rendering | undefined) =>
    before === undefined ? rendering : mergedRendering(before, rendering);
  visit.defer(renderings.note(key, change, visit.defer));
}

function keep(visit: ListVisit, key: string, standing: Standing): void {
  const { standings, config } = visit.isolate.ports;
  const before = standings.hot(key);
  if (before !== undefined && before.at > standing.at) return;
  const isNews = before?.tag !== standing.tag || standing.at - before.at >= BETWEEN_WRITES_MS;
  if (!isNews) standings.hold(key, standing);
  else visit.defer(standings.put(key, standing, { coloS: 2 * config.limits.GRANT_S + 1 }));
}

const entries = new WeakMap<Rendering, Entry>();

/** A rendering as what a response is made of. */
export function entryOf(rendering: Rendering): Entry {
  const known = entries.get(rendering);
  if (known !== undefined) return known;
  const { at, tag, identity, size, headers } = rendering;
  const entry: Entry = {
    at,
    identity,
    size,
    etag: `"${tag}"`,
    lastModified: undefined,
    originEtag: undefined,
    headers,
  };
  entries.set(rendering, entry);
  return entry;
}
