import { judge, type Lifetime } from "../../core/freshness.ts";
import { projectSpelledAs } from "../../core/pipelines/spelled.ts";
import type { Standing } from "../../core/pipelines/rendering.ts";
import type { PipelinesTarget } from "../../core/target.ts";
import { ask } from "../ask.ts";
import { changesOf } from "../changes.ts";
import { numberKey } from "../keys.ts";
import { shareWork } from "../shared-work.ts";
import type { Visit } from "../visit.ts";
import { POLL, isListVisit, type ListVisit } from "./list-visit.ts";

/*
 * A project has a path and a number. Once an answer told the number of a path, requests by either are for one list.
 * The number is what a name stands for, and so a revision: it is believed as long as a branch is, and renewed behind a response.
 */

/** Targets by number, made once for each target by path, as their keys are remembered with them. */
const numbered = new WeakMap<PipelinesTarget, PipelinesTarget>();

/** Of the life of a number, the part after which a hit renews it behind the response. */
const REFRESH_SHARE = 2 / 3;

/** The visit as one for the project's number, where memory knows it. */
export function byNumber(visit: Visit): Visit {
  if (!isListVisit(visit) || isNumber(visit.target)) return visit;
  const { ports, asked } = visit.isolate;
  const key = numberKey(visit, visit.target);
  const known = ports.standings.hot(key);
  if (known === undefined || known.at <= (changesOf(visit)?.accessAt ?? 0)) return visit;
  const state = judge(known.at, ports.now(), numberLifetime(visit));
  if (state === "expired") return visit;
  if (state === "ageing") shareWork(visit, asked, `number ${key}`, () => ask(visit, POLL));
  const found: ListVisit = { ...visit, target: withNumber(visit.target, known), asked: visit.target };
  return found;
}

/** The same, where other isolates of the colo may know it. */
export async function findByNumber(visit: ListVisit): Promise<ListVisit> {
  if (visit.asked !== undefined || isNumber(visit.target)) return visit;
  await visit.isolate.ports.standings.find(numberKey(visit, visit.target), () => false);
  const found = byNumber(visit);
  return isListVisit(found) ? found : visit;
}

export function numberLifetime({ isolate }: Visit): Lifetime {
  const hard = isolate.ports.config.limits.REF_S * 1000;
  return { soft: hard * REFRESH_SHARE, hard };
}

function isNumber({ project }: PipelinesTarget): boolean {
  return /^\d+$/.test(project);
}

function withNumber(target: PipelinesTarget, { tag: project }: Standing): PipelinesTarget {
  const known = numbered.get(target);
  if (known?.project === project) return known;
  const made = { ...target, project };
  numbered.set(target, made);
  return made;
}

/** The URLs of a list's `Link` name the project as it was asked for. */
export function spellAsAsked({ asked, target }: ListVisit, headers: Headers): void {
  const link = headers.get("link");
  if (asked !== undefined && link !== null)
    headers.set("Link", projectSpelledAs(link, target.project, asked.project));
}
