import { join } from "node:path";
import { findProgram, isExecutable } from "../servers/programs.ts";
import { runTool } from "../measuring/command.ts";

/** A file on the branch `main` of a project. */
export type K6File = {
  readonly project: string;
  readonly path: string;
  /** How long the body of a right answer is. */
  readonly bytes: number;
  readonly headers: Readonly<Record<string, string>>;
  /** For git, which takes other credentials. */
  readonly gitHeaders: Readonly<Record<string, string>>;
};

/** What `k6/branch-files.js` does. */
export type K6Plan = {
  readonly base: string;
  /** Read in turn. */
  readonly files: readonly K6File[];
  /** Requests a second, sent whether or not those before were answered. */
  readonly rate: number;
  readonly seconds: number;
  /** How many requests may be under way at once: beyond that, none is sent. */
  readonly clients: number;
  readonly timeoutS: number;
  /** Whether git is asked for the branch before each read. */
  readonly resolves: boolean;
};

export type K6Result = {
  readonly sent: number;
  /** Of those sent, how many were not answered as they should. */
  readonly failed: number;
  /** How many were not sent, as all clients still waited. */
  readonly dropped: number;
  readonly meanMs: number;
  readonly p50Ms: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
};

const SCRIPT = join(import.meta.dirname, "k6", "branch-files.js");
const GRACE_S = 30;

/** Where k6 is: on the search path, or where `go install` puts it. */
export async function findK6(signal: AbortSignal): Promise<string | undefined> {
  const installed = await findProgram("k6");
  if (installed !== undefined) return installed;
  const go = await runTool("go", ["env", "GOPATH"], { signal, seconds: 10 }).catch(() => undefined);
  if (go === undefined) return undefined;
  const built = join(go.stdout.trim(), "bin", "k6");
  return (await isExecutable(built)) ? built : undefined;
}

/** Runs the plan to its end; answers that are not as they should be are counted, not thrown. */
export async function runK6(k6: string, plan: K6Plan, signal: AbortSignal): Promise<K6Result> {
  const quiet = ["--quiet", "--no-usage-report", "--no-color", "--log-output=none", "--address="];
  const args = ["run", ...quiet, "-e", `PLAN=${JSON.stringify(plan)}`, SCRIPT];
  const seconds = plan.seconds + 2 * plan.timeoutS + GRACE_S;
  const { stdout } = await runTool(k6, args, { signal, seconds });
  return parseK6(stdout);
}

type Summary = {
  readonly took?: Readonly<Record<"avg" | "med" | "p(95)" | "p(99)" | "max" | "count", number>>;
  readonly failed: number;
  readonly dropped: number;
};

/** Reads what the script prints at its end. */
export function parseK6(output: string): K6Result {
  const { took, failed, dropped } = parseSummary(output);
  return {
    sent: took?.count ?? 0,
    failed,
    dropped,
    meanMs: took?.avg ?? Number.NaN,
    p50Ms: took?.med ?? Number.NaN,
    p95Ms: took?.["p(95)"] ?? Number.NaN,
    p99Ms: took?.["p(99)"] ?? Number.NaN,
    maxMs: took?.max ?? Number.NaN,
  };
}

function parseSummary(output: string): Summary {
  try {
    return JSON.parse(output) as Summary;
  } catch (cause) {
    throw new Error(`Cannot read what k6 says\n${output}`, { cause });
  }
}

/** Which share of what was to be sent was not answered as it should, or not sent. */
export function failedShare({ sent, failed, dropped }: K6Result): number {
  return (failed + dropped) / (sent + dropped);
}
