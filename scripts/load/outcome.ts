import { runScenario, type Metrics } from "./k6-run.ts";
import type { LoadPlan, PreviewPlan } from "./plan.ts";
import type { LoadRequest } from "./request.ts";
import { figuresRow, heldThresholds, type Held } from "./summary.ts";

/** What everything that runs scenarios is given. */
export type Run = {
  readonly k6: string;
  readonly request: LoadRequest;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
};

/** What one scenario showed. */
export type Outcome = {
  readonly scenario: string;
  readonly figures: readonly string[];
  readonly thresholds: readonly Held[];
  readonly holds: boolean;
  readonly metrics: Metrics;
};

const SHOWN = 10;

type Loaded = {
  readonly scenario: string;
  /** The name of a file in `test/k6`. */
  readonly file: string;
  readonly plan: LoadPlan | PreviewPlan;
  /** Questions that reached the origins since the last time, where anybody can tell. */
  readonly originQuestions?: () => number;
};

/** Runs a scenario and says which of its thresholds hold. */
export async function runAndSay({ k6, say, signal }: Run, loaded: Loaded): Promise<Outcome> {
  const { scenario, file, plan, originQuestions } = loaded;
  originQuestions?.();
  const { metrics, holds, findings, faults } = await runScenario(k6, { name: file, plan }, signal);
  const thresholds = heldThresholds(metrics, plan.thresholds);
  const figures = figuresRow(scenario, metrics, {
    seconds: plan.seconds,
    originQuestions: originQuestions?.(),
  });
  say(`${scenario}, ${plan.seconds} s`);
  for (const { metric, expression, value, isOk } of thresholds)
    say(`  ${isOk ? "ok    " : "missed"} ${metric} ${expression} (${value})`);
  sayAll(say, findings);
  sayAll(say, faults);
  const areHeld = thresholds.every(({ isOk }) => isOk);
  return { scenario, figures, thresholds, holds: holds && areHeld && faults.size === 0, metrics };
}

function sayAll(say: Run["say"], messages: ReadonlyMap<string, number>): void {
  for (const [message, count] of [...messages].slice(0, SHOWN))
    say(`  ! ${message.trim()}${count > 1 ? ` (${count} times)` : ""}`);
  if (messages.size > SHOWN) say(`  ! and ${messages.size - SHOWN} more`);
}
