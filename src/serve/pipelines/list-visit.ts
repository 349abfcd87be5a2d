import type { Question } from "../../core/question.ts";
import type { PipelinesTarget } from "../../core/target.ts";
import type { Visit } from "../visit.ts";

/** A visit for a list of pipelines. */
export type ListVisit = Visit & {
  readonly target: PipelinesTarget;
  /** The target as its URL spells it, where the project is looked up by its number instead. */
  readonly asked?: PipelinesTarget;
};

export function isListVisit(visit: Visit): visit is ListVisit {
  return visit.target.lane === "pipelines";
}

/** Asks for the list itself. */
export const POLL: Question = { via: "poll", isInFull: false };

/** The same without a condition, where what is known has been lost. */
export const POLL_IN_FULL: Question = { via: "poll", isInFull: true };

/** Asks only whether one may read, where the list is made of the database. */
export const MAY: Question = { via: "may" };
