import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** Starts git, cut off from the configuration of the machine and of the user, and ends what is still running when closed. */
export interface Git {
  start(
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): ChildProcessWithoutNullStreams;
  /** What git wrote; a non-zero exit is an error that carries its stderr. */
  run(args: readonly string[], input?: Iterable<string | Uint8Array>): Promise<string>;
  close(): Promise<void>;
}

/** Ends a child whose output is for one answer, once that answer is over, be it because the client went away. */
export function endWithResponse(child: ChildProcessWithoutNullStreams, response: ServerResponse): void {
  const end = () => {
    child.kill();
    child.stdout.destroy();
  };
  if (response.closed) end();
  else response.once("close", end);
}

export function createGit(home: string): Git {
  const running = new Set<ChildProcessWithoutNullStreams>();
  const isolated = {
    PATH: process.env["PATH"] ?? "",
    HOME: home,
    LC_ALL: "C",
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
    GIT_TERMINAL_PROMPT: "0",
  };

  function start(args: readonly string[], environment?: Readonly<Record<string, string>>) {
    const child = spawn("git", args, { cwd: home, env: { ...isolated, ...environment } });
    running.add(child);
    child.once("exit", () => running.delete(child));
    // A child may leave before it has read everything; its exit status tells why.
    child.stdin.on("error", () => {});
    // A pipe that nobody reads would stop git once it is full of warnings.
    child.stderr.resume();
    return child;
  }

  async function run(args: readonly string[], input: Iterable<string | Uint8Array> = []) {
    const child = start(args);
    const output: Buffer[] = [];
    const faults: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => output.push(chunk));
    child.stderr.on("data", (chunk: Buffer) => faults.push(chunk));
    const closed = once(child, "close");
    // Where git stops reading, its exit status and its stderr say why.
    await pipeline(Readable.from(input), child.stdin).catch(() => {});
    const [status] = (await closed) as [number | null];
    if (status !== 0)
      throw new Error(`Cannot run git ${args.join(" ")}: ${Buffer.concat(faults).toString().trim()}`);
    return Buffer.concat(output).toString();
  }

  async function close() {
    // Not "close", which waits for output that nobody may be reading any more.
    const ended = [...running].map((child) => once(child, "exit"));
    for (const child of running) child.kill("SIGTERM");
    await Promise.all(ended);
  }

  return { start, run, close };
}
