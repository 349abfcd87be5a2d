import { readdir, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** The workerd processes this process has started and that still run, by pid. */
export async function workerdPids(): Promise<number[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  const ours = await Promise.all(pids.map(isOurWorkerd));
  return pids.filter((_, index) => ours[index]);
}

async function isOurWorkerd(pid: number): Promise<boolean> {
  try {
    const status = await readFile(`/proc/${pid}/stat`, "utf8");
    // The name in parentheses may hold anything; state and parent follow the last one.
    const parent = Number(status.slice(status.lastIndexOf(")") + 2).split(" ")[1]);
    return parent === process.pid && (await readFile(`/proc/${pid}/cmdline`, "utf8")).includes("workerd");
  } catch {
    return false; // it ended meanwhile, or is somebody else's
  }
}

/** Starts something and finds the one workerd process that came with it. */
export async function withItsWorkerd<T>(start: () => Promise<T>): Promise<{ started: T; pid: number }> {
  const before = await workerdPids();
  const started = await start();
  const [pid, ...others] = (await workerdPids()).filter((candidate) => !before.includes(candidate));
  if (pid === undefined || others.length > 0) throw new Error("Cannot tell which workerd process is new");
  return { started, pid };
}

/** Bytes of memory a process holds now, its share of files among them. */
export async function residentBytes(pid: number): Promise<number> {
  return await statusBytes(pid, "VmRSS");
}

async function statusBytes(pid: number, field: "VmRSS" | "VmHWM"): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  const kilobytes = new RegExp(`^${field}:\\s+(\\d+) kB$`, "m").exec(status)?.[1];
  if (kilobytes === undefined) throw new Error(`Cannot read ${field} of process ${pid}`);
  return Number(kilobytes) * 1024;
}

const SAMPLE_MS = 50;

/** The most memory a process held while something was done: what was sampled, and the kernel's own mark where it can be reset. */
export async function peakDuring(pid: number, work: () => Promise<void>): Promise<number> {
  // 5 resets the high-water mark, proc_pid_clear_refs(5).
  const isExact = await writeFile(`/proc/${pid}/clear_refs`, "5").then(
    () => true,
    () => false,
  );
  let peak = await residentBytes(pid);
  const state = { isDone: false };
  const sampling = (async () => {
    while (!state.isDone) {
      peak = Math.max(peak, await residentBytes(pid));
      await sleep(SAMPLE_MS);
    }
  })();
  try {
    await work();
  } finally {
    state.isDone = true;
    await sampling;
  }
  return isExact ? Math.max(peak, await statusBytes(pid, "VmHWM")) : peak;
}

/** Bytes that the files of a directory take on disk. */
export async function diskBytes(directory: string): Promise<number> {
  let bytes = 0;
  for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const found = await stat(join(entry.parentPath, entry.name)).catch(() => undefined); // it went meanwhile
    bytes += (found?.blocks ?? 0) * 512;
  }
  return bytes;
}
