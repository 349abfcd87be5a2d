import type { PathAnswer } from "./request-path.ts";
import { PASS, type Route } from "./target.ts";

/** Turns the reading of a path into a route: hostile paths are refused, odd ones are the origin's to read. */
export function claimPath(answer: PathAnswer, read: (segments: readonly string[]) => Route): Route {
  if (answer.kind === "hostile") return { kind: "refused", problem: "bad_path" };
  if (answer.kind === "odd") return PASS;
  return read(answer.path.decoded);
}
