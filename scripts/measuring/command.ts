import { execFile } from "node:child_process";
import { promisify } from "node:util";

export type CommandOptions = {
  readonly signal: AbortSignal;
  /** After which it is killed and fails. */
  readonly seconds: number;
};

export type Output = { readonly stdout: string; readonly stderr: string };

/** Debian keeps servers where only the administrator looks. */
export const TOOL_ENVIRONMENT = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin:/sbin` };

/** Runs a tool to its end; a bad exit is an error that carries what it said. */
export async function runTool(
  tool: string,
  args: readonly string[],
  { signal, seconds }: CommandOptions,
): Promise<Output> {
  return await promisify(execFile)(tool, args, {
    signal,
    timeout: seconds * 1000,
    killSignal: "SIGKILL",
    env: TOOL_ENVIRONMENT,
  });
}

/** What a tool says of its version, of which some write to stderr and some exit badly; `undefined` where there is no such tool. */
export async function versionOf(
  tool: string,
  flag: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  try {
    const { stdout, stderr } = await runTool(tool, [flag], { signal, seconds: 10 });
    return firstVersion(stdout + stderr);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    const { stdout = "", stderr = "" } = error as Partial<Output>;
    return firstVersion(stdout + stderr);
  }
}

function firstVersion(text: string): string {
  return /\d+\.\d+(?:\.\d+)?/.exec(text)?.[0] ?? "of unknown version";
}
