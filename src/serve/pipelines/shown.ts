import { judge } from "../../core/freshness.ts";
import type { Rendering, Standing } from "../../core/pipelines/rendering.ts";
import { grantLifetime } from "../grant-life.ts";
import { changesOf, listChangedAt } from "../changes.ts";
import { newestKey, renderingKey, standingKey } from "../keys.ts";
import { listLifetime } from "./list-lifetime.ts";
import type { ListVisit } from "./list-visit.ts";

/** A rendering that the asker may be shown, and how it stands with it. */
export type Shown = {
  readonly rendering: Rendering;
  /**
   * `ageing`, `doubtful`: to be asked for again behind the response; a doubtful one by this very asker, as another was told
   * something else since. `stale`: only while somebody is asking already. `tolerable`: only where the origin cannot say.
   * `over`: it is known to be another one now.
   */
  readonly state: "fresh" | "ageing" | "doubtful" | "stale" | "tolerable" | "over";
};

/** What memory holds for the asker, who was told of it not long ago; nothing without that. */
export function shownHot(visit: ListVisit): Shown | undefined {
  const { ports } = visit.isolate;
  const { target } = visit;
  const standing = ports.standings.hot(standingKey(visit, target));
  if (standing === undefined || isOver(visit, standing.at)) return undefined;
  const isNow = standing.at >= visit.trace.startedAt; // told for this very request
  const life = grantLifetime(visit, { at: standing.at, kind: "yes" });
  const told = isNow ? "fresh" : judge(standing.at, ports.now(), life);
  const rendering = ports.renderings.hot(renderingKey(visit, target, standing.tag));
  if (told === "expired" || rendering === undefined) return undefined;
  const state = stateOf(visit, rendering);
  if (state !== "fresh" && state !== "ageing") return { rendering, state };
  if (told === "ageing" || isDoubtful(visit, standing, rendering)) return { rendering, state: "doubtful" };
  return { rendering, state };
}

/** The same of what was made of the database, which tells all who may read the same. */
export function shownOfDatabase(visit: ListVisit): Shown | undefined {
  const { ports } = visit.isolate;
  const newest = ports.standings.hot(newestKey(visit, visit.target, "database"));
  const rendering = newest && ports.renderings.hot(renderingKey(visit, visit.target, newest.tag));
  return rendering && { rendering, state: stateOf(visit, rendering) };
}

/** Whether an asker was told another rendering since this one was last told. */
export function isSuperseded(visit: ListVisit, { tag, at }: Rendering): boolean {
  const newest = visit.isolate.ports.standings.hot(newestKey(visit, visit.target, "origin"));
  return newest !== undefined && newest.tag !== tag && newest.at > at;
}

/** Whether what the asker was told is in doubt; asked no more often than a list that is nobody else's would be. */
function isDoubtful(visit: ListVisit, { at }: Standing, rendering: Rendering): boolean {
  if (!isSuperseded(visit, rendering)) return false;
  const { now } = visit.isolate.ports;
  return judge(at, now(), listLifetime(visit, { isFinished: false })) !== "fresh";
}

/** Whether the project's name may stand for another one since. */
function isOver(visit: ListVisit, at: number): boolean {
  return at <= (changesOf(visit)?.accessAt ?? 0);
}

function stateOf(
  visit: ListVisit,
  rendering: Rendering,
): "fresh" | "ageing" | "stale" | "tolerable" | "over" {
  const { now, config } = visit.isolate.ports;
  const { STALE_IF_ERROR_S, ORIGIN_TIMEOUT_S } = config.limits;
  if (rendering.at >= visit.trace.startedAt) return "fresh"; // told for this very request
  if (rendering.at <= listChangedAt(changesOf(visit), visit.target) || isOver(visit, rendering.at))
    return "over";
  const life = listLifetime(visit, rendering);
  const freshness = judge(rendering.at, now(), life);
  if (freshness !== "expired") return freshness;
  const age = now() - rendering.at;
  if (age < 0 || age >= life.hard + STALE_IF_ERROR_S * 1000) return "over";
  return age < life.hard + ORIGIN_TIMEOUT_S * 1000 ? "stale" : "tolerable";
}
