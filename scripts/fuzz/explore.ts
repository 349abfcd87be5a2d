import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import type { Chance } from "./chance.ts";
import type { Coverage, CoverageFigures } from "./coverage.ts";
import { minimise } from "./minimise.ts";
import { mutate } from "./mutate.ts";
import { bytesOf, ruleOf, type FuzzTarget } from "./target.ts";

export type Find = {
  readonly rule: string;
  readonly message: string;
  readonly input: Uint8Array;
};

export type Explored = {
  readonly inputs: number;
  readonly seconds: number;
  readonly coverage: CoverageFigures;
  readonly outcomes: number;
  /** When the last new branch or outcome was reached, in seconds from the start. */
  readonly lastNewAt: number;
  readonly finds: readonly Find[];
  /** Inputs of which each reached something that those before had not. */
  readonly kept: readonly Uint8Array[];
};

export type Exploring = {
  readonly coverage: Coverage;
  readonly chance: Chance;
  readonly seconds: number;
  /** Inputs to begin with. */
  readonly corpus: readonly Uint8Array[];
  /** Told of each input before it is tried. */
  readonly onInput?: (input: Uint8Array) => void;
  /** Whether inputs are made of those that reached something new; else each is made by the grammar alone. */
  readonly isGuided?: boolean;
  /** Ends the search with the first find. */
  readonly untilFind?: boolean;
  /** How long a find may be made smaller. */
  readonly minimiseMs?: number;
};

/** What an input may take, in milliseconds. */
const MOST_MS = 1000;
export const TOO_SLOW = "takes more than a second";
const FIRST_INPUTS = 200;
const MOST_BATCH = 256;
const FRESH_AT_ONCE = 64;
const MINIMISE_MS = 10_000;

/**
 * Tries inputs for some seconds. The first are those of the corpus and some by the grammar; of the others one in five is
 * by the grammar, and four are changed from inputs that reached a branch or an outcome that none before had.
 *
 * Counts are taken for a batch of inputs at once, and a batch that reached something new is tried again one by one. Batches
 * grow as long as nothing new turns up, so that in the long run the counts cost next to nothing.
 */
export async function explore(target: FuzzTarget, exploring: Exploring): Promise<Explored> {
  const { coverage, seconds, corpus, untilFind = false } = exploring;
  const start = performance.now();
  const search: Search = {
    target,
    exploring,
    start,
    inputs: 0,
    lastNewAt: 0,
    finds: new Map(),
    outcomes: new Set(),
  };
  const kept: Uint8Array[] = [];
  const next = inputMaker(search, kept);
  const goesOn = () => performance.now() - start < seconds * 1000 && !(untilFind && search.finds.size > 0);
  const first = [...corpus];
  for (let size = 1; goesOn();) {
    const isFirst = search.inputs < corpus.length + FIRST_INPUTS;
    const batch = Array.from({ length: isFirst ? 1 : size }, () => first.shift() ?? next(isFirst));
    const isNew = await tryBatch(search, batch, kept);
    await setImmediate(); // lets the process hear that it is not wanted any more
    size = isNew ? Math.ceil(size / 2) : Math.min(size * 2, MOST_BATCH);
  }
  return {
    inputs: search.inputs,
    seconds: (performance.now() - start) / 1000,
    coverage: coverage.figures(),
    outcomes: search.outcomes.size,
    lastNewAt: search.lastNewAt,
    finds: [...search.finds.values()],
    kept,
  };
}

/**
 * As many of the inputs as reach all that all of them reach, short ones first, within so many bytes; none that breaks a rule, as
 * that is kept by itself.
 */
export async function thinOut(
  target: FuzzTarget,
  coverage: Coverage,
  inputs: readonly Uint8Array[],
  mostBytes: number,
): Promise<readonly Uint8Array[]> {
  coverage.forget();
  const outcomes = new Set<string>();
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for (const input of inputs.toSorted((a, b) => a.byteLength - b.byteLength)) {
    if (bytes + input.byteLength > mostBytes) continue;
    const outcome = await soundOutcome(target, input);
    const isNew = coverage.advance().size > 0;
    if (outcome === undefined || (!isNew && outcomes.has(outcome))) continue;
    outcomes.add(outcome);
    kept.push(input);
    bytes += input.byteLength;
  }
  return kept;
}

type Search = {
  readonly target: FuzzTarget;
  readonly exploring: Exploring;
  readonly start: number;
  readonly outcomes: Set<string>;
  readonly finds: Map<string, Find>;
  inputs: number;
  lastNewAt: number;
};

