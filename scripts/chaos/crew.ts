import { setTimeout as sleep } from "node:timers/promises";
import { ask } from "./ask.ts";
import type { Clocks } from "./clocks.ts";
import type { ChaosEdge } from "./edge.ts";
import type { Random } from "./random.ts";
import { askersOf, describeRead, mayHave, requestFor, type Read, type Target } from "./reads.ts";
import { count, type Tally } from "./tally.ts";
import { verdictOn, type Leeway, type Truth, type Verdict } from "./verdict.ts";

/** The isolates that requests are spread over. */
export const ISOLATES = ["", "other"] as const;

/** No answer takes longer: it is several times what an origin's silence may cost, and as long as a crowd may keep a machine busy. */
export const DEADLINE_MS = 60_000;
const MOST_PAUSE_MS = 20;
const AT_ONCE = 4;
/** A signature is refused where the clock was moved so far while it was on its way. */
const SIGNATURE_MS = 600_000;

/** Those who read and judge what they get. */
export type Crew = {
  /** One read of an isolate, judged and counted. */
  readOnce(read: Read, isolate: string): Promise<Verdict>;
  /** Reads anything as anybody, one after the other, until it is to end; each of `workers` on its own. */
  readOn(workers: number, until: AbortSignal): Promise<void>;
  /** These reads once in every isolate, a few at a time. */
  readEach(reads: readonly Read[]): Promise<void>;
};

export type CrewParts = {
  readonly edge: ChaosEdge;
  readonly targets: readonly Target[];
  readonly clocks: Clocks;
  readonly tally: Tally;
  readonly random: Random;
  /** Ends the reads of `readEach` that are not begun yet, by throwing. */
  readonly signal: AbortSignal;
  /** What may go wrong with a read that is begun now; asked again when its answer is there. */
  readonly leeway: (read: Read) => Leeway;
};

export function newCrew({ edge, targets, clocks, tally, random, signal, leeway }: CrewParts): Crew {
  const readOnce = async (read: Read, isolate: string): Promise<Verdict> => {
    const at = clocks.at(isolate);
    const { path, headers } = requestFor(read, at);
    const begun = performance.now();
    const begunAt = Date.now();
    const askerBefore = askerNow(read, clocks.revocation(isolate));
    const before = leeway(read);
    const { target, range } = read;
    const answer = await ask({
      port: edge.port(),
      path,
      headers: { ...headers, "x-chaos-isolate": isolate },
      whole: target.bytes,
      ...(range !== undefined && { start: range.start }),
      deadlineMs: DEADLINE_MS,
      agent: edge.agent,
    });
    const askerAfter = askerNow(read, clocks.revocation(isolate));
    // Who was revoked or taken back while the answer was on its way may get the one or the other
    const isTornApart = Math.abs(clocks.at(isolate) - at) > SIGNATURE_MS && askerBefore === "may";
    const asker = askerBefore === askerAfter && !isTornApart ? askerBefore : "until revoked";
    const verdict = verdictOn({ ...truthOf(read), asker }, answer, wider(before, leeway(read)));
    const name = `${describeRead(read)}${isolate === "" ? "" : ` in ${isolate}`}`;
    count(tally, { name, verdict, isAnew: answer.isAnew === true, begunAt, ms: performance.now() - begun });
    return verdict;
  };

  return {
    readOnce,
    async readOn(workers, until) {
      const one = async () => {
        while (!until.aborted) {
          await readOnce(anyRead(targets, random), random.pick(ISOLATES));
          await sleep(random.below(MOST_PAUSE_MS));
        }
      };
      await Promise.all(Array.from({ length: workers }, one));
    },
    async readEach(reads) {
      const waiting = ISOLATES.flatMap((isolate) => reads.map((read) => ({ read, isolate })));
      const one = async () => {
        for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
          signal.throwIfAborted();
          await readOnce(next.read, next.isolate);
        }
      };
      await Promise.all(Array.from({ length: AT_ONCE }, one));
    },
  };
}

/** What may be true of a read as it stands with the one who is revoked. */
function askerNow(read: Read, revocation: ReturnType<Clocks["revocation"]>): Truth["asker"] {
  const may = mayHave(read);
  if (read.asker !== "revoked" || revocation === "none") return may ? "may" : "may not";
  return revocation === "over" ? "may not" : "until revoked";
}

/** An answer may be as bad as it could become at any time it took: a fault may begin while it is on its way. */
function wider(one: Leeway, other: Leeway): Leeway {
  return {
    failures: one.failures || other.failures,
    decoys: one.decoys || other.decoys,
    statuses: [...one.statuses, ...other.statuses],
  };
}

function truthOf({ target: { bytes }, range }: Read): Omit<Truth, "asker"> {
  if (range === undefined) return { length: bytes.length };
  return { length: range.end - range.start, range: { ...range, size: bytes.length } };
}

/** Every target as every asker, of large ones any part. */
export function everyRead(targets: readonly Target[], random: Random): Read[] {
  return targets.flatMap((target) => askersOf(target).map(({ name }) => partRead(target, name, random)));
}

function anyRead(targets: readonly Target[], random: Random): Read {
  const target = random.pick(targets);
  return partRead(target, random.pick(askersOf(target)).name, random);
}

function partRead(target: Target, asker: Read["asker"], random: Random): Read {
  return { target, asker, ...somePart(target, random) };
}

function somePart({ bytes: { length }, parts }: Target, random: Random): Pick<Read, "range"> {
  if (parts === undefined) return {};
  const start = random.below(length - 1);
  const end = Math.min(length, start + 1 + random.below(parts));
  return { range: { start, end } };
}
