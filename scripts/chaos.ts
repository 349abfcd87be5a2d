import { randomInt } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { availableParallelism, loadavg } from "node:os";
import { inspect, parseArgs } from "node:util";
import { interruption } from "./measuring/interruption.ts";
import { bundle } from "./bundle.ts";
import { startOrigins } from "./chaos/origins.ts";
import { formatReport, type Outcome } from "./chaos/report.ts";
import { runScenario, type Scenario } from "./chaos/scenario.ts";
import { SCENARIOS } from "./chaos/scenarios.ts";
import { readTargets } from "./chaos/targets.ts";

const USAGE = `Usage: npm run chaos -- [--short] [--only NAME,..] [--seed N] [--json FILE] [--verbose]
  --short    four to five minutes in the place of eight, with fewer clients and smaller files
  --only     ${SCENARIOS.map(({ name }) => name).join(", ")}
  --seed     the chance of another run once more
  --json     write every figure to FILE
  --verbose  show what the Worker and workerd say; of broken connections that is much`;

class UsageError extends Error {}

type Request = {
  readonly scenarios: readonly Scenario[];
  readonly isShort: boolean;
  readonly seed: number;
  readonly json: string | undefined;
  readonly isVerbose: boolean;
};

/** A scenario that cannot even be broken off ends the run: what it has started is still there. */
const MOST_SCENARIO_MS = 300_000;
const MIB = 1024 * 1024;

process.env["WRANGLER_LOG"] ??= "error"; // read when it is loaded

const signal = interruption();

try {
  process.exitCode = await chaos(readRequest(process.argv.slice(2)));
} catch (error) {
  const isUsage = error instanceof UsageError;
  process.exitCode = isUsage ? 2 : 1;
  const reason = signal.aborted ? signal.reason : error;
  process.stderr.write(isUsage ? `${error.message}\n${USAGE}\n` : `${inspect(reason)}\n`); // the console is silent
}

async function chaos({ scenarios, isShort, seed, json, isVerbose }: Request): Promise<number> {
  const say = (text: string) => void process.stdout.write(`${text}\n`);
  if (!isVerbose) silenceWorkers();
  say(`seed ${seed}`);
  await using scope = new AsyncDisposableStack();
  const bundled = scope.adopt(await bundle("scripts/chaos/worker.ts"), (made) => made.remove());
  const origins = scope.adopt(await startOrigins((isShort ? 16 : 64) * MIB), (made) => made.close());
  const targets = await readTargets(origins);
  const outcomes: Outcome[] = [];
  for (const scenario of scenarios) {
    signal.throwIfAborted();
    const overdue = setTimeout(() => giveUp(scenario, outcomes), MOST_SCENARIO_MS).unref();
    const run = { origins, targets, script: bundled.script, seed, signal, isShort };
    const outcome = await runScenario(scenario, run);
    clearTimeout(overdue); // where it fails, putting all away is bounded by it as well
    outcomes.push(outcome);
    say(`${outcome.isOk ? "ok    " : "FAILED"} ${scenario.title} (${Math.round(outcome.seconds)} s)`);
    for (const text of [...outcome.notes, ...outcome.tally.complaints])
      say(text.replaceAll(/^/gm, " ".repeat(9)));
  }
  say(`\n${formatReport(outcomes)}`);
  if (json !== undefined)
    await writeFile(json, `${JSON.stringify({ seed, isShort, outcomes }, undefined, 2)}\n`);
  const failed = outcomes.filter(({ isOk }) => !isOk).map(({ name }) => name);
  if (failed.length > 0) {
    const load = (loadavg()[1] ?? 0).toFixed(1);
    say(
      `\nFailed: ${failed.join(", ")}. Once more: npm run chaos -- --seed ${seed} --only ${failed.join(",")}`,
    );
    say(
      `Where others keep the machine busy, answers are late: its load was ${load} on ${availableParallelism()} processors`,
    );
  }
  return failed.length > 0 ? 1 : 0;
}

/** Miniflare ends workerd when this process ends. */
function giveUp({ name }: Scenario, outcomes: readonly Outcome[]): never {
  process.stdout.write(`\n${formatReport(outcomes)}\n`);
  process.stderr.write(`${name} did not end within ${MOST_SCENARIO_MS / 1000} s\n`);
  process.exit(1);
}

/** Miniflare tells by these what workerd says, which has lines of its own for each response that is broken off on purpose. */
function silenceWorkers(): void {
  for (const name of ["log", "warn", "error"] as const) {
    const tell = console[name];
    console[name] = (...words: unknown[]) => {
      if (signal.aborted) tell(...words);
    };
  }
}

function readRequest(args: readonly string[]): Request {
  const { short, only, seed, json, verbose } = parse(args);
  return {
    scenarios: only === undefined ? SCENARIOS : only.split(",").map(scenarioNamed),
    isShort: short ?? false,
    seed: seed === undefined ? randomInt(2 ** 31) : readSeed(seed),
    json,
    isVerbose: verbose ?? false,
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        short: { type: "boolean" },
        only: { type: "string" },
        seed: { type: "string" },
        json: { type: "string" },
        verbose: { type: "boolean" },
      },
    }).values;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error), { cause: error });
  }
}

function scenarioNamed(name: string): Scenario {
  const found = SCENARIOS.find((each) => each.name === name.trim());
  if (found === undefined) throw new UsageError(`There is no scenario ${JSON.stringify(name)}`);
  return found;
}

function readSeed(text: string): number {
  const seed = Number(text);
  if (!Number.isInteger(seed) || seed < 0 || seed >= 2 ** 31)
    throw new UsageError(`--seed must be a whole number below 2^31, not ${JSON.stringify(text)}`);
  return seed;
}
