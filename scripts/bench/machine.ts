import { readFile } from "node:fs/promises";
import { availableParallelism, cpus, loadavg, release, totalmem } from "node:os";

/** What something was measured on. */
export type Machine = {
  readonly processor: string;
  readonly cores: number;
  readonly memoryBytes: number;
  readonly system: string;
  readonly kernel: string;
  /** How many processes wanted to run in the minute before. */
  readonly loadBefore: number;
};

/** Looks at the machine that this runs on. */
export async function readMachine(): Promise<Machine> {
  const osRelease = await readFile("/etc/os-release", "utf8").catch(() => ""); // some systems have none
  return {
    processor: cpus()[0]?.model.trim() ?? "of unknown model",
    cores: availableParallelism(),
    memoryBytes: totalmem(),
    system: systemName(osRelease) ?? process.platform,
    kernel: release(),
    loadBefore: loadavg()[0] ?? 0,
  };
}

/** The name that a system gives itself, from its `os-release(5)`. */
export function systemName(osRelease: string): string | undefined {
  const value = /^PRETTY_NAME=(.*)$/m.exec(osRelease)?.[1]?.trim();
  const bare = value?.replace(/^(["'])(.*)\1$/, "$2");
  return bare === "" ? undefined : bare;
}

const GIB = 1024 ** 3;

/** The machine in a line. */
export function formatMachine({
  processor,
  cores,
  memoryBytes,
  system,
  kernel,
  loadBefore,
}: Machine): string {
  const memory = `${(memoryBytes / GIB).toFixed(1)} GiB of memory`;
  return `${processor}, ${cores} cores, ${memory}, ${system}, kernel ${kernel}, load before ${loadBefore.toFixed(2)}`;
}
