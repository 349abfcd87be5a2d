import { Failure, problemStatus, type ProblemName } from "../core/problem.ts";
import { targetText } from "../core/target-text.ts";
import { laneOf } from "./lane-of.ts";
import type { Visit } from "./visit.ts";

/** The origin's client tells of these itself, and with what was asked of the origin. */
const TOLD_BY_THE_CLIENT: ReadonlySet<ProblemName> = new Set(["origin_unreachable", "origin_timeout"]);

/** Tells of a failure that is not the client's own. */
export function noteTrouble({ isolate, site, target }: Visit, error: unknown): void {
  const problem = error instanceof Failure ? error.problem : "internal";
  if (problemStatus(problem) < 500 || TOLD_BY_THE_CLIENT.has(problem)) return;
  const { telemetry, now } = isolate.ports;
  const path = targetText(target);
  telemetry.trouble({ host: site.host, lane: laneOf(target), problem, path, at: now() });
}
