import { parseArgs } from "node:util";
import { SCENARIOS, type Scenario } from "./plan.ts";

export const USAGE = `Usage: npm run load -- [SCENARIO...] [--short] [--seconds N] [--json FILE]
  SCENARIO   ${SCENARIOS.join(", ")}; all of them, where none is named
  --short    grants, refs and lists that live for seconds, and runs that are as short
  --seconds  how long each scenario lasts; the mixed one never less than a withdrawn right takes to be missed
  --json     write every figure to FILE
  BASE_URL=https://... npm run load puts the load on an edge that runs elsewhere (README, "Load")`;

export class UsageError extends Error {}

/** What somebody wants to be run. */
export type LoadRequest = {
  readonly scenarios: readonly Scenario[];
  readonly isShort: boolean;
  readonly seconds: number | undefined;
  readonly json: string | undefined;
};

const MOST_SECONDS = 600;

export function readRequest(args: readonly string[]): LoadRequest {
  const { values, positionals } = parse(args);
  const unknown = positionals.find((name) => !SCENARIOS.includes(name as Scenario));
  if (unknown !== undefined) throw new UsageError(`Unknown scenario ${JSON.stringify(unknown)}`);
  return {
    scenarios: positionals.length === 0 ? SCENARIOS : SCENARIOS.filter((name) => positionals.includes(name)),
    isShort: values.short ?? false,
    seconds: values.seconds === undefined ? undefined : readSeconds(values.seconds),
    json: values.json,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { short: { type: "boolean" }, seconds: { type: "string" }, json: { type: "string" } },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function readSeconds(text: string): number {
  const seconds = Number(text);
  if (!Number.isInteger(seconds) || seconds < 1 || seconds > MOST_SECONDS)
    throw new UsageError(
      `--seconds must be a whole number from 1 to ${MOST_SECONDS}, not ${JSON.stringify(text)}`,
    );
  return seconds;
}
