import http from "k6/http";
import { createTruth, type Change, type Right } from "../../../scripts/load/truth.ts";
import { PLAN } from "./plan.ts";

/** What this client knows of what is true: a copy that is never older than the shortest bound when an answer is judged. */
export const truth = createTruth(PLAN.bounds);

const MOST_AGE_MS = 1000;
const copy = { changes: 0, readMs: 0 };

/** Reads what was changed since, where the copy is old enough; `false` where it was not read. */
export function catchUp(mostAgeMs = MOST_AGE_MS): boolean {
  const now = Date.now();
  if (now - copy.readMs <= mostAgeMs) return false;
  const response = http.get(`${PLAN.control}/journal?from=${copy.changes}`, { responseType: "text" });
  if (response.status !== 200) throw new Error(`The journal was answered with ${response.status}`);
  const changes = JSON.parse(response.body ?? "") as Change[];
  truth.add(changes);
  copy.changes += changes.length;
  copy.readMs = now;
  return true;
}

/** Has the origins changed. */
export function control(path: string): void {
  const response = http.post(`${PLAN.control}${path}`, null, { responseType: "text" });
  if (response.status !== 200)
    throw new Error(`${path} was answered with ${response.status}: ${response.error || response.body}`);
}

/** A right that could be withdrawn. */
export function chosenRight(): Right {
  const response = http.get(`${PLAN.control}/right`, { responseType: "text" });
  if (response.status !== 200) throw new Error(`A right was answered with ${response.status}`);
  return JSON.parse(response.body ?? "") as Right;
}