function inputMaker(
  { target, exploring }: Search,
  kept: readonly Uint8Array[],
): (isFresh: boolean) => Uint8Array {
  const { chance, isGuided = true } = exploring;
  const words = target.words.map(bytesOf);
  const fresh: Uint8Array[] = [];
  const makeFresh = (): Uint8Array => {
    if (fresh.length === 0)
      fresh.push(...fc.sample(target.fresh, { numRuns: FRESH_AT_ONCE, seed: chance.below(2 ** 31) }));
    return (fresh.pop() ?? new Uint8Array()).subarray(0, target.mostBytes);
  };
  const pick = (): Uint8Array => {
    const recent = kept.slice(-16);
    return chance.pick(chance.below(3) === 0 ? recent : kept);
  };
  return (isFresh) => {
    if (isFresh || !isGuided || kept.length === 0 || chance.below(5) === 0) return makeFresh();
    return mutate(pick(), { chance, words, other: pick(), mostBytes: target.mostBytes });
  };
}

/** Whether a batch reached anything new. */
async function tryBatch(search: Search, batch: readonly Uint8Array[], kept: Uint8Array[]): Promise<boolean> {
  const { coverage } = search.exploring;
  const byOutcome = new Set<Uint8Array>();
  for (const input of batch) if (await tryInput(search, input)) byOutcome.add(input);
  const news = coverage.advance();
  if (byOutcome.size === 0 && news.size === 0) return false;
  search.lastNewAt = (performance.now() - search.start) / 1000;
  for (const input of batch) {
    if (news.size === 0 && byOutcome.size === 0) break;
    if (batch.length > 1 && news.size > 0) await outcomeOf(search.target, input);
    const isNew = batch.length === 1 || (news.size > 0 && coverage.takesOff(news));
    if (byOutcome.delete(input) || isNew) kept.push(input);
  }
  return true;
}

/** Whether an input had an outcome that none before had. */
async function tryInput(search: Search, input: Uint8Array): Promise<boolean> {
  const { target, exploring, outcomes, finds } = search;
  exploring.onInput?.(input);
  search.inputs += 1;
  const start = performance.now();
  let outcome: string;
  try {
    const answer = target.check(input);
    outcome = typeof answer === "string" ? answer : await answer;
  } catch (error) {
    outcome = ruleOf(error);
    if (!finds.has(outcome)) finds.set(outcome, await smallestFind(search, input, outcome));
  }
  if (performance.now() - start > MOST_MS && !finds.has(TOO_SLOW) && (await isSlow(target, input)))
    finds.set(TOO_SLOW, await smallestFind(search, input, TOO_SLOW));
  if (outcomes.has(outcome)) return false;
  outcomes.add(outcome);
  return true;
}

async function smallestFind({ target, exploring }: Search, input: Uint8Array, rule: string): Promise<Find> {
  const end = performance.now() + (exploring.minimiseMs ?? MINIMISE_MS);
  const shows = async (smaller: Uint8Array): Promise<boolean> => {
    exploring.onInput?.(smaller);
    return rule === TOO_SLOW ? await isSlow(target, smaller) : (await outcomeOf(target, smaller)) === rule;
  };
  const least = await minimise(input, { shows, goesOn: () => performance.now() < end });
  const message = rule === TOO_SLOW ? rule : await messageOf(target, least);
  return { rule, message, input: least };
}

/** `undefined` where a rule is broken. */
async function soundOutcome(target: FuzzTarget, input: Uint8Array): Promise<string | undefined> {
  try {
    return await target.check(input);
  } catch {
    return undefined;
  }
}

async function messageOf(target: FuzzTarget, input: Uint8Array): Promise<string> {
  try {
    return await target.check(input);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** A broken rule is an outcome as well. */
export async function outcomeOf(target: FuzzTarget, input: Uint8Array): Promise<string> {
  try {
    return await target.check(input);
  } catch (error) {
    return ruleOf(error);
  }
}

/** Whether an input takes too long each time, by the time that this thread itself had: others may be busy too. */
async function isSlow(target: FuzzTarget, input: Uint8Array): Promise<boolean> {
  for (let count = 0; count < 2; count += 1) {
    const { user, system } = process.threadCpuUsage();
    await outcomeOf(target, input);
    const after = process.threadCpuUsage();
    if (after.user + after.system - user - system < MOST_MS * 1000) return false;
  }
  return true;
}
