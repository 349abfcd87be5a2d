import type { ToldList } from "../../core/dialect.ts";
import type { Entry } from "../../core/entry.ts";
import { isAlive, isWorthWriting, judge } from "../../core/freshness.ts";
import { headersAfter, type Rendering, type Standing } from "../../core/pipelines/rendering.ts";
import { bodyKey, newestKey, numberKey, renderingKey, standingKey } from "../keys.ts";
import { listLifetime } from "./list-lifetime.ts";
import type { ListVisit } from "./list-visit.ts";
import { headersByNumber, isByNumber, numbered } from "./numbered.ts";

/** A rendering that the origin can be asked about: whether the asker's would be another one. */
export type Condition = { readonly rendering: Rendering; readonly etag: string };

/**
 * The condition to ask under: that of the newest rendering, where its validator is a digest of the bytes; else that of what the
 * asker was told itself. To another's that is no digest, a 304 would not say that this asker sees the same.
 */
export async function conditionFor(visit: ListVisit): Promise<Condition | undefined> {
  const { standings } = visit.isolate.ports;
  const { target } = visit;
  const [own, newest] = await Promise.all([
    findAt(visit, (await standings.find(standingKey(visit, target), () => true))?.record),
    findAt(visit, (await standings.find(newestKey(visit, target, "origin"), () => true))?.record),
  ]);
  const likely = newest?.origin?.isDigest === true && newest.at > (own?.at ?? 0) ? newest : own;
  return likely?.origin && { rendering: likely, etag: likely.origin.etag };
}

/** Brings in what other isolates of the colo know of what this asker was told. */
export async function findToldElsewhere(visit: ListVisit): Promise<void> {
  const { standings, renderings, now, config } = visit.isolate.ports;
  const isUsable = ({ at }: Standing) => isAlive(at, now(), config.limits.GRANT_S * 1000);
  const standing = (await standings.find(standingKey(visit, visit.target), isUsable))?.record;
  if (standing === undefined) return;
  const isFresh = (rendering: Rendering) =>
    judge(rendering.at, now(), listLifetime(visit, rendering)) === "fresh";
  await renderings.find(renderingKey(visit, visit.target, standing.tag), isFresh);
}

async function findAt(visit: ListVisit, standing: Standing | undefined): Promise<Rendering | undefined> {
  if (standing === undefined) return undefined;
  const { renderings } = visit.isolate.ports;
  return (await renderings.find(renderingKey(visit, visit.target, standing.tag), () => true))?.record;
}

/**
 * Remembers what an asker was told of a list, at `at`. Gives the visit under which it is remembered: the one by the project's
 * number, where it was asked for by path and the answer tells the number, and so that this asker may read that very project.
 */
export async function rememberTold(
  asking: ListVisit,
  condition: Condition | undefined,
  list: ToldList,
  at: number,
): Promise<ListVisit> {
  const visit = keepNumber(asking, list, at);
  const rendering = await renderingOf(visit, condition?.rendering, list, at);
  if (rendering === undefined) return asking;
  keepRendering(visit, rendering);
  keep(visit, standingKey(visit, visit.target), { at, tag: rendering.tag });
  keep(visit, newestKey(visit, visit.target, "origin"), { at, tag: rendering.tag });
  return visit;
}

/** The visit by the project's number, where a list tells it; it is remembered what the path stands for. */
function keepNumber(asking: ListVisit, list: ToldList, at: number): ListVisit {
  const number = list.kind === "list" && !isByNumber(asking.target) ? list.projectNumber : undefined;
  if (number === undefined) return asking;
  keep(asking, numberKey(asking, asking.target), { at, tag: number });
  return numbered(asking, number);
}

/** Remembers a list that was made of the database: everyone who may read lists is told the same. */
export async function rememberMade(asking: ListVisit, list: ToldList, at: number): Promise<void> {
  const visit = keepNumber(asking, list, at);
  const rendering = await renderingOf(visit, undefined, list, at);
  if (rendering === undefined) return;
  keepRendering(visit, rendering);
  keep(visit, newestKey(visit, visit.target, "database"), { at, tag: rendering.tag });
}

/** The rendering that an answer is; `undefined` where it is said to be one that is not known in full. */
async function renderingOf(
  visit: ListVisit,
  known: Rendering | undefined,
  list: ToldList,
  at: number,
): Promise<Rendering | undefined> {
  const { codec, hot, blocks } = visit.isolate.ports;
  if (list.kind === "same") {
    const headers = known && headersAfter(known.headers, list.headers);
    if (known === undefined) return undefined;
    if (headers === undefined) {
      keepRendering(visit, { ...known, origin: undefined }); // it is asked for without a condition from now on
      return undefined;
    }
    return { ...known, at, tag: await tagOf(visit, known.identity, headers), headers };
  }
  const { bytes, origin, isFinished } = list;
  const headers = headersByNumber(visit, list.headers);
  const identity = await codec.sha256(bytes);
  const size = bytes.byteLength;
  const tag = await tagOf(visit, identity, headers);
  const rendering: Rendering = { at, tag, identity, size, headers, origin, isFinished };
  const key = bodyKey(visit, entryOf(rendering));
  if (hot.get(key) !== undefined) return rendering; // the same bytes, under other header fields or at another time
  hot.set(key, bytes);
  const stored = blocks.write(key, bytes);
  if (hot.get(key) === undefined) await stored; // memory has no room for it
  else visit.defer(stored);
  return rendering;
}

/** Header fields are part of it: two who are told other totals are not told the same. */
async function tagOf(visit: ListVisit, identity: string, headers: Rendering["headers"]): Promise<string> {
  const digest = await visit.isolate.ports.codec.sha256(new TextEncoder().encode(JSON.stringify(headers)));
  return `${identity.slice(0, 32)}-${digest.slice(0, 16)}`;
}

function keepRendering(visit: ListVisit, rendering: Rendering): void {
  const { renderings, config } = visit.isolate.ports;
  const coloS = listLifetime(visit, rendering).hard / 1000 + config.limits.STALE_IF_ERROR_S + 1;
  visit.defer(renderings.put(renderingKey(visit, visit.target, rendering.tag), rendering, { coloS }));
}

function keep(visit: ListVisit, key: string, standing: Standing): void {
  const { standings, config } = visit.isolate.ports;
  const before = standings.hot(key);
  if (before !== undefined && before.at > standing.at) return;
  const isNews = before?.tag !== standing.tag || isWorthWriting(before.at, standing.at);
  if (!isNews) standings.hold(key, standing);
  else visit.defer(standings.put(key, standing, { coloS: config.limits.GRANT_S + config.limits.REF_S }));
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
