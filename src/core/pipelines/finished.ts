import { parseJson } from "../parse-json.ts";
import type { PipelinesResource } from "../target.ts";

/** States that nothing but a person, or a request of theirs, leads out of (GitLab: `Ci::HasStatus::COMPLETED_STATUSES`). */
const FINISHED: ReadonlySet<unknown> = new Set(["success", "failed", "canceled", "skipped"]);

/**
 * Whether what GitLab says of a pipeline, or of its jobs, changes from now on only by somebody's doing. Jobs that are
 * all done are not enough: by a filter or on a page there may come others, or a retry, while their pipeline runs.
 */
export function isFinished(resource: PipelinesResource, text: string): boolean {
  if (resource.kind !== "pipeline" && resource.kind !== "jobs") return false;
  const rendering = parseJson(text);
  if (resource.kind === "pipeline") return isDone(rendering);
  return (
    Array.isArray(rendering) &&
    rendering.length > 0 &&
    rendering.every((job: unknown) => isDone(job) && isDone(member(job, "pipeline")))
  );
}

/** The number of the one project that an answer of GitLab's is about, where it says so in every item. */
export function projectNumber(text: string): string | undefined {
  const rendering = parseJson(text);
  const items: readonly unknown[] = Array.isArray(rendering) ? rendering : [rendering];
  const numbers = new Set(items.map(projectOf));
  const [number] = numbers;
  return numbers.size === 1 ? number : undefined;
}

/** A pipeline tells it itself, a job by its pipeline. */
function projectOf(item: unknown): string | undefined {
  const number = member(item, "project_id") ?? member(member(item, "pipeline"), "project_id");
  return Number.isSafeInteger(number) && Number(number) > 0 ? String(number) : undefined;
}

function isDone(item: unknown): boolean {
  return FINISHED.has(member(item, "status"));
}

function member(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
