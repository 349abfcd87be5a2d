import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { rmSync } from "node:fs";
import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TOOL_ENVIRONMENT } from "../measuring/command.ts";

/** Programs that run until they are told to end, and the directory all their files are in. */
export type Daemons = {
  readonly directory: string;
  /** Aborted when the start has failed or takes too long. */
  readonly signal: AbortSignal;
  /** Starts a program in the foreground; whatever it says is kept in a file. */
  start(
    program: string,
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<void>;
};

export type Closable = { close(): Promise<void> };

export type DaemonsOptions<T> = {
  /** What they are together. */
  readonly name: string;
  /** How long they may take to be ready. */
  readonly startMs: number;
  /** Starts them, waits until they are ready and says what there is to know of them. */
  start(daemons: Daemons): Promise<T>;
};

type Daemon = { readonly program: string; readonly child: ChildProcess; readonly log: string };

const END_MS = 3000;
const LAST_LINES = 15;

/**
 * Starts daemons in a new temporary directory. When one ends too early, or the start fails in another
 * way, all of them end, and the error carries the last lines that each has said.
 */
export async function startDaemons<T extends object>(options: DaemonsOptions<T>): Promise<T & Closable> {
  const directory = await mkdtemp(join(tmpdir(), "forgefront-servers-"));
  const running: Daemon[] = [];
  const close = closing(directory, running);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, AbortSignal.timeout(options.startMs)]);
  const early = Promise.withResolvers<never>();
  early.promise.catch(() => {}); // the end of one that is ready is no failure
  const started = options.start({
    directory,
    signal,
    async start(program, args, environment = {}) {
      const log = join(directory, `${running.length}.log`);
      const child = await launch({ program, args, environment, log });
      running.push({ program, child, log });
      void whenGone(child).then((how) => early.reject(new Error(`${program} ended with ${how}`)));
    },
  });
  try {
    return { ...(await Promise.race([started, early.promise])), close };
  } catch (cause) {
    stop.abort();
    await started.catch(() => {}); // it may be about to start one more
    const said = await Promise.all(running.map(lastWords));
    await close();
    throw new Error([`${options.name} did not start: ${String(cause)}`, ...said].join("\n"), { cause });
  }
}

/** Ends the last one first, and removes the directory. */
function closing(directory: string, running: readonly Daemon[]): () => Promise<void> {
  const killAll = () => {
    for (const { child } of running) child.kill("SIGKILL");
    rmSync(directory, { recursive: true, force: true });
  };
  process.once("exit", killAll);
  return async () => {
    for (const { child } of running.toReversed()) await end(child);
    process.removeListener("exit", killAll);
    await rm(directory, { recursive: true, force: true, maxRetries: 3 });
  };
}

type Launch = {
  readonly program: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly log: string;
};

async function launch({ program, args, environment, log }: Launch): Promise<ChildProcess> {
  const output = await open(log, "w");
  try {
    const child = spawn(program, args, {
      env: { ...TOOL_ENVIRONMENT, ...environment },
      stdio: ["ignore", output.fd, output.fd],
    });
    await once(child, "spawn");
    return child;
  } finally {
    await output.close();
  }
}

async function whenGone(child: ChildProcess): Promise<string> {
  if (!isGone(child)) await once(child, "exit");
  return child.signalCode ?? `status ${child.exitCode}`;
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function end(child: ChildProcess): Promise<void> {
  if (isGone(child)) return;
  const gone = whenGone(child);
  const patience = new AbortController();
  child.kill("SIGTERM");
  const late = sleep(END_MS, true, { signal: patience.signal }).catch(() => false);
  if (await Promise.race([gone.then(() => false), late])) child.kill("SIGKILL");
  await gone;
  patience.abort();
}

async function lastWords({ program, log }: Daemon): Promise<string> {
  const lines = (await readFile(log, "utf8")).split("\n").filter((line) => line !== "");
  return [`${program} said last:`, ...lines.slice(-LAST_LINES).map((line) => `  ${line}`)].join("\n");
}

/** Waits until something answers HTTP at a URL, whatever the answer is. */
export async function untilHttpAnswers(url: string, signal: AbortSignal): Promise<void> {
  for (;;) {
    signal.throwIfAborted();
    const answers = await fetch(url, { signal, redirect: "manual" }).then(
      async (response) => {
        await response.body?.cancel();
        return true;
      },
      () => false,
    );
    if (answers) return;
    await sleep(10);
  }
}
