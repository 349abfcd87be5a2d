import { readFile } from "node:fs/promises";

/** How many cores were busy while something was done. */
export type Cores = {
  /** With programs of ours that have ended since: a load's client. */
  readonly client: number;
  /** With everything else on the machine: what it loads, above all. */
  readonly others: number;
};

/** `USER_HZ`, in which Linux tells times of processors. */
const TICKS_PER_S = 100;

/** Does something and tells how many cores it kept busy. */
export async function coresDuring<T>(work: () => Promise<T>): Promise<{ result: T; cores: Cores }> {
  const before = await readTimes();
  const result = await work();
  const after = await readTimes();
  const seconds = (after.at - before.at) / 1000;
  const client = (after.childrenS - before.childrenS) / seconds;
  return { result, cores: { client, others: (after.busyS - before.busyS) / seconds - client } };
}

async function readTimes(): Promise<{ at: number; busyS: number; childrenS: number }> {
  const [machine, own] = await Promise.all([
    readFile("/proc/stat", "utf8"),
    readFile("/proc/self/stat", "utf8"),
  ]);
  return { at: performance.now(), busyS: busySeconds(machine), childrenS: childrenSeconds(own) };
}

/** The time all processors were busy since the start, from `/proc/stat`: all but idle (4th) and waiting for disks (5th). */
export function busySeconds(stat: string): number {
  const [, ...ticks] = (stat.split("\n", 1)[0] ?? "").split(/\s+/);
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0] = ticks.map(Number);
  return (user + nice + system + irq + softirq) / TICKS_PER_S;
}

/** The time that children of a process took which have ended, from its `/proc/PID/stat` (fields 16 and 17). */
export function childrenSeconds(stat: string): number {
  // The name in parentheses may hold anything; the 3rd field follows the last one.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) / TICKS_PER_S;
}

/** The time a process took so far of all processors, its threads' too. */
export async function processSeconds(pid: number): Promise<number> {
  return ownSeconds(await readFile(`/proc/${pid}/stat`, "utf8"));
}

/** The same, from its `/proc/PID/stat` (fields 14 and 15). */
export function ownSeconds(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S;
}
