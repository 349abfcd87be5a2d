import { runTool } from "../measuring/command.ts";

export type Reading = {
  readonly url: string;
  /** How long the file is: any other length is an error. */
  readonly bytes: number;
  /** How often it is read, one after the other on one connection. */
  readonly times: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
};

const MOST_S = 120;

/** Bytes a second at which one client reads a file that it throws away, from asking to the last byte. */
export async function readSpeed({ url, bytes, times, headers = {}, signal }: Reading): Promise<number> {
  const targets = Array.from({ length: times }, () => ["-o", "/dev/null", url]).flat();
  const format = "%{http_code} %{size_download} %{time_total}\\n";
  const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
  const limits = ["-sS", "--fail", "--max-time", String(MOST_S), "--http1.1"];
  const args = [...limits, ...fields, "-w", format, ...targets];
  const { stdout } = await runTool("curl", args, { signal, seconds: MOST_S });
  const reads = stdout
    .trim()
    .split("\n")
    .map((line) => line.split(" ").map(Number));
  if (reads.length !== times || reads.some(([status, size]) => status !== 200 || size !== bytes)) {
    throw new Error(`Not every read of ${url} gave 200 with ${bytes} bytes\n${stdout}`);
  }
  const seconds = reads.reduce((sum, [, , time]) => sum + (time ?? Number.NaN), 0);
  return (bytes * times) / seconds;
}
