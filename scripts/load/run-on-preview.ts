import { hasCacheApi } from "./edge-kind.ts";
import { FULL, SHORT } from "./lengths.ts";
import { runAndSay, type Outcome, type Run } from "./outcome.ts";
import type { PreviewPlan } from "./plan.ts";
import { readPreview, targetsOf, type Preview } from "./preview-plan.ts";
import { UsageError } from "./request.ts";
import { previewThresholds } from "./thresholds.ts";

const CLIENTS = 8;
/** Across the internet, and behind an origin of any speed. */
const P95_MS = 3000;

/** Runs scenarios on an edge that runs elsewhere, of which nothing can be changed. */
export async function runOnPreview(
  run: Run & { readonly environment: Readonly<Record<string, string | undefined>> },
): Promise<Outcome[]> {
  const { request, environment, say, signal } = run;
  const answer = readPreview(environment);
  if (answer.kind === "faults") throw new UsageError(answer.faults.join("\n"));
  const { preview } = answer;
  for (const line of remarks(preview)) say(line);
  const outcomes: Outcome[] = [];
  for (const scenario of request.scenarios) {
    signal.throwIfAborted();
    const targets = targetsOf(preview, scenario);
    if (targets.length === 0) {
      say(`${scenario} is skipped: LOAD_TARGETS has nothing of it`);
      continue;
    }
    const plan: PreviewPlan = {
      kind: "preview",
      seconds: request.seconds ?? (request.isShort ? SHORT : FULL).laneS,
      clients: CLIENTS,
      targets,
      askers: preview.askers,
      storeAskers: preview.storeAskers,
      thresholds: previewThresholds({
        p95Ms: P95_MS,
        // A list is kept with its revision: lists alone have no bodies that could be hit
        hasBodies: hasCacheApi(preview.base) && targets.some(({ lane }) => lane !== "pipelines"),
      }),
    };
    outcomes.push(await runAndSay(run, { scenario, file: "preview", plan }));
  }
  if (outcomes.length === 0) throw new UsageError("LOAD_TARGETS has nothing of what was asked for");
  return outcomes;
}

/** What this run cannot judge, and why. */
export function remarks({ base, targets }: Pick<Preview, "base" | "targets">): string[] {
  const lines = [
    `${base}: nothing is pushed and no right is withdrawn, as nothing there can be changed from here`,
  ];
  if (!hasCacheApi(base))
    lines.push("On workers.dev the Cache API does nothing: hits of bodies are shown, but not judged");
  if (!targets.some(({ isPrivate }) => isPrivate))
    lines.push("LOAD_TARGETS names nothing private: whether anything leaks is not seen");
  return lines;
}
