import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Explored, Find } from "./explore.ts";
import { readLastInput } from "./last-input.ts";
import { minimise } from "./minimise.ts";

/** What a process is to do. */
export type ToExplore = {
  readonly place: Place;
  readonly task: Task;
  /** Where each input is written down before it is tried. */
  readonly file: string;
};

/** Where the targets are, as the URL of a module, and what their coverage is counted in, as the beginning of URLs. */
export type Place = { readonly targets: string; readonly sources: string };

type Task =
  | { readonly kind: "try"; readonly target: string; readonly input: Uint8Array }
  | ({ readonly kind: "explore"; readonly target: string } & ExploreTask);

export type ExploreTask = {
  readonly seed: number;
  readonly seconds: number;
  readonly corpus: readonly Uint8Array[];
  readonly isGuided: boolean;
  /** How many bytes of inputs to answer, of those worth keeping. */
  readonly keepBytes: number;
  /** Ends the search with the first find. */
  readonly untilFind?: boolean;
};

export type FromExplorer =
  | { readonly kind: "ready" }
  | { readonly kind: "tried" }
  | { readonly kind: "explored"; readonly explored: Explored };

/** What exploring came to; one that never ended has but the one find that it ended with. */
export type WatchedAnswer =
  | { readonly kind: "explored"; readonly explored: Explored }
  | { readonly kind: "broken off"; readonly find: Find };

export const ENDLESS = "does not end";
export const FATAL = "ends the process";

/** The longest an input is waited for, first and while it is made smaller, and how long that may take; in milliseconds. */
export type Patience = { readonly hangMs: number; readonly tryMs: number; readonly minimiseMs: number };

/** An input that takes more than a second, but ends, is judged by the process itself. */
const PATIENCE: Patience = { hangMs: 10_000, tryMs: 3000, minimiseMs: 60_000 };
const LOOK_MS = 250;
const SHOWN_CHARACTERS = 600;
/** What is fuzzed has 128 MB in production (Workers: "Limits"), and the search itself needs some. */
const MOST_HEAP_MB = 256;

const PRODUCT: Place = {
  targets: new URL("../../test/fuzz/targets.ts", import.meta.url).href,
  sources: new URL("../../src/", import.meta.url).href,
};

/** Explores a target in a process of its own: whatever input hangs it, or takes all of its memory, is known. */
export async function exploreWatched(
  target: string,
  task: ExploreTask,
  place: Place = PRODUCT,
  { hangMs, tryMs, minimiseMs }: Patience = PATIENCE,
): Promise<WatchedAnswer> {
  const end = await runTask(place, { kind: "explore", target, ...task }, hangMs);
  if (end.kind === "explored") return end;
  if (end.kind === "tried") throw new Error("A search was asked for");
  const stop = performance.now() + minimiseMs;
  const shows = async (input: Uint8Array) =>
    (await runTask(place, { kind: "try", target, input }, tryMs)).kind === end.kind;
  const input = await minimise(end.input, { shows, goesOn: () => performance.now() < stop });
  const rule = end.kind === "hung" ? ENDLESS : FATAL;
  return { kind: "broken off", find: { rule, message: end.said, input } };
}

type TaskEnd =
  | { readonly kind: "explored"; readonly explored: Explored }
  | { readonly kind: "tried" }
  /** With the beginning of what it said last. */
  | { readonly kind: "hung" | "died"; readonly input: Uint8Array; readonly said: string };

async function runTask(place: Place, task: Task, hangMs: number): Promise<TaskEnd> {
  const directory = await mkdtemp(join(tmpdir(), "forgefront-fuzz-"));
  const file = join(directory, "input");
  const { promise, resolve, reject } = Promise.withResolvers<TaskEnd>();
  const explorer = fork(fileURLToPath(new URL("./explorer.ts", import.meta.url).href), {
    serialization: "advanced",
    execArgv: [`--max-old-space-size=${MOST_HEAP_MB}`],
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  const said: Buffer[] = [];
  explorer.stderr?.on("data", (text: Buffer) => said.push(text));
  const watch = watchProgress(file, hangMs, (input) =>
    resolve({ kind: "hung", input, said: `Still at it after ${hangMs} ms` }),
  );
  explorer.on("message", (message: FromExplorer) => {
    if (message.kind === "ready") watch.begin();
    else resolve(message);
  });
  explorer.on("error", reject);
  // After the last of what it said was read; what was settled before stays.
  explorer.on("close", () => {
    const last = watch.isOver() ? undefined : readLastInput(file);
    const text = Buffer.concat(said).toString().trim().slice(0, SHOWN_CHARACTERS);
    if (last === undefined) reject(new Error(`The search cannot go on: ${text}`));
    else resolve({ kind: "died", input: last.input, said: text });
  });
  explorer.send({ place, task, file } satisfies ToExplore);
  try {
    return await promise;
  } finally {
    watch.end();
    explorer.kill("SIGKILL");
    await rm(directory, { recursive: true });
  }
}

/** Looks whether it goes on with other inputs, from the time that it is ready. */
function watchProgress(file: string, hangMs: number, onHang: (input: Uint8Array) => void) {
  let timer: NodeJS.Timeout | undefined;
  let number = 0;
  let since = 0;
  const look = () => {
    const last = readLastInput(file);
    if (last === undefined) return;
    if (last.number !== number) [number, since] = [last.number, performance.now()];
    else if (performance.now() - since > hangMs) onHang(last.input);
  };
  return {
    begin() {
      timer = setInterval(look, LOOK_MS);
    },
    /** Whether nothing is watched: not yet, or not any more. */
    isOver: () => timer === undefined,
    end() {
      clearInterval(timer);
      timer = undefined;
    },
  };
}
