import { judge, type Lifetime } from "../../core/freshness.ts";
import { ask } from "../ask.ts";
import { changesOf } from "../changes.ts";
import { numberKey } from "../keys.ts";
import { ofLength } from "../../core/freshness.ts";
import { shareWork } from "../shared-work.ts";
import type { Visit } from "../visit.ts";
import { POLL, type ListVisit } from "./list-visit.ts";
import { isByNumber, numbered } from "./numbered.ts";

/*
 * A project has a path and a number. Once an answer told the number of a path, requests by either are for one list.
 * The number is what a name stands for, and so a revision: it is believed as long as a branch is, and renewed behind a response.
 */

/** The visit as one for the project's number, where memory knows it. */
export function byNumber(visit: ListVisit): ListVisit {
  if (visit.asked !== undefined || isByNumber(visit.target)) return visit;
  const { ports, asked } = visit.isolate;
  const key = numberKey(visit, visit.target);
  const known = ports.standings.hot(key);
  if (known === undefined || known.at <= (changesOf(visit)?.accessAt ?? 0)) return visit;
  const state = judge(known.at, ports.now(), numberLifetime(visit));
  if (state === "expired") return visit;
  if (state === "ageing") shareWork(visit, asked, `number ${key}`, () => ask(visit, POLL));
  return numbered(visit, known.tag);
}

/** The same, where other isolates of the colo may know it. */
export async function findByNumber(visit: ListVisit): Promise<ListVisit> {
  if (visit.asked !== undefined || isByNumber(visit.target)) return visit;
  await visit.isolate.ports.standings.find(numberKey(visit, visit.target), () => false);
  return byNumber(visit);
}

export function numberLifetime({ isolate }: Visit): Lifetime {
  return ofLength(isolate.ports.config.limits.REF_S);
}
