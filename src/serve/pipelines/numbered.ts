import { isProjectNumber } from "../../core/project-number.ts";
import type { HeaderFields } from "../../core/header-fields.ts";
import { projectSpelledAs } from "../../core/pipelines/spelled.ts";
import type { PipelinesTarget } from "../../core/target.ts";
import type { ListVisit } from "./list-visit.ts";

/** Targets by number, made once for each target by path, as their keys are remembered with them. */
const made = new WeakMap<PipelinesTarget, PipelinesTarget>();

/** A visit by a project's path as one by its number. */
export function numbered(visit: ListVisit, number: string): ListVisit {
  const { target } = visit;
  const known = made.get(target);
  const found = known?.project === number ? known : { ...target, project: number };
  made.set(target, found);
  return { ...visit, target: found, asked: target };
}

export function isByNumber({ project }: PipelinesTarget): boolean {
  return isProjectNumber(project);
}

/** Header fields as they are kept: the URLs of `Link` name the project by its number. */
export function headersByNumber({ asked, target }: ListVisit, headers: HeaderFields): HeaderFields {
  if (asked === undefined) return headers;
  return headers.map(([name, value]) => [
    name,
    name === "link" ? projectSpelledAs(value, asked.project, target.project) : value,
  ]);
}

/** And as they are sent: as it was asked for. */
export function spellAsAsked({ asked, target }: ListVisit, headers: Headers): void {
  const link = headers.get("link");
  if (asked !== undefined && link !== null)
    headers.set("Link", projectSpelledAs(link, target.project, asked.project));
}
