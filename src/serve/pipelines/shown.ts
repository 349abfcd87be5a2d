import { judge, type Lifetime } from "../../core/freshness.ts";
import { furthest, type Rendering } from "../../core/pipelines/rendering.ts";
import { grantLifetime } from "../admit.ts";
import { changesOf, listChangedAt } from "../changes.ts";
import { newestKey, renderingKey, standingKey } from "../keys.ts";
import type { ListVisit } from "./list-visit.ts";

/** A rendering that the asker may be shown, and how it stands with it. */
export type Shown = {
  readonly rendering: Rendering;
  /**
   * `ageing`: to be asked for again behind the response. `stale`: only while somebody is asking already.
   * `tolerable`: only where the origin cannot say. `over`: it is known to be another one now.
   */
  readonly state: "fresh" | "ageing" | "stale" | "tolerable" | "over";
};

/** Of a list's life, the part after which a hit renews it behind the response. */
const REFRESH_SHARE = 0.6;

/** What memory holds for the asker, who has been told of it or of one it followed; nothing without that. */
export function shownHot(visit: ListVisit): Shown | undefined {
  const { ports } = visit.isolate;
  const { target } = visit;
  const standing = ports.standings.hot(standingKey(visit, target));
  if (standing === undefined) return undefined;
  const isNow = standing.at >= visit.trace.startedAt; // told for this very request
  const life = grantLifetime(visit, { at: standing.at, kind: "yes" });
  const told = isNow ? "fresh" : judge(standing.at, ports.now(), life);
  if (told === "expired" || isOver(visit, standing.at)) return undefined;
  const found = furthest(standing.tag, (tag) => ports.renderings.hot(renderingKey(visit, target, tag)));
  if (found === undefined) return undefined;
  const { rendering, isLast } = found;
  const state = stateOf(visit, rendering);
  const isAgeing = state === "fresh" && (told === "ageing" || !isLast);
  return { rendering, state: isAgeing ? "ageing" : state };
}

/** The same of what was made of the database, which tells all who may read the same. */
export function shownOfDatabase(visit: ListVisit): Shown | undefined {
  const { ports } = visit.isolate;
  const newest = ports.standings.hot(newestKey(visit, visit.target, "database"));
  const rendering = newest && ports.renderings.hot(renderingKey(visit, visit.target, newest.tag));
  return rendering && { rendering, state: stateOf(visit, rendering) };
}

/** Whether the project's name may stand for another one since. */
function isOver(visit: ListVisit, at: number): boolean {
  return at <= (changesOf(visit)?.accessAt ?? 0);
}

function stateOf(visit: ListVisit, rendering: Rendering): Shown["state"] {
  const { now, config } = visit.isolate.ports;
  const { STALE_IF_ERROR_S, ORIGIN_TIMEOUT_S } = config.limits;
  if (rendering.at >= visit.trace.startedAt) return "fresh"; // told for this very request
  if (rendering.at <= listChangedAt(changesOf(visit), visit.target) || isOver(visit, rendering.at))
    return "over";
  const life = listLifetime(visit, rendering);
  const { hard } = life;
  const freshness = judge(rendering.at, now(), life);
  if (freshness !== "expired") return freshness;
  const age = now() - rendering.at;
  if (age < 0 || age >= hard + STALE_IF_ERROR_S * 1000) return "over";
  return age < hard + ORIGIN_TIMEOUT_S * 1000 ? "stale" : "tolerable";
}

/** How long a rendering is believed. */
export function listLifetime(visit: ListVisit, { isFinished }: Rendering): Lifetime {
  const { PIPELINES_FRESH_S, PIPELINES_FINISHED_S } = visit.isolate.ports.config.limits;
  const seconds = isFinished ? Math.max(PIPELINES_FINISHED_S, PIPELINES_FRESH_S) : PIPELINES_FRESH_S;
  return { soft: seconds * 1000 * REFRESH_SHARE, hard: seconds * 1000 };
}
