import { runTool } from "../measuring/command.ts";

export type AbLoad = {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requests: number;
  readonly concurrency: number;
  readonly signal: AbortSignal;
};

export type AbResult = {
  readonly requestsPerS: number;
  readonly requests: number;
  /** Answers that were not as long as the first, or broke off. */
  readonly failed: number;
  /** Answers of another status than 200 to 299. */
  readonly refused: number;
  readonly bodyBytes: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
};

const MOST_S = 300;
const TIMEOUT_S = 30;

/** Asks a URL so many times, on a connection each; anything but the same length with 200 is an error. */
export async function runAb({ url, headers, requests, concurrency, signal }: AbLoad): Promise<AbResult> {
  const headerArgs = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const counts = ["-n", String(requests), "-c", String(concurrency)];
  const args = ["-q", ...counts, "-s", String(TIMEOUT_S), ...headerArgs, url];
  const { stdout } = await runTool("ab", args, { signal, seconds: MOST_S });
  const result = parseAb(stdout);
  if (result.failed > 0 || result.refused > 0 || result.requests !== requests)
    throw new Error(`Not every answer of ${url} was the same, and 200\n${stdout}`);
  return result;
}

/** Reads what ab 2.3 prints. */
export function parseAb(output: string): AbResult {
  const field = (pattern: RegExp) => {
    const value = pattern.exec(output)?.[1];
    if (value === undefined) throw new Error(`Cannot read what ab says\n${output}`);
    return Number(value);
  };
  return {
    requestsPerS: field(/^Requests per second:\s+([\d.]+)/m),
    requests: field(/^Complete requests:\s+(\d+)/m),
    failed: field(/^Failed requests:\s+(\d+)/m),
    // ab says nothing of none
    refused: Number(/^Non-2xx responses:\s+(\d+)/m.exec(output)?.[1] ?? 0),
    bodyBytes: field(/^Document Length:\s+(\d+)/m),
    p50Ms: field(/^\s+50%\s+(\d+)/m),
    p99Ms: field(/^\s+99%\s+(\d+)/m),
  };
}
