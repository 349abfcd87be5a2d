import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { TOOL_ENVIRONMENT } from "../measuring/command.ts";
import { ROOT } from "../bundle.ts";
import type { LoadPlan, PreviewPlan } from "./plan.ts";

/** A metric of k6, and which of its thresholds hold. */
export type Metric = {
  readonly type: string;
  readonly values: Readonly<Record<string, number>>;
  readonly thresholds?: Readonly<Record<string, { readonly ok: boolean }>>;
};

export type Metrics = Readonly<Record<string, Metric>>;

export type K6Run = {
  readonly metrics: Metrics;
  /** Whether k6 itself says that all thresholds hold. */
  readonly holds: boolean;
  /** What scenarios found, and how often. */
  readonly findings: ReadonlyMap<string, number>;
  /** What went wrong with the scenario itself, or with k6. */
  readonly faults: ReadonlyMap<string, number>;
};

/** k6's exit when a threshold was missed (errext/exitcodes). */
const THRESHOLDS_MISSED = 99;
const GRACE_S = 60;
const MOST_KEPT = 200;

/** Runs one file of `test/k6`; the plan goes by the environment, where no list of processes shows its credentials. */
export async function runScenario(
  k6: string,
  { name, plan }: { readonly name: string; readonly plan: LoadPlan | PreviewPlan },
  signal: AbortSignal,
): Promise<K6Run> {
  const quiet = ["--quiet", "--no-usage-report", "--no-color", "--log-format=json", "--address="];
  const child = spawn(k6, ["run", ...quiet, join(ROOT, "test", "k6", `${name}.ts`)], {
    env: { ...TOOL_ENVIRONMENT, PLAN: JSON.stringify(plan) },
    stdio: ["ignore", "pipe", "pipe"],
    signal: AbortSignal.any([signal, AbortSignal.timeout((plan.seconds + GRACE_S) * 1000)]),
    killSignal: "SIGKILL",
  });
  let stdout = "";
  const log = createLog();
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => log.add(text));
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0 && code !== THRESHOLDS_MISSED)
    throw new Error(`k6 ended with ${code}\n${[...log.faults.keys()].join("\n")}`);
  return { metrics: readMetrics(stdout), holds: code === 0, findings: log.findings, faults: log.faults };
}

function readMetrics(stdout: string): Metrics {
  try {
    return JSON.parse(stdout) as Metrics;
  } catch (cause) {
    throw new Error(`Cannot read what k6 says\n${stdout.slice(0, 2000)}`, { cause });
  }
}

/** The errors in a log of k6 of one JSON object a line; its warnings are of clients that went away. */
function createLog() {
  const findings = new Map<string, number>();
  const faults = new Map<string, number>();
  let rest = "";

  function add(text: string): void {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") addLine(line);
  }

  function addLine(line: string): void {
    const { level, msg, source } = readLine(line);
    if (level !== "error" && level !== "fatal") return;
    if (msg.startsWith("thresholds on metrics")) return; // said by the summary
    const kept = source === "console" ? findings : faults;
    if (kept.size < MOST_KEPT || kept.has(msg)) kept.set(msg, (kept.get(msg) ?? 0) + 1);
  }

  return { findings, faults, add };
}

type Line = { readonly level: string; readonly msg: string; readonly source?: string };

function readLine(line: string): Line {
  try {
    return JSON.parse(line) as Line;
  } catch {
    return { level: "error", msg: line }; // k6 said it before it had a log
  }
}
