import type { Lifetime } from "../../core/freshness.ts";
import type { Rendering } from "../../core/pipelines/rendering.ts";
import type { ListVisit } from "./list-visit.ts";

/** Of a list's life, the part after which a hit renews it behind the response. */
export const REFRESH_SHARE = 0.6;

/** How long a rendering is believed. */
export function listLifetime(visit: ListVisit, { isFinished }: Pick<Rendering, "isFinished">): Lifetime {
  const { PIPELINES_FRESH_S, PIPELINES_FINISHED_S } = visit.isolate.ports.config.limits;
  const seconds = isFinished ? Math.max(PIPELINES_FINISHED_S, PIPELINES_FRESH_S) : PIPELINES_FRESH_S;
  return { soft: seconds * 1000 * REFRESH_SHARE, hard: seconds * 1000 };
}
