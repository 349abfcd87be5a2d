import { runTool } from "../measuring/command.ts";

export type Load = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly seconds: number;
  /** How long the body of every right answer is: shorter ones were something else. */
  readonly bodyBytes: number;
  readonly signal: AbortSignal;
  /** A Lua script that says what is sent, and what it is told. */
  readonly script?: { readonly path: string; readonly args: readonly string[] };
};

export type LoadResult = {
  readonly requestsPerS: number;
  readonly requests: number;
  /** Of whole answers, heads and all; to three digits. */
  readonly bytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Answers of 400 and above. */
  readonly refused: number;
  /** Connections that failed, broke, or were waited for in vain. */
  readonly broken: number;
  /** Seconds until everything was answered, where a script sends just so much. */
  readonly allAfterS: number | undefined;
};

const GRACE_S = 30;
const TIMEOUT_S = 10;
/** The share of bytes that may be missing: wrk rounds its total to three digits. */
const ROUNDING = 0.01;

/** Loads a URL from one thread; anything but whole answers of 200 is an error. */
export async function load({
  url,
  headers,
  connections,
  seconds,
  bodyBytes,
  signal,
  script,
}: Load): Promise<LoadResult> {
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const args = [
    "-t1",
    `-c${connections}`,
    `-d${seconds}s`,
    `--timeout=${TIMEOUT_S}s`,
    "--latency",
    ...headerArgs,
    ...(script === undefined ? [url] : ["-s", script.path, url, "--", ...script.args]),
  ];
  const { stdout } = await runTool("wrk", args, { signal, seconds: seconds + GRACE_S });
  const result = parseWrk(stdout);
  if (result.refused > 0 || result.broken > 0 || result.requests === 0) {
    throw new Error(`Not every answer of ${url} was 200\n${stdout}`);
  }
  // A redirect counts as success with wrk; here its want of a body gives it away.
  if (result.bytes < result.requests * bodyBytes * (1 - ROUNDING)) {
    throw new Error(`Not every answer of ${url} had its ${bodyBytes} bytes\n${stdout}`);
  }
  return result;
}

/** Reads what wrk 4 prints with `--latency`. */
export function parseWrk(output: string): LoadResult {
  const field = (pattern: RegExp) => pattern.exec(output)?.[1];
  const total = /(\d+) requests in \S+, ([\d.]+)([KMGT]?)B read/.exec(output);
  const rate = field(/Requests\/sec:\s+([\d.]+)/);
  if (total === null || rate === undefined) throw new Error(`Cannot read what wrk says\n${output}`);
  const allAfter = field(/All answered after: ([\d.]+) s/);
  const errors =
    /Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)/.exec(output)?.slice(1) ?? [];
  return {
    requestsPerS: Number(rate),
    requests: Number(total[1]),
    bytes: Number(total[2]) * 1024 ** UNITS.indexOf(total[3] ?? ""),
    p50Ms: milliseconds(field(/ 50%\s+(\S+)/)),
    p99Ms: milliseconds(field(/ 99%\s+(\S+)/)),
    refused: Number(field(/Non-2xx or 3xx responses: (\d+)/) ?? 0),
    broken: errors.reduce((sum, count) => sum + Number(count), 0),
    allAfterS: allAfter === undefined ? undefined : Number(allAfter),
  };
}

const UNITS = ["", "K", "M", "G", "T"];
const UNIT_MS: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function milliseconds(text: string | undefined): number {
  const [, value, unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text ?? "") ?? [];
  return value === undefined || unit === undefined
    ? Number.NaN
    : Number(value) * (UNIT_MS[unit] ?? Number.NaN);
}
