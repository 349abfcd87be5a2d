import { basename, dirname } from "node:path";
import { readFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import { readCorpus, writeCorpus, writeFind } from "./fuzz/fixtures.ts";
import type { Explored, Find } from "./fuzz/explore.ts";
import type { FuzzTarget } from "./fuzz/target.ts";
import { exploreWatched } from "./fuzz/watched.ts";

/*
 * Fuzzes what strangers can send, guided by coverage: the inputs of each target are first made by its grammar (fast-check),
 * then changed from those that reached a branch or an outcome for the first time (V8's precise coverage, taken for a batch
 * at once, which costs a few microseconds an input). Both are needed: without the grammar a mutation rarely gets past the
 * first check, and without the guidance the last tenth of the branches is not reached at all. jazzer.js has no build for
 * older C libraries, and jsfuzz is no longer looked after; what is here is small, and has rules, not just crashes, to go by.
 */

const USAGE = `Usage: npm run fuzz -- [--seconds N] [--only TARGET,..] [--seed N] [--keep] [--unguided] [--replay FILE]
  --seconds   how long in all, 300 by default; each target has its share
  --only      the targets to fuzz
  --seed      for the same inputs again, as far as time allows
  --keep      write the inputs worth keeping to test/fuzz/corpus
  --unguided  inputs by the grammar alone, to compare
  --replay    try one fixture of test/fuzz/finds, and say what comes of it`;

class UsageError extends Error {}

/** How much of a target's inputs is kept in the repository. */
const KEPT_BYTES = 14 * 1024;
/** Where the targets are; named at run time, as tests are built upon scripts and not the other way round. */
const TARGETS = new URL("../test/fuzz/targets.ts", import.meta.url).href;

try {
  process.exitCode = await fuzz(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof UsageError ? `${error.message}\n${USAGE}` : error);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function fuzz(args: readonly string[]): Promise<number> {
  const { TARGETS: all } = (await import(TARGETS)) as { readonly TARGETS: readonly FuzzTarget[] };
  const { values } = parse(args);
  if (values.replay !== undefined) return await replay(all, values.replay);
  const targets = chosen(all, values.only);
  const seconds = wholeNumber("--seconds", values.seconds ?? "300") / targets.length;
  const seed = wholeNumber("--seed", values.seed ?? String(Math.floor(Math.random() * 1e9)));
  console.log(`${targets.length} targets, ${seconds.toFixed(0)} s each, --seed ${seed}`);
  let finds = 0;
  for (const target of targets) {
    const corpus = await readCorpus(target);
    const isGuided = values.unguided !== true;
    const keepBytes = values.keep === true ? KEPT_BYTES : 0;
    const answer = await exploreWatched(target.name, { seed, seconds, corpus, isGuided, keepBytes });
    const found = answer.kind === "explored" ? answer.explored.finds : [answer.find];
    console.log(
      `${target.name.padEnd(14)}${answer.kind === "explored" ? figures(answer.explored) : "broken off"}`,
    );
    for (const find of found) await report(target, find);
    finds += found.length;
    if (values.keep === true && answer.kind === "explored") await writeCorpus(target, answer.explored.kept);
  }
  console.log(finds === 0 ? "No finds" : `${finds} finds`);
  return finds === 0 ? 0 : 1;
}

function figures({ inputs, seconds, coverage, outcomes, lastNewAt, finds }: Explored): string {
  const { functions, blocks, seen } = coverage;
  return [
    `${inputs.toLocaleString("en")} inputs`,
    `${Math.round(inputs / seconds).toLocaleString("en")}/s`,
    `${blocks} of ${seen} branches in ${functions} functions`,
    `${outcomes} outcomes (last new at ${lastNewAt.toFixed(1)} s)`,
    `${finds.length} finds`,
  ].join(", ");
}

async function report(target: FuzzTarget, { rule, message, input }: Find): Promise<void> {
  const file = await writeFind(target, rule, input);
  console.log(`  FIND ${rule}\n    ${message}\n    ${input.byteLength} bytes in ${file}`);
  console.log(`    again: npm run fuzz -- --replay ${file}`);
}

async function replay(all: readonly FuzzTarget[], file: string): Promise<number> {
  const [target] = chosen(all, basename(dirname(file)));
  const input = await readFile(file);
  console.log(`${target?.name}: ${JSON.stringify(input.toString("latin1"))}`);
  console.log(`Comes to: ${await target?.check(input)}`);
  return 0;
}

function chosen(all: readonly FuzzTarget[], names: string | undefined): readonly FuzzTarget[] {
  return (names?.split(",") ?? all.map(({ name }) => name)).map((name) => {
    const target = all.find((each) => each.name === name);
    if (target !== undefined) return target;
    throw new UsageError(
      `There is no target ${JSON.stringify(name)}, but ${all.map((each) => each.name).join(", ")}`,
    );
  });
}

function wholeNumber(name: string, text: string): number {
  if (!/^\d{1,9}$/.test(text))
    throw new UsageError(`${name} takes a whole number, not ${JSON.stringify(text)}`);
  return Number(text);
}

function parse(args: readonly string[]) {
  const text = { type: "string" } as const;
  const flag = { type: "boolean" } as const;
  const options = { seconds: text, only: text, seed: text, replay: text, keep: flag, unguided: flag };
  try {
    return parseArgs({ args: [...args], options });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}
